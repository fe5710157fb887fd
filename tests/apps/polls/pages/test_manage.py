"""The organizer edits, closes, reopens, recounts and deletes a poll; no one else can."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import httpx2
import pytest

from singletable_apps.polls.entities import Poll, Protection, Vote
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import ManagedPoll
from tests.apps.polls.pages.client import HOME, OPTIONS, Server, Visitor, faults_in, id_in
from tests.apps.support.html import forms_in, text_in


@pytest.fixture
def managed(server: Server) -> ManagedPoll:
    return server.poll(PollDraft("Where to?", OPTIONS, expires_at=server.now + timedelta(days=1)))


@pytest.fixture
def at(managed: ManagedPoll) -> str:
    return f"/polls/p/{managed.poll.id}/manage"


@pytest.fixture
def chair(managed: ManagedPoll, at: str, ada: Visitor) -> Visitor:
    """Who has opened the admin link."""
    ada.look(f"{at}?key={managed.admin_key}")
    return ada


def test_admin_link_redirects_without_its_key(managed: ManagedPoll, at: str, ada: Visitor) -> None:
    answer = ada.look(f"{at}?key={managed.admin_key.lower()}")
    assert (answer.status_code, answer.headers["location"]) == (303, at)
    cookie = answer.headers["set-cookie"]
    assert f"Path=/polls/p/{managed.poll.id};" in cookie
    assert "HttpOnly" in cookie
    page = ada.follow(answer)
    assert page.status_code == 200
    assert f"{HOME}{at}?key={managed.admin_key}" in page.text


PAGES = ("", "/edit", "/close", "/reopen", "/delete", "/codes", "/codes/sheet", "/recount")


@pytest.mark.parametrize("page", PAGES)
def test_manage_pages_ask_for_the_admin_link(
    managed: ManagedPoll, at: str, ada: Visitor, page: str
) -> None:
    answer = ada.look(at + page)
    assert answer.status_code == 403
    assert "You got the admin link" in text_in(answer.text)
    assert managed.admin_key not in answer.text
    wrong = ada.send(answer, "/key", key="nothing of the kind")
    assert "This admin key does not belong to this poll" in text_in(wrong.text)
    let_in = ada.send(wrong, "/key", key=f" {HOME}{at}?key={managed.admin_key} ")
    assert (let_in.status_code, let_in.headers["location"]) == (303, at)
    assert ada.look(at + page).status_code == 200 or page in ("/close", "/reopen")


@pytest.mark.parametrize("page", ["/edit", "/close", "/reopen", "/delete", "/codes"])
def test_forms_without_admin_key_change_nothing(
    managed: ManagedPoll, at: str, server: Server, ada: Visitor, page: str
) -> None:
    before = server.polls.context.get_poll(managed.poll.id)
    answer = ada.post(at + page, {"revision": "1", "title": "Mine", "closing": "never"})
    assert answer.status_code == 403
    assert server.polls.context.get_poll(managed.poll.id) == before


def test_creating_browser_needs_no_admin_link(server: Server, ada: Visitor) -> None:
    made = ada.send(ada.look("/polls/new"), "/new", title="T", candidates=["A", "B"])
    assert ada.look(f"/polls/p/{id_in(made)}/manage").status_code == 200
    assert f"/polls/p/{id_in(made)}/manage" in ada.look("/polls/mine").text
    assert f"/polls/p/{id_in(made)}/manage" in ada.look("/polls").text
    assert server.new_visitor().look(f"/polls/p/{id_in(made)}/manage").status_code == 403


def test_everything_can_be_edited_before_the_first_vote(
    managed: ManagedPoll, at: str, server: Server, chair: Visitor
) -> None:
    typed = {"title": "When?", "protection": "open", "results": "after-voting", "closing": "never"}
    form = chair.look(f"{at}/edit")
    answer = chair.send(form, "/edit", **typed, candidates=["Mon", "Tue"], changeable=None)
    assert answer.headers["location"] == at
    poll = server.polls.context.get_poll(managed.poll.id)
    assert (poll.title, poll.candidates, poll.expires_at) == ("When?", ["Mon", "Tue"], None)
    assert (poll.protection, poll.changeable) == (Protection.OPEN, False)


def test_unchanged_form_changes_nothing(server: Server, ada: Visitor) -> None:
    # A closing time to the second is not cut to the minute.
    ends = server.now + timedelta(hours=1, seconds=7, microseconds=5)
    managed = server.poll(PollDraft("T", OPTIONS, "two\n\nlines", ends, changeable=False))
    ada.look(f"/polls/p/{managed.poll.id}/manage?key={managed.admin_key}")
    ada.browser.cookies.set("zone", "Europe/Berlin")
    form = ada.look(f"/polls/p/{managed.poll.id}/manage/edit")
    assert ada.send(form, "/edit").status_code == 303
    assert replace_revision(server, managed) == managed.poll


def replace_revision(server: Server, managed: ManagedPoll) -> object:
    now = server.polls.context.get_poll(managed.poll.id)
    now.revision = managed.poll.revision
    return now


def test_options_are_fixed_after_the_first_vote(
    managed: ManagedPoll, at: str, server: Server, chair: Visitor
) -> None:
    early = chair.look(f"{at}/edit")
    server.new_visitor().vote(managed.poll.id, "Lake")
    refused = chair.send(early, "/edit", candidates=["A", "B"])
    assert refused.status_code == 409
    assert "cannot change" in text_in(refused.text)
    form = chair.look(f"{at}/edit")
    assert not {"candidates", "protection"} & forms_in(form)[0].fields.keys()
    assert "1 person has voted, so the options" in text_in(form.text)
    assert chair.send(form, "/edit", title="Where, then?").status_code == 303
    poll = server.polls.context.get_poll(managed.poll.id)
    assert (poll.title, poll.candidates) == ("Where, then?", list(OPTIONS))


def test_edit_errors_are_shown_beside_their_fields(at: str, chair: Visitor) -> None:
    form = chair.look(f"{at}/edit")
    typed = {"title": "", "closing": "at", "expires_at": "2001-01-01T10:00"}
    answer = chair.send(form, "/edit", **typed, candidates=["A", "a"])
    assert answer.status_code == 422
    assert set(faults_in(answer)) == {"title", "candidates-1", "expires_at"}


# Clocks in Berlin show 02:30 twice that night; the form cannot say which of them it was.
@pytest.mark.parametrize("hour", [0, 1])
def test_editing_the_title_keeps_the_closing_time(
    server: Server, chair: Visitor, hour: int
) -> None:
    chair.browser.cookies.set("zone", "Europe/Berlin")
    closes = datetime(2027, 10, 31, hour, 30, 15, tzinfo=UTC)
    managed = server.poll(PollDraft("Where to?", OPTIONS, expires_at=closes))
    at = f"/polls/p/{managed.poll.id}/manage"
    chair.look(f"{at}?key={managed.admin_key}")
    chair.follow(chair.send(chair.look(f"{at}/edit"), "/edit", title="When?"))
    poll = server.polls.context.get_poll(managed.poll.id)
    assert (poll.title, poll.expires_at) == ("When?", closes)


# An organizer confirms what they saw, so nothing is done to a poll that has changed since.
@pytest.mark.parametrize("page", ["edit", "close", "delete", "reopen"])
def test_revision_conflict_is_shown_and_nothing_is_overwritten(
    managed: ManagedPoll, at: str, server: Server, chair: Visitor, page: str
) -> None:
    if page == "reopen":
        server.polls.lifecycle.close(managed.poll.id, managed.admin_key)
    form = chair.look(f"{at}/{page}")
    server.polls.lifecycle.edit(
        managed.poll.id, managed.admin_key, lambda draft: replace(draft, description="other")
    )
    before = server.polls.context.get_poll(managed.poll.id)
    typed = {"title": "Kept"} if page == "edit" else {}
    answer = chair.send(form, f"/{page}", **typed)
    assert answer.status_code == 412
    assert "changed" in text_in(answer.text)
    assert server.polls.context.get_poll(managed.poll.id) == before
    again = chair.send(answer, f"/{page}")
    assert again.status_code == 303
    if page == "edit":
        assert server.polls.context.get_poll(managed.poll.id).title == "Kept"


def test_poll_is_closed_and_reopened(
    managed: ManagedPoll, at: str, server: Server, chair: Visitor
) -> None:
    assert "No one can vote" in text_in(chair.look(f"{at}/close").text)
    closed = chair.follow(chair.send(chair.look(f"{at}/close"), "/close"))
    assert "The poll is closed." in closed.text
    assert "Reopen…" in text_in(closed.text)
    assert chair.look(f"{at}/close").status_code == 303
    # Editing words leaves it closed.
    assert "closing" not in forms_in(chair.look(f"{at}/edit"))[0].fields
    assert chair.send(chair.look(f"{at}/edit"), "/edit", title="Words").status_code == 303
    assert server.polls.context.get_poll(managed.poll.id).closed
    form = chair.look(f"{at}/reopen")
    wrong = chair.send(form, "/reopen", closing="at", expires_at="2001-01-01T10:00")
    assert "in the past" in faults_in(wrong)["expires_at"]
    assert faults_in(chair.send(form, "/reopen", closing="at")).keys() == {"expires_at"}
    assert chair.send(form, "/reopen", closing="never").status_code == 303
    assert server.new_visitor().vote(managed.poll.id, "Lake").status_code == 303


def test_delete_confirmation_says_the_number_of_votes(
    managed: ManagedPoll, at: str, server: Server, chair: Visitor
) -> None:
    for _ in range(2):
        server.new_visitor().vote(managed.poll.id, "Lake")
    asked = chair.look(f"{at}/delete")
    assert "This deletes “Where to?” and its 2 votes" in text_in(asked.text)
    answer = chair.send(asked, "/delete")
    assert answer.headers["location"] == "/polls/mine"
    assert chair.look(at).status_code == 404


def test_recount_page_shows_matching_results(
    managed: ManagedPoll, at: str, server: Server, chair: Visitor
) -> None:
    server.new_visitor().vote(managed.poll.id, "Lake")
    assert "The results are correct" in text_in(chair.look(f"{at}/recount").text)
    overview = text_in(chair.look(at).text)
    assert "Votes 1" in overview


def test_my_polls_are_paginated_with_their_votes(server: Server, ada: Visitor) -> None:
    assert "No polls yet" in text_in(ada.look("/polls/mine").text)
    made: list[httpx2.Response] = []
    for number in range(12):
        server.wait(seconds=1)
        page = ada.look("/polls/new")
        made.append(ada.send(page, "/new", title=f"Poll {number}.", candidates=["A", "B"]))
    server.new_visitor().vote(id_in(made[-1]), "A")
    first = ada.look("/polls/mine")
    assert "Poll 11. 1 vote · 2 options · open until you close it" in text_in(first.text)
    assert first.text.count("poll-item") == 10
    following = first.text.partition('rel="next"')[0].rpartition('href="')[2].partition('"')[0]
    assert ada.look(following.replace("&amp;", "&")).text.count("poll-item") == 2
    assert server.new_visitor().look("/polls/mine").text.count("poll-item") == 0


def test_invalid_cursor_is_rejected(server: Server, ada: Visitor) -> None:
    ada.send(ada.look("/polls/new"), "/new", title="T", candidates=["A", "B"])
    answer = ada.look("/polls/mine?cursor=nowhere")
    assert answer.status_code == 400
    assert "Go home" in text_in(answer.text)


# A server that stops in the middle leaves votes behind; who sends the form again deletes them.
def test_interrupted_deletion_can_be_finished(
    server: Server, managed: ManagedPoll, at: str, chair: Visitor
) -> None:
    server.new_visitor().vote(managed.poll.id, "Lake")
    form = chair.look(f"{at}/delete")
    store = server.polls.context.store
    store.update(Poll.key(managed.poll.id), Poll.deleted.set(True), Poll.closed.set(True))
    assert chair.look(at).status_code == 404
    assert server.new_visitor().post(f"{at}/delete", {}).status_code == 403
    assert chair.send(form, "/delete").status_code == 303
    assert list(store.query(Vote.key.partition(managed.poll.id))) == []
    assert chair.send(form, "/delete").status_code == 404
