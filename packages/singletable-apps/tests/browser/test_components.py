"""Every component in a browser: accessible, within the content security policy, and small."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PHONE, WIDE, OpenPage
from tests.browser.page_checks import collect_errors, find_axe_violations, measure_load

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


# Colors depend on the theme and layout on the width, so two of the four combinations suffice.
@pytest.mark.parametrize(("theme", "viewport"), [("light", WIDE), ("dark", PHONE)], ids=str)
def test_components_are_accessible(
    open_page: OpenPage, parts: str, theme: str, viewport: dict[str, int]
) -> None:
    page = open_page(color_scheme=theme, viewport=viewport)
    page.goto(f"{parts}/parts")
    assert find_axe_violations(page) == []


# The content security policy is strict; anything that a template or script does beyond it fails.
def test_components_work_within_the_content_security_policy(
    open_page: OpenPage, parts: str
) -> None:
    page = open_page()
    errors = collect_errors(page)
    page.goto(f"{parts}/parts")
    page.get_by_text("Ada Lovelace").first.click()
    page.get_by_role("button", name="Dark").click()
    page.get_by_role("link", name="Delete…").click()
    page.get_by_role("dialog").get_by_role("link", name="Cancel").click()
    page.get_by_role("button", name="Show", exact=True).first.click()
    htmx = page.locator("script[src$='htmx.min.js']").get_attribute("src") or ""
    page.evaluate(f"import('{htmx.replace('htmx.min', 'islands')}')")
    assert errors == []


def test_list_is_filtered_while_typing_and_by_a_button_without_scripts(
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


# Names may have 200 characters without a space.
@pytest.mark.parametrize("width", [320, 1440])
def test_long_names_do_not_widen_the_page(open_page: OpenPage, parts: str, width: int) -> None:
    page = open_page(viewport={"width": width, "height": 700})
    page.goto(f"{parts}/parts")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    wide = {name: page.evaluate(WIDTH_WITH_LONG_NAME, name) for name in NAMED}
    assert wide == dict.fromkeys(NAMED, width)


def test_gallery_stays_within_the_size_budget(open_page: OpenPage, parts: str) -> None:
    sizes = measure_load(open_page(), f"{parts}/parts")
    assert any(address.endswith("site.css") for address in sizes)
    assert any(address.endswith(".woff2") for address in sizes)
    assert sum(sizes.values()) < BUDGET, sizes


def test_confirmation_is_a_dialog_with_scripts_and_a_page_without(
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


def test_times_are_shown_in_the_time_zone_of_the_browser(open_page: OpenPage, parts: str) -> None:
    page = open_page(timezone_id="Asia/Kathmandu")
    page.goto(f"{parts}/parts")
    expect(page.locator("time").first).to_have_text("15 November 2026, 15:15 UTC+05:45")
    expect(page.get_by_label("Opens", exact=True)).to_have_value("2026-11-15T15:15")


# The theme is in a cookie, so that the server renders the next page in it, without a flash.
def test_chosen_theme_is_kept(open_page: OpenPage, parts: str) -> None:
    page = open_page(color_scheme="light")
    page.goto(f"{parts}/parts")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Dark").click()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert page.request.get(f"{parts}/parts").text().count('data-theme="dark"') == 1
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark != light
