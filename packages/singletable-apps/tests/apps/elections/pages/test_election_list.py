"""The list of elections, with filters and search."""

from __future__ import annotations

import httpx2

from singletable_apps.elections.service import ElectionSettings
from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.html import missing_in


def test_empty_list_says_what_to_do(ada: Browser) -> None:
    assert missing_in(ada.get("all"), ["No elections yet", "/elections/new"]) == []
    assert missing_in(ada.get("all", query="?filter=mine"), ["You have no elections yet"]) == []


def test_list_shows_the_state_and_whether_the_viewer_voted(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    owner = app.user("Ada")
    app.world.launch(owner, "Tea", terms=ElectionSettings(secret_ballot=True))
    app.world.launch(owner, "Coffee", voters=["Ada"])
    app.world.service.lifecycle.create(owner, "Water")
    app.vote("Ada", "Coffee", "Red")
    page = ben.get("all").text
    tea, coffee, water = page.split('<li class="election">')[1:]
    assert ("You voted" in coffee, "/ballot" in coffee) == (False, False)
    assert ("Secret ballot" in tea, "/elections/e/Tea/ballot" in tea) == (True, True)
    assert ("In setup" in water, "by Ada" in water) == (True, True)
    assert "You voted" in ada.get("all").text
    assert missing_in(ben.get("all", query="?filter=mine"), ["You have no elections yet"]) == []
    assert ada.get("all", query="?filter=mine").text.count('<li class="election">') == 3


def names_in(page: httpx2.Response) -> list[str]:
    """Return the names of the listed elections, in order."""
    parts = page.text.split('class="election-name" href="')[1:]
    return [part.partition(">")[2].partition("<")[0] for part in parts]


def test_elections_that_need_a_vote_come_first_once(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    owner = app.user("Ada")
    for name in ("Apple", "Berry", "Cherry"):
        app.world.launch(owner, name)
    app.vote("Ben", "Apple", "Red")
    app.vote("Ben", "Berry", "Red")
    assert names_in(ben.get("all")) == ["Cherry", "Apple", "Berry"]
    assert names_in(ada.get("all")) == ["Apple", "Berry", "Cherry"]


LISTED = [
    ("", ["Open tea", "Closed tea", "Tea in setup"]),
    ("?filter=open", ["Open tea"]),
    ("?filter=closed", ["Closed tea"]),
    ("?q=TEA+open", ["Open tea"]),
    ("?q=setup", ["Tea in setup"]),
    ("?q=setup&filter=open", []),
    ("?filter=mine", []),
]


def test_list_can_be_filtered_and_searched(app: PagesApp, ada: Browser, ben: Browser) -> None:
    owner = app.user("Ada")
    app.world.launch(owner, "Open tea")
    app.world.launch(owner, "Closed tea")
    app.world.service.lifecycle.close(owner, "Closed tea")
    app.world.service.lifecycle.create(owner, "Tea in setup")
    for query, names in LISTED:
        assert names_in(ben.get("all", query=query)) == names, query
    assert ada.get("all", query="?filter=nonsense").status_code == 422


def test_long_list_has_pages_and_a_search_finds_matches_beyond_the_first(
    app: PagesApp, ada: Browser
) -> None:
    for number in range(27):
        app.world.service.lifecycle.create(app.user("Ada"), f"Election {number:02}")
    assert names_in(ada.get("all", query="?q=26")) == ["Election 26"]
    for query in ("", "?filter=mine"):
        first = ada.get("all", query=query)
        second = ada.open_next(first)
        counts = [page.text.count('<li class="election">') for page in (first, second)]
        assert counts == [25, 2]
        assert f'href="/elections/all{query}"' in second.text.partition('class="pager"')[2]
