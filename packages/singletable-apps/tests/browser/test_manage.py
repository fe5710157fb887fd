"""Manage elections in a browser: rows of candidates, dialogs, filters, accessibility and size."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from singletable_apps.elections.entities import State
from singletable_apps.elections.rules.elections import state_of
from tests.apps.support.mailbox import deliver
from tests.browser.conftest import PHONE, OpenPage
from tests.browser.page_checks import collect_errors, find_axe_violations, measure_load
from tests.browser.site import Site

BUDGET = 150_000
DOOR = "e/Color%20of%20the%20door"
LUNCH = "e/Team%20lunch"


def test_candidates_are_typed_in_rows_or_pasted_at_once(open_page: OpenPage, served: Site) -> None:
    page = open_page()
    errors = collect_errors(page)
    served.open_as(page, "Donald", f"{DOOR}/candidates")
    page.get_by_label("candidate 2", exact=True).press("Enter")
    page.keyboard.type("Red")
    page.get_by_role("button", name="Remove Blue").click()
    page.get_by_role("button", name="Add a candidate").click()
    page.evaluate(
        """() => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text", "White\\n\\nBlack");
          const pasted = { clipboardData, bubbles: true, cancelable: true };
          document.activeElement.dispatchEvent(new ClipboardEvent("paste", pasted));
        }"""
    )
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Saved: 3 added, 1 removed.")).to_be_visible()
    book = served.sample.elections.context.read
    candidates = book.candidates(book.get_election("Color of the door"))
    assert candidates == ["Green", "Red", "White", "Black"]
    assert errors == []


def test_launch_is_confirmed_in_a_dialog_that_can_be_canceled(
    open_page: OpenPage, served: Site
) -> None:
    page = open_page()
    served.open_as(page, "Donald", f"{DOOR}/review")
    launch = page.get_by_role("link", name="Launch…")
    launch.click()
    dialog = page.get_by_role("dialog", name="Launch “Color of the door”?")
    expect(dialog).to_be_visible()
    assert find_axe_violations(page) == []
    dialog.get_by_role("link", name="Cancel").click()
    expect(launch).to_be_focused()
    launch.click()
    dialog.get_by_text("Editable", exact=True).click()
    dialog.get_by_role("button", name="Launch").click()
    expect(page.get_by_text("“Color of the door” is launched.")).to_be_visible()
    election = served.sample.elections.context.read.get_election("Color of the door")
    assert state_of(election) is State.EDITABLE


def test_voters_are_filtered_while_typing(open_page: OpenPage, served: Site) -> None:
    page = open_page()
    errors = collect_errors(page)
    served.open_as(page, "Ada", "e/Treasurer/voters")
    page.get_by_role("searchbox").press_sequentially("ed")
    expect(page.locator("#voters li")).to_have_text(["Edsger", "Hedy"])
    page.wait_for_url("**/voters?q=ed")
    assert errors == []


def test_what_became_of_emails_is_readable_on_a_phone(open_page: OpenPage, served: Site) -> None:
    elections, ada = served.sample.elections, served.sample.user("Ada")
    for send in (elections.rolls.invite, elections.rolls.remind):
        send(ada, "Harbor club board")
        deliver(elections)
    page = open_page(viewport=PHONE)
    served.open_as(page, "Ada", "e/Harbor%20club%20board/voters")
    box = page.locator("td .meta", has_text="reminded").first.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= PHONE["width"]


PAGES = {
    "Ada": ["all", "all?whose=mine", "new", "e/Board%202026", "e/Treasurer/launch"],
    "Donald": [DOOR, f"{DOOR}/settings", f"{DOOR}/launch", f"{DOOR}/delete", f"{DOOR}/voters"],
    "Claude": [f"{LUNCH}/candidates", f"{LUNCH}/voters/list", f"{LUNCH}/owner"],
    "Grace": ["audit", "audit/tables/vote_data", "audit/query?sql=SELECT+*+FROM+elections"],
}


@pytest.mark.parametrize(("theme", "viewport"), [("dark", PHONE)], ids=str)
def test_management_pages_are_accessible_on_a_dark_phone(
    open_page: OpenPage, served: Site, theme: str, viewport: dict[str, int]
) -> None:
    page = open_page(color_scheme=theme, viewport=viewport)
    for name, paths in PAGES.items():
        for path in paths:
            served.open_as(page, name, path)
            assert find_axe_violations(page) == [], path
            assert page.evaluate("document.documentElement.scrollWidth") == viewport["width"], path


def test_pages_stay_within_the_size_budget(open_page: OpenPage, served: Site) -> None:
    for path in ("all", "new", "audit/tables/vote_data"):
        page = open_page()
        served.sign_in(page, "Ada")
        sizes = measure_load(page, f"{served.address}/elections/{path}")
        assert sum(sizes.values()) < BUDGET, sizes
