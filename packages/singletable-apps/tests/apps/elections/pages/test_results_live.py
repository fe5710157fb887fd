"""Live updates: an open results page requests the count again, and gets 304 if nothing changed."""

from __future__ import annotations

import re

import httpx2
import pytest

from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.html import text_in

NAME = "Team lunch?"


@pytest.fixture
def watcher(app: PagesApp, ada: Browser, ben: Browser) -> Browser:
    """Return someone who watches the results of an election with a ballot."""
    app.world.launch(app.user("Ada"), NAME, ("Soup", "Stew"))
    app.vote("Ada", NAME, "Soup")
    return app.register("Cy")


def request_count(watcher: Browser, etag: str = "") -> httpx2.Response:
    return watcher.get("e", NAME, "tally", "now", **{"If-None-Match": etag})


def test_page_contains_the_update_url_and_its_etag(watcher: Browser) -> None:
    html = watcher.get("e", NAME, "tally").text
    assert 'hx-get="/elections/e/Team%20lunch%3F/tally/now"' in html
    (etag,) = re.findall(r'"If-None-Match": "\\"(\w+)\\""', html)
    answer = request_count(watcher, f'"{etag}"')
    assert (answer.status_code, answer.headers["etag"], answer.text) == (304, f'"{etag}"', "")


# An open tally once said "and so wins", though the next ballot could change it.
def test_open_results_say_who_would_win(watcher: Browser) -> None:
    text = text_in(request_count(watcher).text)
    assert "would win if voting closed now" in text
    assert "and wins" not in text


def test_update_after_a_ballot_returns_only_the_count(app: PagesApp, watcher: Browser) -> None:
    before = request_count(watcher)
    app.world.clock.advance(seconds=10)
    app.vote("Ben", NAME, "Stew")
    after = request_count(watcher, before.headers["etag"])
    assert after.status_code == 200
    assert after.headers["etag"] != before.headers["etag"]
    assert "Soup leads" in text_in(before.text)
    assert "Soup and Stew are tied" in text_in(after.text)
    assert after.text.lstrip().startswith('<div id="count"')
    assert "<html" not in after.text


def test_changes_elsewhere_do_not_change_the_etag(app: PagesApp, watcher: Browser) -> None:
    etag = request_count(watcher).headers["etag"]
    app.world.clock.advance(seconds=10)
    app.world.register("Dora")
    assert request_count(watcher, etag).status_code == 304


# However many people watch, the ballots are counted at most every two seconds.
def test_count_is_shared_by_all_watchers_for_two_seconds(app: PagesApp, watcher: Browser) -> None:
    etag = request_count(watcher).headers["etag"]
    app.vote("Ben", NAME, "Stew")
    assert request_count(watcher, etag).status_code == 304
    app.world.clock.advance(seconds=2)
    assert request_count(watcher, etag).status_code == 200


def test_page_reloads_once_when_the_election_closes(app: PagesApp, watcher: Browser) -> None:
    etag = request_count(watcher).headers["etag"]
    app.world.service.lifecycle.close(app.user("Ada"), NAME)
    answer = request_count(watcher, etag)
    assert (answer.headers["hx-refresh"], answer.text) == ("true", "")
    html = watcher.get("e", NAME, "tally").text
    assert "data-live" not in html
    assert "live.js" not in html
    assert "Refresh" not in html
