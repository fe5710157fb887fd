"""A whole election by three people in three browsers, from registration to verified receipts."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from singletable import connect
from singletable_apps.elections.keys import generate_keys
from singletable_apps.elections.service import Elections, open_elections
from singletable_apps.shared.accounts import Passwords
from tests.apps.support.site import make_elections_site
from tests.browser.conftest import PHONE, OpenPage
from tests.browser.live_server import serve_app
from tests.browser.page_checks import collect_errors

PASSWORD = "lantern copper river"
NAME = "Chair 2027: A#B / 50 %"
CANDIDATES = ("Ida", "Jun", "Kofi")


@pytest.fixture
def elections(tmp_path: Path) -> Iterator[Elections]:
    """Open the service on an empty file."""
    with connect(f"file:{tmp_path}/votes.db") as driver:
        yield open_elections(driver, generate_keys(), passwords=Passwords(memory_kib=64, passes=1))


@pytest.fixture
def site(elections: Elections) -> Iterator[str]:
    """Serve a site with the default rate limits."""
    app = make_elections_site(elections)
    with serve_app(app) as address:
        yield address


@dataclass(frozen=True)
class Voter:
    """A person with a browser, and a folder for downloads."""

    page: Page
    name: str
    folder: Path

    def register(self, site: str, setup_code: str = "") -> None:
        self.page.goto(site)
        self.page.get_by_role("link", name="Open elections").click()
        self.page.get_by_role("link", name="Register").first.click()
        self.page.get_by_label("Name", exact=True).fill(self.name)
        self.page.get_by_label("E-mail address").fill(f"{self.name.lower()}@example.org")
        self.page.get_by_label("Password", exact=True).fill(PASSWORD)
        if setup_code:
            self.page.get_by_label("Set-up code").fill(setup_code)
        self.page.get_by_role("button", name="Create account").click()
        expect(self.page.get_by_role("heading", level=1)).to_be_visible()

    def follow(self, *links: str) -> None:
        for link in links:
            self.page.get_by_role("link", name=link, exact=True).first.click()

    def download(self, link: str, name: str) -> Path:
        """Download a file."""
        with self.page.expect_download() as download:
            self.page.get_by_role("link", name=link).click()
        saved = self.folder / name
        download.value.save_as(saved)
        return saved

    def check_receipt(self) -> str:
        """Verify the receipt with the downloaded checker and on the site; return the output."""
        self.follow("All elections", NAME, "Ballot")
        self.follow("Your receipt")
        receipt = self.download("Download receipt", "receipt.json")
        self.page.get_by_text("Check it on your own computer").click()
        checker = self.download("checker.py", "checker.py")
        done = subprocess.run(
            [sys.executable, "-I", checker, receipt], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        self.follow("Check a receipt")
        self.page.get_by_label("Receipt file").set_input_files(receipt)
        self.page.get_by_role("button", name="Check receipt").click()
        expect(self.page.get_by_role("heading", name="Your ballot was counted")).to_be_visible()
        return done.stdout


def test_three_people_hold_an_election_and_verify_it(
    open_page: OpenPage, elections: Elections, site: str, tmp_path: Path
) -> None:
    ada = Voter(open_page(), "Ada", tmp_path / "at Ada's")
    ben = Voter(open_page(viewport=PHONE), "Ben", tmp_path / "at Ben's")
    cleo = Voter(open_page(java_script_enabled=False), "Cleo", tmp_path / "at Cleo's")
    errors = [collect_errors(voter.page) for voter in (ada, ben, cleo)]

    # The first person who registers has the set-up code, and owns the site.
    ada.register(site, elections.people.setup_code() or "")
    expect(ada.page.get_by_role("link", name="Audit")).to_be_visible()
    _set_up_election(ada)
    ben.register(site)
    cleo.register(site)
    _approve(ada)
    _vote_with_keys(ben)
    _vote_without_scripts(cleo)
    _vote_and_close(ada)

    for voter, cast in ((ada, "Jun"), (ben, "Kofi > Ida"), (cleo, "Kofi > Ida = Jun")):
        voter.page.goto(f"{site}/elections")
        first, *others, last = voter.check_receipt().splitlines()
        assert first.startswith(f"passed Your ballot {cast} matches the tracking code ")
        assert [line.partition(" ")[0] for line in others] == ["passed"] * 4
        assert last == "All checks passed."
    assert errors == [[], [], []]


def _approve(owner: Voter) -> None:
    """Let everyone vote who has registered."""
    owner.follow("People")
    owner.page.get_by_role("button", name="Approve everyone shown").click()
    expect(owner.page.get_by_text("Waiting for approval")).to_be_hidden()


def _set_up_election(owner: Voter) -> None:
    page = owner.page
    owner.follow("All elections")
    owner.follow("New election")
    page.get_by_label("Name", exact=True).fill(NAME)
    page.get_by_role("radio", name="Secret ballot Everyone sees").check()
    page.get_by_role("button", name="Create election").click()
    for number, name in enumerate(CANDIDATES, 1):
        if number > 2:
            page.get_by_role("button", name="Add a candidate").click()
        page.get_by_label(f"candidate {number}", exact=True).fill(name)
    page.get_by_role("button", name="Save", exact=True).click()
    owner.follow("Overview", "Review and launch", "Launch…")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("You can’t go back to setup.")
    dialog.get_by_role("radio", name="Locked").check()
    dialog.get_by_role("button", name="Launch").click()
    expect(page.get_by_role("status")).to_contain_text("launched")


def _vote_with_keys(voter: Voter) -> None:
    """Rank Kofi before Ida, and leave Jun out."""
    page = voter.page
    voter.follow("Vote")
    for name in ("Kofi", "Ida"):
        page.locator(".row-name", has_text=name).focus()
        page.keyboard.press("Enter")
    page.get_by_role("button", name="Review and cast").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_contain_text("2. Ida")
    page.keyboard.press("Enter")
    page.wait_for_url("**/receipt")


def _vote_without_scripts(voter: Voter) -> None:
    """Rank Kofi first, and the others equal."""
    page = voter.page
    voter.follow("Vote")
    for name, place in (("Kofi", "1"), ("Jun", "2"), ("Ida", "2")):
        page.get_by_label(name, exact=True).fill(place)
    page.get_by_role("button", name="Review and cast").click()
    page.get_by_role("button", name="Cast ballot").click()
    expect(page.get_by_role("heading", name="Your ballot is in")).to_be_visible()


def _vote_and_close(owner: Voter) -> None:
    """Rank Jun alone and close the election, which Kofi wins by two to one."""
    page = owner.page
    owner.follow("Ballot")
    page.locator(".row-name", has_text="Jun").click()
    page.get_by_role("button", name="Review and cast").click()
    page.get_by_role("dialog").get_by_role("button", name="Cast ballot").click()
    page.wait_for_url("**/receipt")
    owner.follow("Results")
    expect(page.get_by_role("main")).not_to_contain_text("wins")
    owner.follow("Overview", "Close election…")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("You can’t reopen it.")
    dialog.get_by_role("button", name="Close election").click()
    owner.follow("Results")
    expect(page.get_by_role("heading", name="Kofi wins")).to_be_visible()
