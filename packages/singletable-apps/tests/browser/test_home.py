"""Home, the guide, sign-in and people in a browser: accessible, narrow enough, and light."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from singletable_apps.elections.sample import PASSWORD
from tests.apps.support.elections.sample import copy_sample
from tests.apps.support.site import make_elections_site
from tests.browser.conftest import PHONE, WIDE, OpenPage
from tests.browser.live_server import serve_app
from tests.browser.page_checks import collect_errors, find_axe_violations, measure_load

VISITOR_PAGES = (
    "/",
    "/guide",
    "/guide/keys",
    "/guide/shop",
    "/guide/reference/errors",
    "/elections",
    "/elections/sign-in",
    "/elections/register",
    "/elections/forgot",
    "/elections/forgot/sent",
)
OWNER_PAGES = (
    "/elections",
    "/elections/account",
    "/elections/people",
    "/elections/people/Radia",
    "/elections/people/Radia/owner",
    "/elections/people/Radia/remove",
)
BUDGET = 150_000


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """Yield the URL of the site with sample data."""
    with serve_app(make_elections_site(copy_sample().elections)) as address:
        yield address


def _sign_in(page: Page, site: str, name: str) -> None:
    page.goto(f"{site}/elections/sign-in")
    page.fill("#f-who", name)
    page.fill("#f-password", PASSWORD)
    page.click("main button[type=submit]")
    expect(page.locator("h1")).to_contain_text(name)


def _problems_at(page: Page, address: str) -> list[str]:
    page.goto(address)
    width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return [f"{address}: {fault}" for fault in find_axe_violations(page)] + (
        [f"{address} is {width} too wide"] if width > 0 else []
    )


@pytest.mark.parametrize(("theme", "viewport"), [("dark", PHONE)], ids=str)
def test_pages_for_visitors_and_owners_are_accessible(
    open_page: OpenPage, site: str, theme: str, viewport: dict[str, int]
) -> None:
    page = open_page(color_scheme=theme, viewport=viewport)
    errors = collect_errors(page)
    assert [fault for path in VISITOR_PAGES for fault in _problems_at(page, site + path)] == []
    _sign_in(page, site, "Ada")
    assert [fault for path in OWNER_PAGES for fault in _problems_at(page, site + path)] == []
    assert errors == []


@pytest.mark.parametrize("path", ["/", "/guide/patterns"])
def test_page_loads_few_bytes(open_page: OpenPage, site: str, path: str) -> None:
    assert sum(measure_load(open_page(), f"{site}{path}").values()) < BUDGET


def test_guide_opens_at_its_top_with_the_current_page_in_view(
    open_page: OpenPage, site: str
) -> None:
    page = open_page()
    page.goto(f"{site}/guide/performance")
    expect(page.locator("#contents [aria-current]")).to_be_in_viewport()
    assert page.evaluate("scrollY") == 0


@pytest.mark.parametrize("scripts", [True, False])
def test_steps_of_the_example_can_be_chosen_by_pointer_and_keyboard(
    open_page: OpenPage, site: str, scripts: bool
) -> None:
    page = open_page(java_script_enabled=scripts)
    page.goto(f"{site}/")
    panels = page.locator(".demo-panel")
    expect(panels.nth(0)).to_be_visible()
    for hidden in (1, 2, 3):
        expect(panels.nth(hidden)).to_be_hidden()
    page.click("label[for=demo-2]")
    expect(panels.nth(1)).to_be_visible()
    expect(panels.nth(1)).to_contain_text("ISSUE#0007#COMMENT#001")
    page.locator("#demo-2").press("ArrowRight")
    expect(panels.nth(2)).to_be_visible()
    expect(panels.nth(1)).to_be_hidden()


@pytest.mark.parametrize("viewport", [PHONE, {"width": 900, "height": 700}, WIDE], ids=str)
def test_example_is_shown_whole(open_page: OpenPage, site: str, viewport: dict[str, int]) -> None:
    page = open_page(viewport=viewport)
    page.goto(site)
    cut = "codes => codes.filter(code => code.scrollWidth > code.clientWidth).length"
    assert page.locator(".demo-panel pre").evaluate_all(cut) == 0


def test_code_of_the_guide_can_be_copied(open_page: OpenPage, site: str) -> None:
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    errors = collect_errors(page)
    page.goto(f"{site}/guide/existing-tables")
    block = page.locator(".code-block").filter(has_text="$ ").first
    block.hover()
    block.locator(".code-copy").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    shown = block.locator("code").inner_text().splitlines()
    # Without the prompt of the terminal, and without what the commands print.
    commands = [line.removeprefix("$ ") for line in shown if line.startswith("$ ")]
    assert copied.splitlines() == commands
    assert errors == []


def test_guide_leads_from_page_to_page_on_a_phone(open_page: OpenPage, site: str) -> None:
    page = open_page(viewport=PHONE)
    page.goto(f"{site}/")
    page.click("text=Read the guide")
    expect(page.locator("h1")).to_have_text("Your first design")
    page.click("a[rel=next]")
    expect(page.locator("h1")).to_have_text("Installation")
    page.click("a[rel=next]")
    expect(page.locator("h1")).to_have_text("Start an app")
    page.click("text=All pages")
    page.click("#contents a[href='/guide/keys']")
    expect(page.locator("h1")).to_have_text("Keys")


def test_one_click_signs_in_as_a_sample_user(open_page: OpenPage, site: str) -> None:
    page = open_page(java_script_enabled=False)
    page.goto(f"{site}/")
    page.locator("details:has(input[value=Barbara]) summary").click()
    page.click("form:has(input[value=Barbara]) button")
    expect(page.locator("h1")).to_contain_text("Barbara")


def test_people_are_filtered_while_typing_and_removed_after_a_dialog(
    open_page: OpenPage, site: str
) -> None:
    page = open_page()
    errors = collect_errors(page)
    _sign_in(page, site, "Ada")
    page.goto(f"{site}/elections/people")
    page.locator("input[type=search]").press_sequentially("ka")
    expect(page.locator("#people tbody tr")).to_have_count(1)
    page.click("text=Katherine")
    page.goto(f"{site}/elections/people/Niklaus")
    page.click("a[href$='/remove']")
    dialog = page.locator("dialog")
    expect(dialog.locator("form[action$='/remove']")).to_be_visible()
    page.click("dialog [data-cancel]")
    expect(dialog).to_have_count(0)
    assert errors == []


def test_search_works_with_the_keyboard_and_without_a_connection(
    site: str, open_page: OpenPage
) -> None:
    page = open_page()
    errors = collect_errors(page)
    with page.expect_response("**/guide/search/headings"):
        page.goto(f"{site}/guide")
    dialog = page.locator(".search-dialog")
    page.keyboard.press("Control+k")
    page.keyboard.type("put_many")
    page.keyboard.press("Enter")
    page.wait_for_url("**/guide/reference/store#storeput_many")
    page.wait_for_load_state("networkidle")
    assert errors == []
    page.context.set_offline(True)
    page.keyboard.press("Control+k")
    page.keyboard.type("zzzqqq")
    expect(dialog).to_contain_text("no heading has all the words of “zzzqqq”")
    page.keyboard.press("Control+a")
    # At once: each letter would replace the results and take the focus from them.
    page.keyboard.insert_text("store.get")
    expect(dialog).to_contain_text("only headings are searched")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(dialog.locator("a").nth(1)).to_be_focused()
    # The page is loaded already, so that the link leads to a section of it.
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_url("**/guide/reference/store#storeget")
