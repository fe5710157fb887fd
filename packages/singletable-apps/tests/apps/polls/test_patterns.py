"""Every call of the store is a declared pattern, and every declared pattern is called."""

from __future__ import annotations

import pytest

from singletable import Call, Store
from singletable_apps.polls import patterns as declared
from singletable_apps.polls.entities import Poll, Protection, polls
from singletable_apps.polls.patterns import patterns
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import Viewer
from tests.apps.polls.support.harness import OPTIONS, SECRET, World, changed, code_voter
from tests.apps.support.elections.scenario import make_image
from tests.apps.support.patterns import check_declared


def _everything(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Do all that can be done with a poll."""
    monkeypatch.setattr("singletable_apps.polls.tally.MIN_NEW_ENTRIES", 2)
    service = world.service
    managed = world.made(changed(PollDraft("Q", OPTIONS), protection=Protection.BROWSER))
    poll_id, key = managed.poll.id, managed.admin_key
    change = service.lifecycle.edit
    change(poll_id, key, lambda draft: changed(draft, protection=Protection.CODES))
    service.codes.issue(poll_id, key, 20)
    for number in range(10):
        service.voting.cast(poll_id, ["Go"], code_voter(managed, number))
        service.results.compute(service.context.get_poll(poll_id))
    service.voting.cast(poll_id, ["Rust"], code_voter(managed, 1))
    service.voting.find_vote(managed.poll, code_voter(managed, 1))
    change(poll_id, key, lambda draft: changed(draft, title="T", changeable=False))
    service.codes.list_issued(poll_id, key)
    change(poll_id, key, lambda draft: changed(draft, write_ins=True, comments=True))
    service.options.add(poll_id, "C", code_voter(managed, 12))
    poll = service.pictures.set(poll_id, key, "Go", make_image(), "A gopher")
    service.pictures.find(poll_id, poll.pictures["Go"].name)
    comment = service.comments.add(poll_id, "Ada", "Nice.")
    service.comments.delete(poll_id, key, comment.id)
    noticed = service.lifecycle.create(PollDraft("Q", OPTIONS), email="ada@example.org").poll
    service.notices.confirm(noticed, SECRET.email_token(noticed.id, "ada@example.org"))
    service.lifecycle.list_created("maker", 10)
    service.lifecycle.close(poll_id, key)
    service.results.get(poll_id, Viewer())
    world.open().tallies.recount(service.context.get_poll(poll_id))
    service.lifecycle.delete(poll_id, key)


def test_every_call_is_declared_and_every_pattern_used(
    memory: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    _everything(memory, monkeypatch)
    memory.check_calls()
    asked = {patterns.recognize(call.shape) for call in memory.calls}
    never = {pattern.id for pattern in patterns} - {one.id for one in asked if one is not None}
    assert not never


def test_undeclared_call_is_detected(memory: World) -> None:
    calls: list[Call] = []
    list(Store(memory.driver, observers=[calls.append]).admin.scan(Poll))
    with pytest.raises(AssertionError, match="no pattern declares"):
        check_declared(calls, patterns, (polls,))


def test_documented_patterns_come_first() -> None:
    assert declared.poll_by_id.id == "polls:1"
    assert declared.all_votes.id == "polls:2"
