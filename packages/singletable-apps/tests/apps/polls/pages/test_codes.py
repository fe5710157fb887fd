"""Pages of voting codes: issue, list, print, vote once, and rate-limit guesses."""

from __future__ import annotations

import csv
import html
import io
import re

import pytest

from singletable_apps.polls.entities import Protection, ResultsVisibility
from singletable_apps.polls.rules import PollDraft
from singletable_apps.shared.web import RateLimit
from tests.apps.polls.pages.client import HOME, PollPages, Server, Visitor, faults_in
from tests.apps.polls.support.harness import changed
from tests.apps.support.html import text_in

DRAFT = changed(
    PollDraft("Room?", ("Aurora", "Kepler")),
    protection=Protection.CODES,
    results=ResultsVisibility.ALWAYS,
)
WRONG = "0000-0000-0000"


@pytest.fixture
def poll(server: Server) -> PollPages:
    return server.poll(DRAFT, codes=3)


def test_code_link_fills_in_the_code(poll: PollPages, ada: Visitor) -> None:
    page = ada.get(f"{poll.at}?code={poll.code()}")
    assert f'name="code" form="ballot" value="{poll.code()}"' in page.text
    assert "One vote per voting code" in text_in(page.text)


# The rule: service/test_voting.py.
def test_organizer_cannot_read_or_change_a_vote_cast_with_a_code(
    poll: PollPages, ada: Visitor
) -> None:
    ada.vote(poll.id, "Aurora", code=poll.code())
    organizer = poll.organizer()
    form = {"code": poll.code(), "title": "Room?", "key": "f" * 32, "sure": "yes"}
    ranks = {"rank.Aurora": "1", "rank.Kepler": ""}
    for page, status in (
        (organizer.get(f"{poll.at}?code={poll.code()}&change=yes"), 200),
        (organizer.post(poll.at, {**form, **ranks}), 409),
    ):
        assert page.status_code == status
        assert "This code has already been used" in text_in(page.text)
        assert "Aurora" not in page.text
    assert organizer.get(f"{poll.at}/voted").status_code == 303


def test_voter_changes_a_vote_cast_with_a_code_in_the_same_browser(
    poll: PollPages, ada: Visitor
) -> None:
    old_tab = ada.get(f"{poll.at}?code={poll.code()}")
    typed = poll.code().lower().replace("-", " ").replace("0", "o")
    assert ada.vote(poll.id, "Aurora", code=typed).status_code == 303
    # With or without the code in the URL, and from a ballot that was opened before.
    for query in ("", f"&code={poll.code()}"):
        ballot = ada.get(f"{poll.at}?change=yes{query}")
        assert 'name="rank.Aurora" value="1"' in ballot.text
    assert ada.vote(poll.id, "Kepler").status_code == 303
    ranks = {"rank.Aurora": "1", "rank.Kepler": "2"}
    assert ada.send(old_tab, poll.id, **ranks, sure="yes").status_code == 303
    assert poll.counts == {"0 1": 1}


# The code alone is not enough: the organizer knows it.
def test_private_link_opens_the_vote_on_another_device(
    poll: PollPages, server: Server, ada: Visitor
) -> None:
    ada.vote(poll.id, "Aurora", code=poll.code())
    page = ada.get(f"{poll.at}/voted").text
    [link] = re.findall(rf"{HOME}({poll.at}/receipt[^<\"\s]+)", page)
    link = html.unescape(link)
    phone = server.new_visitor()
    opened = phone.get(link)
    assert (opened.status_code, opened.headers["cache-control"]) == (303, "no-store")
    shown = phone.get(opened.headers["location"]).text
    assert "You have voted" in text_in(shown)
    assert "If you didn’t cast it" in shown
    assert phone.vote(poll.id, "Kepler").status_code == 303
    assert poll.counts == {"1": 1}


def test_private_link_needs_the_secret_of_the_vote(
    poll: PollPages, server: Server, ada: Visitor
) -> None:
    ada.vote(poll.id, "Aurora", code=poll.code())
    start = f"{poll.at}/receipt?proof={'f' * 32}&code="
    refused = server.new_visitor().get(start + poll.code())
    assert (refused.status_code, "Aurora" in refused.text) == (403, False)
    for unused in (poll.code(1), WRONG, ""):
        assert server.new_visitor().get(start + unused).status_code == 303


@pytest.mark.parametrize(
    ("typed", "words"), [("", "Enter your voting code"), (WRONG, f"“{WRONG}” is not a voting code")]
)
def test_invalid_code_is_reported_beside_its_field(
    poll: PollPages, ada: Visitor, typed: str, words: str
) -> None:
    for number in (3, 9_999):
        assert faults_in(ada.rank(poll.id, poll.code(number), Aurora="1"))
    answer = ada.rank(poll.id, typed, Aurora="1")
    assert answer.status_code == 422
    assert words in faults_in(answer)["code"]
    assert 'name="rank.Aurora" value="1"' in answer.text
    assert poll.votes == 0


def test_edit_offers_no_earlier_results_of_votes_with_codes(poll: PollPages, ada: Visitor) -> None:
    ada.vote(poll.id, "Aurora", code=poll.code())
    organizer = poll.organizer()
    page = organizer.get(f"{poll.at}/manage/edit")
    assert "only you can see them" not in page.text
    saved = organizer.send(page, "/edit", title="Which room?")
    assert "Which room?" in organizer.follow(saved).text


