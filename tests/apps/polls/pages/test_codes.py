"""Pages of voting codes: issue, list, print, vote once, and rate-limit guesses."""

from __future__ import annotations

import csv
import html
import io
import re

import pytest

from singletable_apps.polls.api import Limits
from singletable_apps.polls.entities import Protection, ResultsVisibility
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import ManagedPoll
from singletable_apps.shared.web import RateLimit
from tests.apps.polls.pages.client import HOME, Server, Visitor, faults_in
from tests.apps.support.html import text_in

DRAFT = PollDraft(
    "Room?", ("Aurora", "Kepler"), protection=Protection.CODES, results=ResultsVisibility.ALWAYS
)
WRONG = "0000-0000-0000"


@pytest.fixture
def managed(server: Server) -> ManagedPoll:
    return server.poll(DRAFT, codes=3)


@pytest.fixture
def chair(managed: ManagedPoll, ada: Visitor) -> Visitor:
    """Who has the admin link."""
    ada.look(f"/polls/p/{managed.poll.id}/manage?key={managed.admin_key}")
    return ada


def code(managed: ManagedPoll, server: Server, number: int = 0) -> str:
    return server.polls.context.secret.voting_code(managed.poll.id, number)


def test_code_link_fills_in_the_code(managed: ManagedPoll, server: Server, ada: Visitor) -> None:
    page = ada.look(f"/polls/p/{managed.poll.id}?code={code(managed, server)}")
    assert f'name="code" form="ballot" value="{code(managed, server)}"' in page.text
    assert "One vote per voting code" in text_in(page.text)


def test_code_is_one_vote_in_any_spelling(
    managed: ManagedPoll, server: Server, ada: Visitor
) -> None:
    typed = code(managed, server).lower().replace("-", " ").replace("0", "o")
    assert ada.vote(managed.poll.id, "Aurora", code=typed).status_code == 303
    back = ada.look(f"/polls/p/{managed.poll.id}?code={code(managed, server)}")
    assert "You have voted" in text_in(back.text)
    assert ada.vote(managed.poll.id, "Kepler", code=code(managed, server)).status_code == 303
    assert server.polls.tallies.get(managed.poll).counts == {"1": 1}


# The organizer knows every code, but must not learn or change how it voted.
def test_organizer_cannot_read_or_change_a_vote_cast_with_a_code(
    managed: ManagedPoll, server: Server, ada: Visitor
) -> None:
    ada.vote(managed.poll.id, "Aurora", code=code(managed, server))
    organizer = server.new_visitor()
    organizer.look(f"/polls/p/{managed.poll.id}/manage?key={managed.admin_key}")
    for query in ("", "&change=yes"):
        page = organizer.look(f"/polls/p/{managed.poll.id}?code={code(managed, server)}{query}")
        assert page.status_code == 200
        assert "This code has already been used" in text_in(page.text)
        assert "Aurora" not in page.text
        assert organizer.look(f"/polls/p/{managed.poll.id}/voted").status_code == 303
    for ranked in ("Aurora", "Kepler"):
        form = {"code": code(managed, server), "title": "Room?", "key": "f" * 32, "sure": "yes"}
        ranks = {"rank.Aurora": "", "rank.Kepler": "", f"rank.{ranked}": "1"}
        # The same answer for a right guess of the ranking as for a wrong one.
        answer = organizer.post(f"/polls/p/{managed.poll.id}", {**form, **ranks})
        assert answer.status_code == 409
        assert "This code has already been used" in text_in(answer.text)
    assert server.polls.tallies.get(managed.poll).counts == {"0": 1}


def test_voter_changes_a_vote_cast_with_a_code_in_the_same_browser(
    managed: ManagedPoll, server: Server, ada: Visitor
) -> None:
    old_tab = ada.look(f"/polls/p/{managed.poll.id}?code={code(managed, server)}")
    ada.vote(managed.poll.id, "Aurora", code=code(managed, server))
    # With or without the code in the URL, and from a ballot that was opened before.
    for query in ("", f"&code={code(managed, server)}"):
        ballot = ada.look(f"/polls/p/{managed.poll.id}?change=yes{query}")
        assert 'name="rank.Aurora" value="1"' in ballot.text
    assert ada.vote(managed.poll.id, "Kepler").status_code == 303
    ranks = {"rank.Aurora": "1", "rank.Kepler": "2"}
    assert ada.send(old_tab, managed.poll.id, **ranks, sure="yes").status_code == 303
    assert server.polls.tallies.get(managed.poll).counts == {"0 1": 1}


