"""Live results: updates, 304 if nothing is new, and one read per second."""

from __future__ import annotations

import re
from dataclasses import dataclass

import httpx2
import pytest

from singletable import Call
from singletable_apps.polls.entities import Protection, ResultsVisibility
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import ManagedPoll, Voter
from tests.apps.polls.pages.client import Server, Visitor
from tests.apps.polls.support.harness import changed
from tests.apps.support.html import text_in


@dataclass(frozen=True)
class Watched:
    """A poll with a vote, its viewers, and the requests to the table."""

    server: Server
    managed: ManagedPoll
    watcher: Visitor
    calls: list[Call]

    def now(self, tag: str = "", watcher: Visitor | None = None) -> httpx2.Response:
        someone = watcher or self.watcher
        someone.browser.headers["If-None-Match"] = tag
        answer = someone.get(f"/polls/p/{self.managed.poll.id}/results/now")
        del someone.browser.headers["If-None-Match"]
        return answer

    def vote(self, *ranked: str) -> None:
        self.server.polls.voting.cast(self.managed.poll.id, ranked, Voter())


def watched_poll(server: Server, shown: ResultsVisibility = ResultsVisibility.ALWAYS) -> Watched:
    draft = changed(
        PollDraft("Lunch?", ("Soup", "Stew")), protection=Protection.OPEN, results=shown
    )
    watched = Watched(
        server, server.polls.lifecycle.create(draft), server.new_visitor(), server.world.calls
    )
    watched.vote("Soup")
    return watched


@pytest.fixture
def watched(server: Server) -> Watched:
    return watched_poll(server)


def test_page_has_update_url_and_version(watched: Watched) -> None:
    html = watched.watcher.get(f"/polls/p/{watched.managed.poll.id}/results").text
    assert f'hx-get="/polls/p/{watched.managed.poll.id}/results/now"' in html
    (mark,) = re.findall(r'"If-None-Match": "\\"([\d.]+)\\""', html)
    again = watched.now(f'"{mark}"')
    assert (again.status_code, again.headers["etag"], again.text) == (304, f'"{mark}"', "")


def test_update_returns_only_the_count(watched: Watched) -> None:
    before = watched.now()
    watched.server.wait(seconds=5)
    watched.vote("Stew")
    after = watched.now(before.headers["etag"])
    assert (after.status_code, after.headers["etag"] != before.headers["etag"]) == (200, True)
    assert "Soup leads" in text_in(before.text)
    assert "Soup and Stew are tied" in text_in(after.text)
    assert after.text.lstrip().startswith('<div id="count"')
    assert "<html" not in after.text


def test_table_is_read_once_per_second(watched: Watched) -> None:
    crowd = [watched.server.new_visitor() for _ in range(10)]
    watched.calls.clear()
    tags = {watched.now(watcher=one).headers["etag"] for one in crowd}
    assert len(tags) == 1
    # The poll, at first the snapshot, its eight lanes; and whether its options are still the same.
    assert len(watched.calls) == 11
    watched.vote("Stew")
    watched.calls.clear()
    (tag,) = tags
    assert {watched.now(tag, one).status_code for one in crowd} == {304}
    assert watched.calls == []
    watched.server.wait(seconds=1)
    assert {watched.now(tag, one).status_code for one in crowd} == {200}
    assert len(watched.calls) == 10


# A voter is redirected to this page, which must include the new vote at once and stay current.
def test_page_includes_every_earlier_vote(watched: Watched) -> None:
    watched.now()
    watched.vote("Stew")
    html = watched.watcher.get(f"/polls/p/{watched.managed.poll.id}/results").text
    assert "Soup and Stew are tied" in text_in(html)
    assert "Soup and Stew are tied" in text_in(watched.now().text)


def test_update_hides_results_like_the_page(server: Server) -> None:
    watched = watched_poll(server, ResultsVisibility.AFTER_CLOSING)
    answer = watched.now()
    assert answer.status_code == 403
    assert "Soup" not in answer.text
    assert "etag" not in answer.headers
    assert watched.now('"1.1"').status_code == 403


# A vote cannot be withdrawn.
def test_voter_is_looked_up_once(server: Server) -> None:
    watched = watched_poll(server, ResultsVisibility.AFTER_VOTING)
    vote_id = server.polls.voting.cast(
        watched.managed.poll.id, ["Stew"], Voter(request_key="r")
    ).vote.id
    watched.watcher.browser.cookies.set(
        "polls_vote", vote_id, path=f"/polls/p/{watched.managed.poll.id}"
    )
    assert watched.now().status_code == 200
    watched.calls.clear()
    assert watched.now().status_code == 200
    assert watched.calls == []


def test_page_reloads_when_the_poll_closes(watched: Watched) -> None:
    tag = watched.now().headers["etag"]
    watched.server.polls.lifecycle.close(watched.managed.poll.id, watched.managed.admin_key)
    watched.server.wait(seconds=1)
    answer = watched.now(tag)
    assert (answer.status_code, answer.headers["hx-refresh"], answer.text) == (200, "true", "")


# Otherwise an open page would go on showing hidden results.
@pytest.mark.parametrize(("deleted", "then"), [(True, 404), (False, 200)])
def test_page_reloads_when_results_disappear(watched: Watched, deleted: bool, then: int) -> None:
    polls, managed = watched.server.polls, watched.managed
    watched.now()
    if deleted:
        polls.lifecycle.delete(managed.poll.id, managed.admin_key)
    else:
        polls.lifecycle.edit(
            managed.poll.id,
            managed.admin_key,
            lambda draft: changed(draft, results=ResultsVisibility.AFTER_CLOSING),
        )
    watched.server.wait(seconds=1)
    watched.watcher.browser.headers["HX-Request"] = "true"
    answer = watched.now()
    assert (answer.status_code, answer.headers["hx-refresh"], answer.text) == (200, "true", "")
    page = watched.watcher.get(f"/polls/p/{managed.poll.id}/results")
    assert (page.status_code, "Soup" in text_in(page.text)) == (then, False)
