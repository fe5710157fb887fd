"""Every part, in a browser: nobody stumbles, nothing is refused, and little is loaded."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PHONE, WIDE, OpenPage
from tests.browser.looking import bytes_to_load, complaints_of_axe, watch_policy

BUDGET = 150_000
WIDTH_WITH_LONG_NAME = """selector => {
    const named = document.querySelector(selector);
    const name = named.textContent;
    named.textContent = "W".repeat(200);
    const width = document.documentElement.scrollWidth;
    named.textContent = name;
    return width;
}"""
NAMED = (
    "h1",
    ".lead",
    ".crumbs span",
    ".menu-name",
    ".item-text",
    ".item .meta",
    ".item-end",
    ".table tbody th a",
    ".table td",
    ".facts dd",
    ".choice-text",
    ".field-error span",
    ".callout p",
    ".empty-title",
    ".badge span",
    ".meter-words span",
    ".heat th",
    ".stat-value",
)


# Colours depend on the theme, and what is where on the width: two of the four see all of both.
@pytest.mark.parametrize(("theme", "viewport"), [("light", WIDE), ("dark", PHONE)], ids=str)
def test_nobody_stumbles_over_a_part(
    open_page: OpenPage, parts: str, theme: str, viewport: dict[str, int]
) -> None:
    page = open_page(color_scheme=theme, viewport=viewport)
    page.goto(f"{parts}/parts")
    assert complaints_of_axe(page) == []


# The policy is the strictest there is; what a template or a script needs beyond it shows here.
def test_a_page_needs_no_more_than_its_policy_allows(open_page: OpenPage, parts: str) -> None:
    page = open_page()
    refused = watch_policy(page)
    page.goto(f"{parts}/parts")
    page.get_by_text("Ada Lovelace").first.click()
    page.get_by_role("button", name="Dark").click()
    page.get_by_role("link", name="Delete…").click()
    page.get_by_role("dialog").get_by_role("link", name="Cancel").click()
    page.get_by_role("button", name="Show", exact=True).click()
    htmx = page.locator("script[src$='htmx.min.js']").get_attribute("src") or ""
    page.evaluate(f"import('{htmx.replace('htmx.min', 'islands')}')")
    assert refused == []


def test_a_list_is_filtered_while_one_types_and_by_a_button_without_scripts(
    open_page: OpenPage, parts: str
) -> None:
    for scripts in (True, False):
        page = open_page(java_script_enabled=scripts)
        page.goto(f"{parts}/parts")
        box = page.get_by_role("searchbox", name="Search people")
        box.press_sequentially("grace")
        if not scripts:
            box.press("Enter")
        expect(page.locator("#found").get_by_role("row")).to_have_count(2)
        page.wait_for_url("**/parts?q=grace")


# People choose their names, and those of elections: two hundred characters without a space are one.
@pytest.mark.parametrize("width", [320, 1440])
def test_nothing_hangs_over_the_edge(open_page: OpenPage, parts: str, width: int) -> None:
    page = open_page(viewport={"width": width, "height": 700})
    page.goto(f"{parts}/parts")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    wide = {name: page.evaluate(WIDTH_WITH_LONG_NAME, name) for name in NAMED}
    assert wide == dict.fromkeys(NAMED, width)


def test_the_largest_page_is_small_enough_for_a_slow_line(open_page: OpenPage, parts: str) -> None:
    sizes = bytes_to_load(open_page(), f"{parts}/parts")
    assert any(address.endswith("site.css") for address in sizes)
    assert any(address.endswith(".woff2") for address in sizes)
    assert sum(sizes.values()) < BUDGET, sizes


def test_a_question_is_a_dialog_with_scripts_and_a_page_without(
    open_page: OpenPage, parts: str
) -> None:
    page = open_page()
    page.goto(f"{parts}/parts")
    page.get_by_role("link", name="Delete…").click()
    dialog = page.get_by_role("dialog", name="Delete “Board 2027”?")
    expect(dialog.get_by_role("link", name="Cancel")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="Delete…")).to_be_focused()
    plain = open_page(java_script_enabled=False)
    plain.goto(f"{parts}/parts")
    plain.get_by_role("link", name="Delete…").click()
    plain.get_by_role("button", name="Delete the election").click()
    assert plain.get_by_role("status").inner_text().startswith("Saved.")
    plain.reload()
    assert plain.get_by_role("status").inner_text() == ""


def test_times_are_shown_in_the_zone_of_who_reads(open_page: OpenPage, parts: str) -> None:
    page = open_page(timezone_id="Asia/Kathmandu")
    page.goto(f"{parts}/parts")
    page.reload()
    assert page.locator("time").first.inner_text() == "15 November 2026, 15:15 UTC+05:45"
    assert page.get_by_label("Opens", exact=True).input_value() == "2026-11-15T15:15"


# The theme is in a cookie, so that the next page comes in it, and never flashes in the other.
def test_a_theme_that_was_chosen_stays(open_page: OpenPage, parts: str) -> None:
    page = open_page(color_scheme="light")
    page.goto(f"{parts}/parts")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Dark").click()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert page.request.get(f"{parts}/parts").text().count('data-theme="dark"') == 1
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark != light
