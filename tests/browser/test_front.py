"""The way in, in a browser: home, welcome, accounts and people; nobody stumbles anywhere."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from singletable_apps.elections.api import ApiSettings, Limits
from singletable_apps.elections.sample import PASSWORD
from singletable_apps.shared.web import Settings
from tests.apps.home.site import front_of
from tests.apps.support.elections.sample import copy_sample
from tests.browser.conftest import PHONE, OpenPage
from tests.browser.live import live
from tests.browser.looking import bytes_to_load, complaints_of_axe, watch_policy

STRANGERS = (
    "/",
    "/elections",
    "/elections/sign-in",
    "/elections/register",
    "/elections/forgot",
    "/elections/forgot/sent",
)
OWNERS = (
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
    """The address of the whole site, with the sample."""
    settings = ApiSettings(web=Settings(secure_cookies=False), limits=Limits.off())
    with live(front_of(copy_sample().elections, settings)) as address:
        yield address


def _sign_in(page: Page, site: str, name: str) -> None:
    page.goto(f"{site}/elections/sign-in")
    page.fill("#f-who", name)
    page.fill("#f-password", PASSWORD)
    page.click("main button[type=submit]")
    expect(page.locator("h1")).to_contain_text(name)


def _looked_at(page: Page, address: str) -> list[str]:
    page.goto(address)
    width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return [f"{address}: {fault}" for fault in complaints_of_axe(page)] + (
        [f"{address} is {width} too wide"] if width > 0 else []
    )


@pytest.mark.parametrize(("theme", "viewport"), [("dark", PHONE)], ids=str)
def test_nobody_stumbles_on_the_way_in(
    open_page: OpenPage, site: str, theme: str, viewport: dict[str, int]
) -> None:
    page = open_page(color_scheme=theme, viewport=viewport)
    refused = watch_policy(page)
    assert [fault for path in STRANGERS for fault in _looked_at(page, site + path)] == []
    _sign_in(page, site, "Ada")
    assert [fault for path in OWNERS for fault in _looked_at(page, site + path)] == []
    assert refused == []


def test_the_home_page_is_light(open_page: OpenPage, site: str) -> None:
    assert sum(bytes_to_load(open_page(), f"{site}/").values()) < BUDGET


def test_one_click_lets_somebody_look_around(open_page: OpenPage, site: str) -> None:
    page = open_page(java_script_enabled=False)
    page.goto(f"{site}/")
    page.click("text=Barbara, user")
    expect(page.locator("h1")).to_have_text("Good to see you, Barbara")


def test_people_are_found_while_one_types_and_asked_about_in_a_dialog(
    open_page: OpenPage, site: str
) -> None:
    page = open_page()
    refused = watch_policy(page)
    _sign_in(page, site, "Ada")
    page.goto(f"{site}/elections/people")
    page.locator("input[type=search]").press_sequentially("ka")
    expect(page.locator("#people tbody tr")).to_have_count(1)
    page.click("text=Katherine")
    page.goto(f"{site}/elections/people/Niklaus")
    page.click("text=Remove this account")
    dialog = page.locator("dialog")
    expect(dialog).to_contain_text("a signed result does not change")
    page.click("dialog [data-cancel]")
    expect(dialog).to_have_count(0)
    assert refused == []
