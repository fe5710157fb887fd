"""A whole election by three people in three browsers, from joining to a receipt that is checked."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from singletable import connect
from singletable_apps.elections.api import ApiSettings
from singletable_apps.elections.keys import generate_keys
from singletable_apps.elections.service import open_elections
from singletable_apps.shared.accounts import Passwords
from singletable_apps.shared.web import Settings
from tests.apps.support.site import make_elections_site
from tests.browser.conftest import PHONE, OpenPage
from tests.browser.live import live
from tests.browser.looking import watch_policy

PASSWORD = "lantern copper river"
NAME = "Chair 2027: A#B / 50 %"
CANDIDATES = ("Ida", "Jun", "Kofi")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """The whole site on a file where nobody has been yet, with the limits of every day."""
    with connect(f"file:{tmp_path}/votes.db") as driver:
        elections = open_elections(
            driver, generate_keys(), passwords=Passwords(memory_kib=64, passes=1)
        )
        app = make_elections_site(elections, ApiSettings(web=Settings(secure_cookies=False)))
        with live(app) as address:
            yield address


@dataclass(frozen=True)
class Voter:
    """Somebody at a browser, and where they take files home to."""

    page: Page
    name: str
    home: Path

    def registers(self, site: str) -> None:
        self.page.goto(site)
        self.page.get_by_role("link", name="Open elections").click()
        self.page.get_by_role("link", name="Register").first.click()
        self.page.get_by_label("Name", exact=True).fill(self.name)
        self.page.get_by_label("E-mail address").fill(f"{self.name.lower()}@example.org")
        self.page.get_by_label("Password", exact=True).fill(PASSWORD)
        self.page.get_by_role("button", name="Register").click()
        expect(self.page.get_by_role("heading", level=1)).to_contain_text(self.name)

    def goes_to(self, *links: str) -> None:
        for link in links:
            self.page.get_by_role("link", name=link, exact=True).first.click()

    def saves(self, link: str, name: str) -> Path:
        """Take a file home."""
        with self.page.expect_download() as coming:
            self.page.get_by_role("link", name=link).click()
        saved = self.home / name
        coming.value.save_as(saved)
        return saved

    def checks(self) -> str:
        """What the checker of the site says of the receipt, far from the site."""
        self.goes_to("All elections", NAME, "Ballot")
        self.goes_to("Your receipt")
        receipt = self.saves("Download receipt", "receipt.json")
        self.page.get_by_text("Check it on your own computer").click()
        checker = self.saves("checker.py", "checker.py")
        done = subprocess.run(
            [sys.executable, "-I", checker, receipt], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        self.goes_to("Check a receipt")
        self.page.get_by_label("Receipt file").set_input_files(receipt)
        self.page.get_by_role("button", name="Check receipt").click()
        expect(self.page.get_by_role("heading", name="Your ballot was counted")).to_be_visible()
        return done.stdout


def test_three_people_hold_an_election_and_check_it(
    open_page: OpenPage, site: str, tmp_path: Path
) -> None:
    ada = Voter(open_page(), "Ada", tmp_path / "at Ada's")
    ben = Voter(open_page(viewport=PHONE), "Ben", tmp_path / "at Ben's")
    cleo = Voter(open_page(java_script_enabled=False), "Cleo", tmp_path / "at Cleo's")
    refused = [watch_policy(voter.page) for voter in (ada, ben, cleo)]

    ada.registers(site)
    # Who comes first owns the application, and so may do all that there is a link to.
    expect(ada.page.get_by_role("link", name="Audit")).to_be_visible()
    _sets_up(ada)
    ben.registers(site)
    cleo.registers(site)
    _votes_with_keys(ben)
    _votes_without_scripts(cleo)
    _votes_and_closes(ada)

    for voter, cast in ((ada, "Jun"), (ben, "Kofi > Ida"), (cleo, "Kofi > Ida = Jun")):
        voter.page.goto(f"{site}/elections")
        first, *others, last = voter.checks().splitlines()
        assert first.startswith(f"passed Your ballot {cast} matches the tracking code ")
        assert [line.partition(" ")[0] for line in others] == ["passed"] * 4
        assert last == "All checks passed."
    assert refused == [[], [], []]


def _sets_up(owner: Voter) -> None:
    page = owner.page
    owner.goes_to("All elections")
    owner.goes_to("New election")
    page.get_by_label("Name", exact=True).fill(NAME)
    page.get_by_role("radio", name="Secret ballot Everyone sees").check()
    page.get_by_role("button", name="Create election").click()
    for number, name in enumerate(CANDIDATES, 1):
        if number > 2:
            page.get_by_role("button", name="Add a candidate").click()
        page.get_by_label(f"candidate {number}", exact=True).fill(name)
    page.get_by_role("button", name="Save").click()
    owner.goes_to("Overview", "Launch…")
    asked = page.get_by_role("dialog")
    expect(asked).to_contain_text("You can't go back to setup.")
    asked.get_by_role("radio", name="Locked").check()
    asked.get_by_role("button", name="Launch").click()
    expect(page.get_by_role("status")).to_contain_text("launched")


def _votes_with_keys(voter: Voter) -> None:
    """Kofi before Ida, and Jun not at all."""
    page = voter.page
    voter.goes_to("Vote")
    for name in ("Kofi", "Ida"):
        page.locator(".row-name", has_text=name).focus()
        page.keyboard.press("Enter")
    page.get_by_role("button", name="Review and cast").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_contain_text("2. Ida")
    page.keyboard.press("Enter")
    page.wait_for_url("**/receipt")


def _votes_without_scripts(voter: Voter) -> None:
    """Kofi before the others, who are alike."""
    page = voter.page
    voter.goes_to("Vote")
    for name, place in (("Kofi", "1"), ("Jun", "2"), ("Ida", "2")):
        page.get_by_label(name, exact=True).fill(place)
    page.get_by_role("button", name="Review and cast").click()
    page.get_by_role("button", name="Cast ballot").click()
    expect(page.get_by_role("heading", name="Your ballot is in")).to_be_visible()


def _votes_and_closes(owner: Voter) -> None:
    """Jun alone; then nobody votes any more, and Kofi has won by two to one."""
    page = owner.page
    owner.goes_to("Ballot")
    page.locator(".row-name", has_text="Jun").click()
    page.get_by_role("button", name="Review and cast").click()
    page.get_by_role("dialog").get_by_role("button", name="Cast ballot").click()
    page.wait_for_url("**/receipt")
    owner.goes_to("Results")
    expect(page.get_by_role("main")).not_to_contain_text("wins")
    owner.goes_to("Overview", "Close election…")
    asked = page.get_by_role("dialog")
    expect(asked).to_contain_text("You can't reopen it.")
    asked.get_by_role("button", name="Close election").click()
    owner.goes_to("Results")
    expect(page.get_by_role("heading", name="Kofi wins")).to_be_visible()