# The next person at the same screen must not see the vote of the one before.
def test_another_code_can_vote_in_the_same_browser(poll: PollPages, ada: Visitor) -> None:
    thanks = ada.follow(ada.vote(poll.id, "Aurora", code=poll.code()))
    assert "1. Aurora" in text_in(ada.get(poll.at).text)
    ballot = ada.follow(ada.send(thanks, "/next"))
    assert "1. Aurora" not in text_in(ballot.text)
    ada.vote(poll.id, "Kepler", code=poll.code(1))
    assert poll.counts == {"0": 1, "1": 1}


# Without a cookie the next page would not know the voter, so the form is answered with thanks.
def test_vote_with_a_code_needs_no_cookies(poll: PollPages, ada: Visitor) -> None:
    review = ada.rank(poll.id, poll.code(), Kepler="1")
    for _ in range(2):
        ada.browser.cookies.clear()
        thanks = ada.send(review, poll.id, sure="yes")
        assert thanks.status_code == 200
        assert "Thanks, your vote was counted" in text_in(thanks.text)
    assert poll.counts == {"1": 1}


# A valid code is limited too, or trying all codes would reveal which is valid.
def test_guessing_codes_is_rate_limited() -> None:
    guessing = Server({"guess": RateLimit("guess", 2, 60)})
    poll = guessing.poll(DRAFT, codes=1)
    thief = guessing.new_visitor()
    right = poll.code()
    for typed in (right, WRONG, WRONG):
        assert thief.get(f"{poll.at}?code={typed}").status_code == 200
    for typed in (WRONG, right):
        assert thief.get(f"{poll.at}?code={typed}").status_code == 429
    sent = {"code": right, "title": "Room?", "rank.Aurora": "1", "rank.Kepler": "", "sure": "yes"}
    assert thief.post(poll.at, dict(sent)).status_code == 429
    assert poll.votes == 0


def test_issued_codes_are_listed_with_their_use(poll: PollPages, ada: Visitor) -> None:
    chair, at = poll.organizer(), f"{poll.at}/manage/codes"
    form = chair.get(at)
    assert chair.send(form, "/codes", count="2").headers["location"] == at
    ada.vote(poll.id, "Aurora", code=poll.code(4))
    page = chair.get(at)
    assert page.text.count("Not used") == 4
    assert page.text.count(">Used<") == 1
    links = [f'href="{HOME}/polls/{poll.id}?code={poll.code(n)}"' for n in range(5)]
    assert [link in page.text for link in links] == [True, True, True, True, False]
    assert "1 to 5 of 5" in text_in(page.text)
    again = chair.send(form, "/codes", count="2")
    assert again.status_code == 412
    assert "there are now 5" in text_in(again.text)
    assert poll.stored.codes == 5


def test_invalid_number_of_codes_is_reported(poll: PollPages) -> None:
    chair = poll.organizer()
    form = chair.get(f"{poll.at}/manage/codes")
    for typed, words in (("some", "Enter a whole number."), ("9998", "can have 10,000 codes")):
        answer = chair.send(form, "/codes", count=typed)
        assert answer.status_code == 422
        assert words in faults_in(answer)["count"]


def test_many_codes_are_paginated(server: Server) -> None:
    poll = server.poll(DRAFT, codes=150)
    chair = poll.organizer()
    assert "1 to 100 of 150" in text_in(chair.get(f"{poll.at}/manage/codes").text)
    last = chair.get(f"{poll.at}/manage/codes?from=100")
    assert "101 to 150 of 150" in text_in(last.text)
    assert poll.code(149) in last.text
    assert poll.code(99) not in last.text


def test_cards_show_every_unused_code(poll: PollPages, ada: Visitor) -> None:
    ada.vote(poll.id, "Aurora", code=poll.code())
    cards = poll.organizer().get(f"{poll.at}/manage/codes/sheet")
    assert cards.text.count('class="card"') == 2
    assert "2 unused codes" in text_in(cards.text)
    assert "of 3" not in text_in(cards.text)
    assert poll.code() not in cards.text
    assert cards.text.count("<svg") > 2
    assert "style=" not in cards.text


def test_codes_are_downloaded_as_csv(poll: PollPages, ada: Visitor) -> None:
    ada.vote(poll.id, "Aurora", code=poll.code(1))
    saved = poll.organizer().get(f"{poll.at}/manage/codes.csv")
    assert saved.headers["content-type"].startswith("text/csv")
    rows = list(csv.reader(io.StringIO(saved.content.decode("utf-8-sig"))))
    link = f"{HOME}/polls/{poll.id}?code="
    uses = enumerate(("no", "yes", "no"))
    issued = [[poll.code(at), link + poll.code(at), used] for at, used in uses]
    assert rows == [["code", "link", "used"], *issued]


def test_codes_page_of_a_poll_without_codes(server: Server) -> None:
    poll = server.poll()
    page = poll.organizer().get(f"{poll.at}/manage/codes")
    assert "This poll doesn’t use voting codes" in text_in(page.text)
