"""The ballot page: rank, review, cast once, and change the vote if allowed."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from html import unescape

import pytest

from singletable_apps.polls.entities import Protection, ResultsVisibility
from singletable_apps.polls.rules import PollDraft
from tests.apps.polls.pages.client import (
    OPTIONS,
    PollPages,
    Server,
    Visitor,
    faults_in,
    filled,
    ranks,
)
from tests.apps.polls.support.harness import changed
from tests.apps.support.html import forms_in, text_in

DRAFT = PollDraft("Where to?", OPTIONS, "Bring a coat.")


@pytest.fixture
def poll(server: Server) -> PollPages:
    return server.poll(replace(DRAFT, expires_at=server.now + timedelta(days=1)))


def test_ballot_page_describes_the_poll(poll: PollPages, ada: Visitor) -> None:
    page = ada.get(poll.at)
    words = text_in(page.text)
    for shown in (
        "Where to?",
        "Bring a coat.",
        "16 November 2026, 12:00 UTC",
        "Anyone with the link, at any time.",
        "One vote per browser",
        "You can change your vote until the poll closes.",
        "Use each number once",
    ):
        assert shown in words
    ranked = [name for name in forms_in(page)[0].fields if name.startswith("rank.")]
    assert ranked == [f"rank.{name}" for name in OPTIONS], "in the order of the poll"
    # The script, too, asks for at least one rank, and for each rank once.
    for setting in ('"allowTies": false', '"allowBlank": false'):
        assert setting in unescape(page.text)


def test_vote_is_reviewed_before_it_is_cast(poll: PollPages, ada: Visitor) -> None:
    review = ada.rank(poll.id, Museum="4", Castle="9")
    assert "Submit this vote? 1. Museum 2. Castle Not ranked: Lake." in text_in(review.text)
    assert poll.votes == 0
    again = ada.send(review, poll.id, change="yes")
    assert forms_in(again)[0].fields["rank.Castle"] == ["2"]
    cast = ada.send(review, poll.id, sure="yes")
    assert cast.headers["location"] == f"{poll.at}/voted"
    thanks = text_in(ada.follow(cast).text)
    assert "Thanks, your vote was counted" in thanks
    assert "1. Museum 2. Castle Not ranked: Lake." in thanks
    assert "See the results" in thanks
    assert poll.counts == {"1 2": 1}


@pytest.mark.parametrize(
    ("typed", "faults"),
    [
        ({"Lake": "1", "Museum": "1"}, {"rank-1": "Rank 1 is used twice", "rank-2": "Rank 1"}),
        (dict.fromkeys(OPTIONS, "2"), dict.fromkeys(("rank-1", "rank-2", "rank-3"), "3 times")),
        ({"Lake": "first", "Castle": "1"}, {"rank-1": "Enter a place"}),
        ({"Lake": "0"}, {"rank-1": "Enter a place"}),
    ],
    ids=["a tie", "all tied", "a word", "zero"],
)
def test_rank_errors_are_shown_beside_the_boxes(
    poll: PollPages, ada: Visitor, typed: dict[str, str], faults: dict[str, str]
) -> None:
    answer = ada.rank(poll.id, **typed)
    assert answer.status_code == 422
    errors = faults_in(answer)
    assert errors.keys() == faults.keys()
    assert all(words in errors[box] for box, words in faults.items())
    kept = forms_in(answer)[0].fields
    assert all(kept[f"rank.{name}"] == [rank] for name, rank in typed.items())
    assert poll.votes == 0


def test_returning_voter_sees_and_changes_the_vote(poll: PollPages, ada: Visitor) -> None:
    ada.vote(poll.id, "Lake")
    back = text_in(ada.get(poll.at).text)
    assert "You have voted" in back
    assert "Change your vote" in back
    change = ada.get(f"{poll.at}?change=yes")
    assert forms_in(change)[0].fields["rank.Lake"] == ["1"]
    ada.vote(poll.id, "Castle", "Museum")
    assert poll.counts == {"2 1": 1}


def test_unchangeable_vote_is_kept(server: Server, ada: Visitor) -> None:
    poll = server.poll(changed(DRAFT, changeable=False))
    ballot = ada.get(poll.at)
    assert "You can’t change your vote afterwards" in text_in(ballot.text)
    cast = filled(forms_in(ballot)[0], {**ranks(Lake="1"), "sure": "yes"})
    # A double click is not an error.
    assert [ada.post(poll.at, cast).status_code for _ in range(2)] == [303] * 2
    other = {**cast, "rank.Lake": "", "rank.Castle": "1"}
    for sent in (other, {**other, "sure": ""}):
        refused = ada.post(poll.at, sent)
        assert refused.status_code == 409
        assert "You’ve already voted" in text_in(refused.text)
        assert "1. Lake" in text_in(refused.text)
    assert "Change your vote" not in ada.get(f"{poll.at}?change=yes").text


def test_vote_without_cookies_is_explained(poll: PollPages, ada: Visitor) -> None:
    ballot = ada.get(poll.at)
    ada.browser.cookies.clear()
    answer = ada.send(ballot, poll.id, **ranks(Lake="1"), sure="yes")
    assert answer.status_code == 422
    assert "Allow cookies for this site" in text_in(answer.text)
    assert forms_in(answer)[0].fields["rank.Lake"] == ["1"]
    assert poll.votes == 0
    # A browser whose cookies were only cleared has a new one by now.
    assert ada.send(answer, poll.id, sure="yes").status_code == 303


def test_late_vote_is_explained(poll: PollPages, server: Server, ada: Visitor) -> None:
    review = ada.rank(poll.id, Lake="1")
    server.wait(days=2)
    late = ada.send(review, poll.id, sure="yes")
    assert late.status_code == 409
    assert "The poll closed before your vote arrived" in text_in(late.text)
    shut = text_in(ada.get(poll.at).text)
    assert "This poll is closed" in shut
    assert "See the results" in shut
    assert poll.votes == 0


def test_changed_question_is_explained(poll: PollPages, ada: Visitor) -> None:
    review = ada.rank(poll.id, Lake="1", Castle="2")
    poll.edit(candidates=("Lake", "Castle", "Forest"))
    answer = ada.send(review, poll.id, sure="yes")
    assert answer.status_code == 422
    assert "added: Forest; removed: Museum" in text_in(answer.text)
    assert forms_in(answer)[0].fields["rank.Castle"] == ["2"]
    poll.edit(title="Where never?")
    answer = ada.send(answer, poll.id, sure="yes")
    assert "The question was changed" in text_in(answer.text)
    assert poll.votes == 0
    assert ada.send(answer, poll.id, sure="yes").status_code == 303


def test_next_voter_in_an_open_poll_gets_an_empty_ballot(server: Server, ada: Visitor) -> None:
    poll = server.poll(
        changed(DRAFT, protection=Protection.OPEN, results=ResultsVisibility.AFTER_VOTING)
    )
    review = ada.rank(poll.id, Lake="1")
    ada.send(review, poll.id, sure="yes")
    thanks = ada.follow(ada.send(review, poll.id, sure="yes"))
    assert poll.votes == 1
    assert "See the results" in text_in(thanks.text)
    assert ada.get(f"{poll.at}/results").status_code == 200
    ballot = ada.follow(ada.send(thanks, "/next"))
    assert "You have voted" not in text_in(ballot.text)
    assert ada.get(f"{poll.at}/voted").status_code == 303
    ada.vote(poll.id, "Lake")
    assert poll.votes == 2


@pytest.mark.parametrize("closes", [True, False])
def test_thanks_page_says_when_results_are_shown(
    server: Server, ada: Visitor, closes: bool
) -> None:
    ends = server.now + timedelta(days=1) if closes else None
    poll = server.poll(changed(DRAFT, results=ResultsVisibility.AFTER_CLOSING, expires_at=ends))
    words = text_in(ada.follow(ada.vote(poll.id, "Lake")).text)
    assert "See the results" not in words
    assert "Results are shown when the poll closes" in words
    assert ("16 November 2026" if closes else "The organizer closes it") in words


def test_unknown_poll_page_says_what_to_do(ada: Visitor) -> None:
    for page in ("nothing", "x" * 3000, "%00", "00000000", "00000000/results/now"):
        answer = ada.get(f"/polls/p/{page}")
        assert answer.status_code == 404
        assert "Check the link" in text_in(answer.text)


# At a shared screen the next voter goes back to the ballot of the one before.
@pytest.mark.parametrize("scripts", [False, True])
def test_ballot_of_an_open_poll_is_one_vote(server: Server, ada: Visitor, scripts: bool) -> None:
    poll = server.poll(changed(PollDraft("Where to?", OPTIONS), protection=Protection.OPEN))
    ballot = ada.get(poll.at)
    ada.send(ballot, poll.id, **ranks(Lake="1"), sure="yes")
    again = ada.send(ballot, poll.id, **ranks(Castle="1"), sure="yes" if scripts else None)
    assert again.status_code == 409
    assert "This form was already submitted" in again.text
    assert poll.counts == {"0": 1}
    ada.send(again, "/next")
    assert ada.vote(poll.id, "Castle").status_code == 303
    assert poll.votes == 2
