"""From a registration to a team: add a skill, be endorsed, be found, and be seen in the matrix."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, OpenPage
from tests.browser.page_checks import collect_errors
from tests.browser.skills.server import Served


def test_newcomer_is_endorsed_found_and_put_into_a_team(
    open_page: OpenPage, open_as: Callable[..., Page], served: Served
) -> None:
    newcomer = open_page(viewport=PHONE)
    errors = collect_errors(newcomer)
    newcomer.goto(served.url("register"))
    newcomer.get_by_label("Username").fill("zora")
    newcomer.get_by_label("Name", exact=True).fill("Zora Quill")
    newcomer.get_by_label("Password", exact=True).fill("nine blue horses")
    newcomer.get_by_role("button", name="Create account").click()
    expect(newcomer.get_by_role("heading", name="Hello, Zora")).to_be_visible()

    newcomer.get_by_role("link", name="Add a skill").first.click()
    newcomer.get_by_label("Skill", exact=True).fill("golang")
    newcomer.get_by_text("Expert", exact=True).click()
    newcomer.get_by_label("Experience").fill("12")
    newcomer.get_by_role("button", name="Add the skill").click()
    expect(newcomer.locator("#skill-go")).to_contain_text("Expert")
    expect(newcomer.locator("#skill-go")).to_contain_text("Not endorsed yet")

    colleague = open_as("priya", "people", "zora")
    errors_of_colleague = collect_errors(colleague)
    colleague.get_by_role("button", name="Endorse Go").click()
    expect(colleague.get_by_role("button", name="Undo your endorsement of Go")).to_be_visible()
    newcomer.reload()
    expect(newcomer.locator("#skill-go")).to_contain_text("1 endorsement")

    colleague.goto(served.url("search"))
    colleague.get_by_role("combobox", name="Skill of row 1").fill("GoLang")
    colleague.get_by_label("Minimum years of row 1").fill("12")
    colleague.get_by_role("button", name="Search", exact=True).click()
    results = colleague.get_by_role("table", name="People who meet all criteria")
    expect(results.get_by_role("link", name="Zora Quill")).to_be_visible()
    results.get_by_label("Choose Zora Quill").check()
    colleague.get_by_label("Save the chosen people as a team").fill("Lighthouse")
    colleague.get_by_role("button", name="Save as team").click()
    expect(colleague.get_by_role("heading", name="Lighthouse")).to_be_visible()

    colleague.get_by_role("link", name="Matrix", exact=True).last.click()
    expect(colleague.get_by_role("heading", name="Lighthouse")).to_be_visible()
    row = colleague.get_by_role("row", name="Zora Quill")
    expect(row.get_by_role("gridcell", name="4", exact=True)).to_have_attribute(
        "title",
        f"Expert, 12 years, last used {served.service.context.today():%Y-%m}, 1 endorsement",
    )
    assert errors == errors_of_colleague == []
