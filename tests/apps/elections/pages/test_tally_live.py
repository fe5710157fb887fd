"""A count that is open asks for itself again, and is answered shortly if nothing is new."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from singletable import connect
from singletable_apps.elections.entities import User
from tests.apps.elections.pages.client import Reader, reader
from tests.apps.support.elections.world import World, ballot
from tests.apps.support.html import text_in

NAME = "What is for lunch?"


@dataclass(frozen=True)
class Watched:
    """An election with a ballot, and somebody who watches it."""

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


def test_the_page_says_where_to_look_again_and_what_it_has(watched: Watched) -> None:
    html = watched.watcher.get(NAME, "tally").text
    assert 'hx-get="/elections/e/What%20is%20for%20lunch%3F/tally/now"' in html
    (mark,) = re.findall(r'"If-None-Match": "\\"(\w+)\\""', html)
    assert watched.now(f'"{mark}"') == (304, f'"{mark}"', "")


# Voting is open, so there is no winner yet.
def test_open_tally_says_who_would_win(watched: Watched) -> None:
    said = text_in(watched.now()[2])
    assert (
        "Soup beats every other candidate head to head and would win if voting closed now" in said
    )
    assert "and wins" not in said


def test_a_new_ballot_is_a_new_count_alone(watched: Watched) -> None:
    _, tag, before = watched.now()
    watched.world.clock.advance(seconds=10)
    watched.world.service.voting.cast(watched.voter, NAME, ballot("Stew"), "once")
    status, new, html = watched.now(tag)
    assert (status, new != tag) == (200, True)
    assert "Soup leads" in text_in(before)
    assert "Soup and Stew are tied" in text_in(html)
    assert html.lstrip().startswith('<div id="count"')
    assert "<html" not in html


# Most of what happens is about something else, and nobody has to load the same again for it.
def test_what_happens_elsewhere_is_no_news(watched: Watched) -> None:
    _, tag, _ = watched.now()
    watched.world.clock.advance(seconds=10)
    watched.world.register("Dora")
    assert watched.now(tag) == (304, tag, "")


# However many look and however fast ballots come, they are read once in two seconds.
def test_ballots_are_not_read_for_everybody_who_looks(watched: Watched) -> None:
    _, tag, _ = watched.now()
    watched.world.service.voting.cast(watched.voter, NAME, ballot("Stew"), "once")
    assert watched.now(tag)[0] == 304
    watched.world.clock.advance(seconds=2)
    assert watched.now(tag)[0] == 200


def test_when_it_closes_the_page_comes_anew_and_looks_no_more(watched: Watched) -> None:
    _, tag, _ = watched.now()
    watched.world.service.lifecycle.close(watched.owner, NAME)
    answer = watched.watcher.get(NAME, "tally", "now", headers={"If-None-Match": tag})
    assert (answer.headers["hx-refresh"], answer.text) == ("true", "")
    html = watched.watcher.get(NAME, "tally").text
    assert "data-live" not in html
    assert "live.js" not in html
    assert "Refresh" not in html
