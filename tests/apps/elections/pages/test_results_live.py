"""Live updates: an open results page requests the count again, and gets 304 if nothing changed."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from singletable import connect
from singletable_apps.elections.entities import User
from tests.apps.elections.pages.client import Reader, reader
from tests.apps.support.elections.world import World, ballot
from tests.apps.support.html import text_in

NAME = "Team lunch?"


@dataclass(frozen=True)
class Watched:
    """An election with a ballot, and someone who watches its results."""

    world: World
    owner: User
    voter: User
    watcher: Reader

    def now(self, tag: str = "") -> tuple[int, str, str]:
        answer = self.watcher.get(NAME, "tally", "now", headers={"If-None-Match": tag})
        return answer.status_code, answer.headers.get("etag", ""), answer.text


@pytest.fixture
def watched() -> Watched:
    world = World(connect("memory:"))
    owner, voter, watcher = world.register("Ada", "Ben", "Cy")
    world.launch(owner, NAME, ("Soup", "Stew"))
    world.service.voting.cast(owner, NAME, ballot("Soup"), "once")
    return Watched(world, owner, voter, reader(world.service, watcher))


def test_page_contains_the_update_url_and_its_etag(watched: Watched) -> None:
    html = watched.watcher.get(NAME, "tally").text
    assert 'hx-get="/elections/e/Team%20lunch%3F/tally/now"' in html
    (etag,) = re.findall(r'"If-None-Match": "\\"(\w+)\\""', html)
    assert watched.now(f'"{etag}"') == (304, f'"{etag}"', "")


# An open tally once said "and so wins", though the next ballot could change it.
def test_open_results_say_who_would_win(watched: Watched) -> None:
    text = text_in(watched.now()[2])
    assert "would win if voting closed now" in text
    assert "and wins" not in text


def test_update_after_a_ballot_returns_only_the_count(watched: Watched) -> None:
    _, tag, before = watched.now()
    watched.world.clock.advance(seconds=10)
    watched.world.service.voting.cast(watched.voter, NAME, ballot("Stew"), "once")
    status, new, html = watched.now(tag)
    assert (status, new != tag) == (200, True)
    assert "Soup leads" in text_in(before)
    assert "Soup and Stew are tied" in text_in(html)
    assert html.lstrip().startswith('<div id="count"')
    assert "<html" not in html


def test_changes_elsewhere_do_not_change_the_etag(watched: Watched) -> None:
    _, tag, _ = watched.now()
    watched.world.clock.advance(seconds=10)
    watched.world.register("Dora")
    assert watched.now(tag) == (304, tag, "")


# However many people watch, the ballots are counted at most every two seconds.
def test_count_is_shared_by_all_watchers_for_two_seconds(watched: Watched) -> None:
    _, tag, _ = watched.now()
    watched.world.service.voting.cast(watched.voter, NAME, ballot("Stew"), "once")
    assert watched.now(tag)[0] == 304
    watched.world.clock.advance(seconds=2)
    assert watched.now(tag)[0] == 200


def test_page_reloads_once_when_the_election_closes(watched: Watched) -> None:
    _, tag, _ = watched.now()
    watched.world.service.lifecycle.close(watched.owner, NAME)
    answer = watched.watcher.get(NAME, "tally", "now", headers={"If-None-Match": tag})
    assert (answer.headers["hx-refresh"], answer.text) == ("true", "")
    html = watched.watcher.get(NAME, "tally").text
    assert "data-live" not in html
    assert "live.js" not in html
    assert "Refresh" not in html