# The code alone is not enough: the organizer knows it.
def test_private_link_opens_the_vote_on_another_device(
    managed: ManagedPoll, server: Server, ada: Visitor
) -> None:
    ada.vote(managed.poll.id, "Aurora", code=code(managed, server))
    page = ada.look(f"/polls/p/{managed.poll.id}/voted").text
    [link] = re.findall(rf"{HOME}(/polls/p/{managed.poll.id}/receipt[^<\"\s]+)", page)
    link = html.unescape(link)
    phone = server.new_visitor()
    opened = phone.look(link)
    assert (opened.status_code, opened.headers["cache-control"]) == (303, "no-store")
    shown = phone.look(opened.headers["location"]).text
    assert "You have voted" in text_in(shown)
    assert "If you didn’t cast it" in shown
    assert phone.vote(managed.poll.id, "Kepler").status_code == 303
    assert server.polls.tallies.get(managed.poll).counts == {"1": 1}


def test_private_link_needs_the_secret_of_the_vote(
    managed: ManagedPoll, server: Server, ada: Visitor
) -> None:
    ada.vote(managed.poll.id, "Aurora", code=code(managed, server))
    start = f"/polls/p/{managed.poll.id}/receipt?proof={'f' * 32}&code="
    refused = server.new_visitor().look(start + code(managed, server))
    assert (refused.status_code, "Aurora" in refused.text) == (403, False)
    for unused in (code(managed, server, 1), WRONG, ""):
        assert server.new_visitor().look(start + unused).status_code == 303


@pytest.mark.parametrize(
    ("typed", "words"), [("", "Enter your voting code"), (WRONG, f"'{WRONG}' is not a voting code")]
)
def test_invalid_code_is_reported_beside_its_field(
    managed: ManagedPoll, server: Server, ada: Visitor, typed: str, words: str
) -> None:
    for number in (3, 9_999):
        assert faults_in(ada.rank(managed.poll.id, code(managed, server, number), Aurora="1"))
    answer = ada.rank(managed.poll.id, typed, Aurora="1")
    assert answer.status_code == 422
    assert words in faults_in(answer)["code"]
    assert 'name="rank.Aurora" value="1"' in answer.text
    assert server.votes(managed) == 0


# The next person at the same screen must not see what the one before has voted.
def test_another_code_can_vote_in_the_same_browser(
    managed: ManagedPoll, server: Server, ada: Visitor
) -> None:
    thanks = ada.follow(ada.vote(managed.poll.id, "Aurora", code=code(managed, server)))
    assert "1. Aurora" in text_in(ada.look(f"/polls/p/{managed.poll.id}").text)
    paper = ada.follow(ada.send(thanks, "/next"))
    assert "1. Aurora" not in text_in(paper.text)
    ada.vote(managed.poll.id, "Kepler", code=code(managed, server, 1))
    assert server.polls.tallies.get(managed.poll).counts == {"0": 1, "1": 1}


# Such a browser is not known again on another page, so it is thanked on this one.
def test_vote_with_a_code_needs_no_cookies(
    managed: ManagedPoll, server: Server, ada: Visitor
) -> None:
    review = ada.rank(managed.poll.id, code(managed, server), Kepler="1")
    for _ in range(2):
        ada.browser.cookies.clear()
        thanks = ada.send(review, managed.poll.id, sure="yes")
        assert thanks.status_code == 200
        assert "Thanks, your vote was counted" in text_in(thanks.text)
    assert server.polls.tallies.get(managed.poll).counts == {"1": 1}


# A valid code is limited too, or trying all codes would reveal which is valid.
def test_guessing_codes_is_rate_limited() -> None:
    guessing = Server(Limits(None, None, RateLimit("guess", 2, 60)))
    managed = guessing.poll(DRAFT, codes=1)
    thief = guessing.new_visitor()
    right = code(managed, guessing)
    for typed in (right, WRONG, WRONG):
        assert thief.look(f"/polls/p/{managed.poll.id}?code={typed}").status_code == 200
    for typed in (WRONG, right):
        assert thief.look(f"/polls/p/{managed.poll.id}?code={typed}").status_code == 429
    sent = {"code": right, "title": "Room?", "rank.Aurora": "1", "rank.Kepler": "", "sure": "yes"}
    assert thief.post(f"/polls/p/{managed.poll.id}", dict(sent)).status_code == 429
    assert guessing.votes(managed) == 0


