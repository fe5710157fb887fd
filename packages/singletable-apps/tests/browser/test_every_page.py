"""Every page, for an owner, a voter and a visitor: accessible, complete and small."""

from __future__ import annotations

import pytest

from tests.browser.conftest import OpenPage
from tests.browser.crawler import CrawledPage, select_pages_with_all_parts
from tests.browser.page_checks import collect_errors, find_page_faults
from tests.browser.site import Site

# The owner of the site, a voter, a visitor, and the owner of an election that is not launched.
PEOPLE = ("Ada", "Leslie", None, "Donald")


@pytest.fixture(scope="module")
def pages(site: Site) -> dict[str | None, list[CrawledPage]]:
    """Crawl all pages, by user."""
    return {name: site.crawl_as(name) for name in PEOPLE}


def test_pages_have_no_blocking_scripts_and_no_dead_links(
    pages: dict[str | None, list[CrawledPage]],
) -> None:
    assert len(pages["Ada"]) > 100
    wrong = {(name, page.address): page.faults for name in PEOPLE for page in pages[name]}
    assert {page: faults for page, faults in wrong.items() if faults} == {}
    # The server renders the heading, so it needs no script.
    assert [page.address for page in pages["Leslie"] if "<h1" not in page.text] == []


# A selection of pages that contains every component; checking all pages would take minutes.
def test_pages_are_accessible_and_small(
    open_page: OpenPage, site: Site, pages: dict[str | None, list[CrawledPage]]
) -> None:
    page = open_page(color_scheme="light")
    errors = collect_errors(page)
    chosen = select_pages_with_all_parts(entry for name in PEOPLE for entry in pages[name])
    assert len(chosen) > 20
    wrong: dict[str, list[str]] = {}
    for crawled in sorted(chosen, key=lambda entry: str(entry.user)):
        site.sign_in(page, crawled.user)
        if faults := [*find_page_faults(page, site.address + crawled.address), *errors]:
            wrong[f"{crawled.address} for {crawled.user}"] = faults
        errors.clear()
    assert wrong == {}
