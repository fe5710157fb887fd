"""Every page there is, for an owner, a voter and a stranger: light, whole, and easy to use."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import PHONE, WIDE, OpenPage
from tests.browser.crawling import Seen, that_show_all
from tests.browser.looking import complaints_of_axe, watch_policy
from tests.browser.whole_site import Site

BUDGET = 150_000
# What comes before the content of an answer.
HEADERS = 500
# An owner, a voter, nobody; and who prepares an election, which the owner of the application,
# who conducts others, does not see from within.
PEOPLE = ("Ada", "Leslie", None, "Donald")
WEIGHT = """[...performance.getEntriesByType("navigation"),
    ...performance.getEntriesByType("resource")].map(one => one.encodedBodySize)"""
OPEN_ALL = "for (const one of document.querySelectorAll('main details')) one.open = true"


@pytest.fixture(scope="module")
def pages(site: Site) -> dict[str | None, list[Seen]]:
    """All pages, by who sees them."""
    return {name: site.crawled_by(name) for name in PEOPLE}


def test_no_page_waits_for_a_script_or_leads_nowhere(pages: dict[str | None, list[Seen]]) -> None:
    assert len(pages["Ada"]) > 100
    wrong = {(who, page.address): page.faults for who in PEOPLE for page in pages[who]}
    assert {page: faults for page, faults in wrong.items() if faults} == {}
    # The heading is there before any script is.
    assert [page.address for page in pages["Leslie"] if "<h1" not in page.text] == []


# Pages that show nothing which another does not are left out; the rest is everything there is.
def test_nobody_stumbles_over_any_page_and_none_is_heavy(
    open_page: OpenPage, site: Site, pages: dict[str | None, list[Seen]]
) -> None:
    page = open_page(color_scheme="light")
    refused = watch_policy(page)
    chosen = that_show_all(one for name in PEOPLE for one in pages[name])
    assert len(chosen) > 20
    wrong: dict[str, list[str]] = {}
    for one in sorted(chosen, key=lambda seen: str(seen.who)):
        site.enters(page, one.who)
        if faults := [*_looked_at(page, site, one), *refused]:
            wrong[f"{one.address} for {one.who}"] = faults
        refused.clear()
    assert wrong == {}


def _looked_at(page: Page, site: Site, one: Seen) -> list[str]:
    """What is wrong with a page: wide and light, then narrow and dark."""
    page.set_viewport_size({"width": WIDE["width"], "height": WIDE["height"]})
    page.emulate_media(color_scheme="light")
    page.goto(site.address + one.address)
    page.evaluate(OPEN_ALL)
    faults: list[str] = [*complaints_of_axe(page)]
    page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    page.emulate_media(color_scheme="dark")
    faults += complaints_of_axe(page)
    if (width := page.evaluate("document.documentElement.scrollWidth")) != PHONE["width"]:
        faults.append(f"{width} pixels wide on a phone")
    sizes: list[int] = page.evaluate(WEIGHT)
    if (weight := sum(sizes) + HEADERS * len(sizes)) > BUDGET:
        faults.append(f"{weight} bytes")
    return faults