def test_issued_codes_are_listed_with_their_use(
    managed: ManagedPoll, server: Server, chair: Visitor
) -> None:
    at = f"/polls/p/{managed.poll.id}/manage/codes"
    assert chair.send(chair.look(at), "/codes", count="2").headers["location"] == at
    server.new_visitor().vote(managed.poll.id, "Aurora", code=code(managed, server, 4))
    page = chair.look(at)
    assert page.text.count("Not used") == 4
    assert page.text.count(">Used<") == 1
    links = [
        f'href="{HOME}/polls/p/{managed.poll.id}?code={code(managed, server, n)}"' for n in range(5)
    ]
    assert [link in page.text for link in links] == [True, True, True, True, False]
    assert "1 to 5 of 5" in text_in(page.text)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("", "Please fill this in."),
        ("some", "Enter a whole number."),
        ("0", "Enter 1 or more."),
        ("9998", "A poll can have 10,000 codes"),
    ],
)
def test_invalid_number_of_codes_is_reported(
    managed: ManagedPoll, chair: Visitor, typed: str, words: str
) -> None:
    at = f"/polls/p/{managed.poll.id}/manage/codes"
    answer = chair.send(chair.look(at), "/codes", count=typed)
    assert answer.status_code == 422
    assert words in faults_in(answer)["count"]


def test_form_sent_twice_issues_codes_once(
    managed: ManagedPoll, server: Server, chair: Visitor
) -> None:
    form = chair.look(f"/polls/p/{managed.poll.id}/manage/codes")
    assert chair.send(form, "/codes", count="2").status_code == 303
    again = chair.send(form, "/codes", count="2")
    assert again.status_code == 412
    assert "there are now 5" in text_in(again.text)
    assert server.polls.context.get_poll(managed.poll.id).codes == 5


def test_many_codes_are_paginated(server: Server, ada: Visitor) -> None:
    managed = server.poll(DRAFT, codes=150)
    ada.look(f"/polls/p/{managed.poll.id}/manage?key={managed.admin_key}")
    first = ada.look(f"/polls/p/{managed.poll.id}/manage/codes")
    assert "1 to 100 of 150" in text_in(first.text)
    last = ada.look(f"/polls/p/{managed.poll.id}/manage/codes?from=100")
    assert "101 to 150 of 150" in text_in(last.text)
    assert code(managed, server, 149) in last.text
    assert code(managed, server, 99) not in last.text


def test_cards_show_every_unused_code(managed: ManagedPoll, server: Server, chair: Visitor) -> None:
    server.new_visitor().vote(managed.poll.id, "Aurora", code=code(managed, server))
    sheet = chair.look(f"/polls/p/{managed.poll.id}/manage/codes/sheet")
    assert sheet.text.count('class="card"') == 2
    assert code(managed, server) not in sheet.text
    assert sheet.text.count("<svg") > 2
    assert "style=" not in sheet.text


def test_codes_are_downloaded_as_csv(managed: ManagedPoll, server: Server, chair: Visitor) -> None:
    server.new_visitor().vote(managed.poll.id, "Aurora", code=code(managed, server, 1))
    saved = chair.look(f"/polls/p/{managed.poll.id}/manage/codes.csv")
    assert saved.headers["content-type"].startswith("text/csv")
    rows = list(csv.reader(io.StringIO(saved.content.decode("utf-8-sig"))))
    link = f"{HOME}/polls/p/{managed.poll.id}?code="
    assert rows == [
        ["code", "link", "used"],
        *(
            [code(managed, server, at), link + code(managed, server, at), used]
            for at, used in enumerate(("no", "yes", "no"))
        ),
    ]
    assert (
        server.new_visitor().look(f"/polls/p/{managed.poll.id}/manage/codes.csv").status_code == 403
    )


def test_codes_page_of_a_poll_without_codes(server: Server, ada: Visitor) -> None:
    managed = server.poll()
    ada.look(f"/polls/p/{managed.poll.id}/manage?key={managed.admin_key}")
    page = ada.look(f"/polls/p/{managed.poll.id}/manage/codes")
    assert "This poll doesn’t use voting codes" in text_in(page.text)
