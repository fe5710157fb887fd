"""The organizer edits, closes, reopens and deletes a poll; no one else can."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import httpx2
import pytest

from singletable_apps.polls.entities import Poll, PollKind, Protection, Vote
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import Voter
from tests.apps.polls.pages.client import (
    HOME,
    OPTIONS,
    PollPages,
    Server,
    Visitor,
    faults_in,
    id_in,
)
from tests.apps.polls.support.harness import SECRET, changed
from tests.apps.support.elections.scenario import make_image
from tests.apps.support.html import forms_in, text_in


@pytest.fixture
def poll(server: Server) -> PollPages:
    return server.poll(PollDraft("Where to?", OPTIONS, expires_at=server.now + timedelta(days=1)))


@pytest.fixture
def at(poll: PollPages) -> str:
    return f"{poll.at}/manage"


@pytest.fixture
def chair(poll: PollPages) -> Visitor:
    return poll.organizer()


def test_admin_link_redirects_without_its_key(poll: PollPages, at: str, ada: Visitor) -> None:
    answer = ada.get(f"{at}?key={poll.key.lower()}")
    assert (answer.status_code, answer.headers["location"]) == (303, at)
    cookie = answer.headers["set-cookie"]
    assert f"Path={poll.at};" in cookie
    assert "HttpOnly" in cookie
    page = ada.follow(answer)
    assert page.status_code == 200
    assert f"{HOME}{at}?key={poll.key}" in page.text


# That all pages ask for it: test_access.py.
def test_manage_pages_ask_for_the_admin_link(poll: PollPages, at: str, ada: Visitor) -> None:
    answer = ada.get(f"{at}/edit")
    assert answer.status_code == 403
    assert "You got the admin link" in text_in(answer.text)
    assert poll.key not in answer.text
    wrong = ada.get(f"{at}?key=nothing-of-the-kind")
    assert wrong.status_code == 403
    assert "This admin key does not belong to this poll" in text_in(wrong.text)


def test_creating_browser_needs_no_admin_link(server: Server, ada: Visitor) -> None:
    made = ada.send(ada.get("/polls/new"), "/new", title="T", candidates=["A", "B"])
    assert ada.get(f"/polls/p/{id_in(made)}/manage").status_code == 200
    assert f"/polls/p/{id_in(made)}/manage" in ada.get("/polls/mine").text
    assert f"/polls/p/{id_in(made)}/manage" in ada.get("/polls").text
    assert server.new_visitor().get(f"/polls/p/{id_in(made)}/manage").status_code == 403


def test_everything_can_be_edited_before_the_first_vote(
    poll: PollPages, at: str, chair: Visitor
) -> None:
    typed = {"title": "When?", "protection": "open", "results": "after-voting", "closing": "never"}
    form = chair.get(f"{at}/edit")
    answer = chair.send(form, "/edit", **typed, candidates=["Mon", "Tue"], changeable=None)
    assert answer.headers["location"] == at
    now = poll.stored
    assert (now.title, now.candidates, now.expires_at) == ("When?", ["Mon", "Tue"], None)
    assert (now.settings.protection, now.settings.changeable) == (Protection.OPEN, False)


def test_unchanged_form_changes_nothing(server: Server) -> None:
    # A closing time to the second is not cut to the minute.
    ends = server.now + timedelta(hours=1, seconds=7, microseconds=5)
    poll = server.poll(changed(PollDraft("T", OPTIONS, "two\n\nlines", ends), changeable=False))
    before, chair = poll.stored, poll.organizer()
    chair.browser.cookies.set("zone", "Europe/Berlin")
    assert chair.send(chair.get(f"{poll.at}/manage/edit"), "/edit").status_code == 303
    assert poll.stored == before


def test_options_are_fixed_after_the_first_vote(
    poll: PollPages, at: str, ada: Visitor, chair: Visitor
) -> None:
    early = chair.get(f"{at}/edit")
    ada.vote(poll.id, "Lake")
    refused = chair.send(early, "/edit", candidates=["A", "B"])
    assert refused.status_code == 409
    assert "cannot change" in text_in(refused.text)
    form = chair.get(f"{at}/edit")
    assert not {"candidates", "protection"} & forms_in(form)[0].fields.keys()
    assert "1 person has voted, so the options" in text_in(form.text)
    assert chair.send(form, "/edit", title="Where, then?").status_code == 303
    assert (poll.stored.title, poll.stored.candidates) == ("Where, then?", list(OPTIONS))


# Clocks in Berlin show 02:30 twice that night; the form cannot say which of them it was.
@pytest.mark.parametrize("hour", [0, 1])
def test_editing_the_title_keeps_the_closing_time(server: Server, hour: int) -> None:
    closes = datetime(2027, 10, 31, hour, 30, 15, tzinfo=UTC)
    poll = server.poll(PollDraft("Where to?", OPTIONS, expires_at=closes))
    chair = poll.organizer()
    chair.browser.cookies.set("zone", "Europe/Berlin")
    chair.follow(chair.send(chair.get(f"{poll.at}/manage/edit"), "/edit", title="When?"))
    assert (poll.stored.title, poll.stored.expires_at) == ("When?", closes)


# An organizer confirms what they saw, so nothing is done to a poll that has changed since.
@pytest.mark.parametrize("page", ["edit", "close", "delete", "reopen"])
def test_revision_conflict_is_shown_and_nothing_is_overwritten(
    poll: PollPages, at: str, chair: Visitor, page: str
) -> None:
    if page == "reopen":
        poll.close()
    form = chair.get(f"{at}/{page}")
    poll.edit(description="other")
    before = poll.stored
    typed = {"title": "Kept"} if page == "edit" else {}
    answer = chair.send(form, f"/{page}", **typed)
    assert answer.status_code == 412
    assert "changed" in text_in(answer.text)
    assert poll.stored == before
    again = chair.send(answer, f"/{page}")
    assert again.status_code == 303
    if page == "edit":
        assert poll.stored.title == "Kept"


def test_poll_is_closed_and_reopened(poll: PollPages, at: str, chair: Visitor) -> None:
    assert "No one can vote" in text_in(chair.get(f"{at}/close").text)
    closed = chair.follow(chair.send(chair.get(f"{at}/close"), "/close"))
    assert "The poll is closed." in closed.text
    assert "Reopen…" in text_in(closed.text)
    assert chair.get(f"{at}/close").status_code == 303
    # Editing the text leaves it closed.
    assert "closing" not in forms_in(chair.get(f"{at}/edit"))[0].fields
    assert chair.send(chair.get(f"{at}/edit"), "/edit", title="Words").status_code == 303
    assert poll.stored.closed
    form = chair.get(f"{at}/reopen")
    wrong = chair.send(form, "/reopen", closing="at", expires_at="2001-01-01T10:00")
    assert "in the past" in faults_in(wrong)["expires_at"]
    assert faults_in(chair.send(form, "/reopen", closing="at")).keys() == {"expires_at"}
    assert chair.send(form, "/reopen", closing="never").status_code == 303
    assert chair.vote(poll.id, "Lake").status_code == 303


def test_delete_confirmation_says_the_number_of_votes(
    poll: PollPages, at: str, server: Server, chair: Visitor
) -> None:
    for _ in range(2):
        server.new_visitor().vote(poll.id, "Lake")
    asked = chair.get(f"{at}/delete")
    assert "This deletes “Where to?” and its 2 votes" in text_in(asked.text)
    answer = chair.send(asked, "/delete")
    assert answer.headers["location"] == "/polls/mine"
    assert chair.get(at).status_code == 404


def test_my_polls_are_paginated_with_their_votes(server: Server, ada: Visitor) -> None:
    assert "No polls yet" in text_in(ada.get("/polls/mine").text)
    made: list[httpx2.Response] = []
    for number in range(12):
        server.wait(seconds=1)
        page = ada.get("/polls/new")
        made.append(ada.send(page, "/new", title=f"Poll {number}.", candidates=["A", "B"]))
    server.new_visitor().vote(id_in(made[-1]), "A")
    first = ada.get("/polls/mine")
    assert "Poll 11. 1 vote · 2 options · open until you close it" in text_in(first.text)
    assert first.text.count("poll-item") == 10
    following = first.text.partition('rel="next"')[0].rpartition('href="')[2].partition('"')[0]
    assert ada.get(following.replace("&amp;", "&")).text.count("poll-item") == 2
    assert server.new_visitor().get("/polls/mine").text.count("poll-item") == 0


# A server that stopped in the middle left votes behind; the form can be sent again.
def test_interrupted_deletion_can_be_finished(
    server: Server, poll: PollPages, at: str, chair: Visitor
) -> None:
    chair.vote(poll.id, "Lake")
    form = chair.get(f"{at}/delete")
    store = server.polls.context.store
    store.update(Poll.key(poll.id), Poll.deleted.set(True), Poll.closed.set(True))
    assert chair.get(at).status_code == 404
    assert chair.send(form, "/delete").status_code == 303
    assert list(store.query(Vote.key.partition(poll.id))) == []
    assert chair.send(form, "/delete").status_code == 404


@pytest.mark.parametrize("kind", [PollKind.RANK, PollKind.ONE])
def test_picture_of_an_option_is_on_the_ballot_and_in_the_results_until_it_is_removed(
    server: Server, kind: PollKind
) -> None:
    poll = server.poll(changed(PollDraft("Where to?", OPTIONS), kind=kind))
    chair, form = poll.organizer(), f"{poll.at}/manage/picture?option=Lake"
    assert "Add a picture" in chair.get(f"{poll.at}/manage/edit").text
    chair.post(form, {"alt": " A  lake "}, picture=make_image())
    server.polls.voting.cast(poll.id, ["Lake"], Voter("ben"))
    [picture] = server.polls.context.urls.pictures(poll.stored).values()
    assert picture[1] == "A lake"
    assert chair.get(picture[0]).headers["content-type"] == "image/webp"
    for page in (poll.at, f"{poll.at}/results", f"{poll.at}/manage/edit"):
        assert f'src="{picture[0]}" alt="A lake"' in chair.get(page).text
    copy = chair.send(chair.get(f"/polls/new?from={poll.id}"), "/new", candidates=["Lake", "Sea"])
    [copied] = server.polls.context.urls.pictures(
        server.polls.context.get_poll(id_in(copy))
    ).values()
    assert (chair.get(copied[0]).content, copied[1]) == (chair.get(picture[0]).content, "A lake")
    assert faults_in(chair.post(form, {}, picture=b"GIF89a")).keys() == {"picture"}
    chair.post(form, {"remove_picture": "on"})
    assert not server.polls.context.urls.pictures(poll.stored)
    assert chair.get(picture[0]).status_code == 404
    assert chair.get(f"{poll.at}/manage/picture?option=Sea").status_code == 303


def test_address_for_notices_is_confirmed_on_the_page_of_its_link(
    server: Server, ada: Visitor
) -> None:
    managed = server.polls.lifecycle.create(PollDraft("Q", OPTIONS), email="ada@example.org")
    token = SECRET.email_token(managed.poll.id, "ada@example.org")
    at = f"/polls/p/{managed.poll.id}/notices"
    assert ada.get(f"{at}?token={token[:-1]}").status_code == 404
    assert ada.send(ada.get(f"{at}?token={token}"), token).status_code == 303
    assert server.polls.context.get_poll(managed.poll.id).confirmed


# The new address has to be confirmed, too, and the link to the old one stops working.
def test_address_for_notices_can_be_changed_and_removed(
    poll: PollPages, at: str, chair: Visitor, server: Server
) -> None:
    wrong = chair.send(chair.get(f"{at}/edit"), "/edit", email="two@x.example, b@x.example")
    assert faults_in(wrong)["email"] == "Enter one address such as ada@example.org."
    for address in ("ada@example.org", "bob@example.org"):
        assert chair.send(chair.get(f"{at}/edit"), "/edit", email=address).status_code == 303
        assert (poll.stored.email, poll.stored.confirmed) == (address, False)
        token = SECRET.email_token(poll.id, address)
        server.polls.notices.confirm(poll.stored, token)
        assert chair.send(chair.get(f"{at}/edit"), "/edit", title="When?").status_code == 303
        assert poll.stored.confirmed
    assert (
        chair.get(
            f"{poll.at}/notices?token={SECRET.email_token(poll.id, 'ada@example.org')}"
        ).status_code
        == 404
    )
    chair.send(chair.get(f"{at}/edit"), "/edit", email="")
    assert poll.stored.email is None
