"""Notices to the organizer: confirmed first, then one at the first vote and one at the close."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from singletable import connect
from singletable.testing import StoreClock
from singletable_apps.polls.errors import InvalidInput, NotFound
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import Polls, Viewer, Voter, open_polls
from singletable_apps.shared.outbox import KeptEmail
from tests.apps.polls.support.harness import OPTIONS, SECRET
from tests.apps.support.mailbox import read_outbox

ADDRESS = "ada@example.org"


@pytest.fixture
def clock() -> StoreClock:
    return StoreClock(tick=timedelta.resolution)


@pytest.fixture
def polls(clock: StoreClock) -> Polls:
    return open_polls(connect("memory:"), SECRET, clock=clock)


def read_sent(polls: Polls) -> list[KeptEmail]:
    """Send what is in the queue, and return what was sent, oldest first."""
    return read_outbox(polls)[::-1]


def test_nothing_is_sent_before_the_address_is_confirmed(polls: Polls) -> None:
    managed = polls.lifecycle.create(PollDraft("Best prices: x.example", OPTIONS), email=ADDRESS)
    polls.voting.cast(managed.poll.id, ["Go"], Voter("b"))
    sent = read_sent(polls)
    assert [email.to for email in sent] == [ADDRESS]
    assert "Best" not in sent[0].text
    [token] = re.findall(r"notices\?token=(\S+)", sent[0].text)
    for wrong in ("", "x", token[:-1], SECRET.email_token(managed.poll.id, "eve@example.org")):
        with pytest.raises(NotFound):
            polls.notices.confirm(managed.poll, wrong)
    polls.notices.confirm(managed.poll, token)
    assert polls.context.get_poll(managed.poll.id).confirmed


def test_one_notice_at_the_first_vote_and_one_at_the_close(polls: Polls) -> None:
    managed = polls.lifecycle.create(PollDraft("Q", OPTIONS), email=ADDRESS)
    poll_id = managed.poll.id
    polls.notices.confirm(managed.poll, SECRET.email_token(poll_id, ADDRESS))
    for browser in ("a", "b", "a"):
        polls.voting.cast(poll_id, ["Go"], Voter(browser))
    for _ in range(2):
        polls.lifecycle.close(poll_id, managed.admin_key)
        polls.results.get(poll_id, Viewer())
    subjects = [email.subject for email in read_sent(polls)[1:]]
    assert subjects == ["The first vote is in", "Your poll is closed"]


def test_poll_that_closes_by_time_sends_its_notice_with_the_next_look(
    polls: Polls, clock: StoreClock
) -> None:
    ends = clock() + timedelta(hours=1)
    managed = polls.lifecycle.create(PollDraft("Q", OPTIONS, expires_at=ends), email=ADDRESS)
    polls.notices.confirm(managed.poll, SECRET.email_token(managed.poll.id, ADDRESS))
    clock.now += timedelta(hours=2)
    for _ in range(2):
        polls.results.get(managed.poll.id, Viewer())
    assert [email.subject for email in read_sent(polls)[1:]] == ["Your poll is closed"]


@pytest.mark.parametrize("address", ["ada", "ada@", "a@b, c@d", "a\n@b", "x" * 300 + "@b"])
def test_invalid_address_is_rejected(polls: Polls, address: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        polls.lifecycle.create(PollDraft("Q", OPTIONS), email=address)
    assert [*refusal.value.errors] == ["email"]
