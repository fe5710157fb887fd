"""Every call of the store is a declared pattern, and every declared pattern is called."""

from __future__ import annotations

from dataclasses import replace

import pytest

from singletable import Call, Store
from singletable_apps.polls import patterns as declared
from singletable_apps.polls.entities import Poll, Protection, polls
from singletable_apps.polls.patterns import patterns
from singletable_apps.polls.rules import Draft
from singletable_apps.polls.service import Viewer, Voter
from tests.apps.polls.rig.world import OPTIONS, World, code
from tests.apps.support.patterns import check_declared


def _everything(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Do all that can be done with a poll."""
    monkeypatch.setattr("singletable_apps.polls.tally.FEWEST_LINES", 2)
    service = world.service
    own = world.made(Draft("Q", OPTIONS, protection=Protection.BROWSER))
    poll_id, key = own.poll.id, own.admin_key
    change = service.changing.change
    change(poll_id, key, lambda draft: replace(draft, protection=Protection.CODES))
    service.making.issue_codes(poll_id, key, 20)
    for number in range(10):
        service.voting.cast(poll_id, ["Go"], Voter(code=code(own, number)))
        service.standing.outcome(poll_id, Viewer(Voter(code=code(own, number))))
    service.voting.cast(poll_id, ["Rust"], Voter(code=code(own, 1)))
    service.voting.vote_of(own.poll, Voter(code=code(own, 1)))
    change(poll_id, key, lambda draft: replace(draft, title="T", changeable=False))
    service.making.codes(poll_id, key)
    service.making.copy(poll_id, "another")
    service.making.mine("maker", 10)
    service.changing.close(poll_id, key)
    world.open().counting.recount(service.context.poll(poll_id))
    service.deleting.delete(poll_id, key)


def test_all_that_is_asked_is_declared(memory: World, monkeypatch: pytest.MonkeyPatch) -> None:
    _everything(memory, monkeypatch)
    memory.check_calls()


def test_all_that_is_declared_is_asked(memory: World, monkeypatch: pytest.MonkeyPatch) -> None:
    _everything(memory, monkeypatch)
    asked = {patterns.recognize(call.shape) for call in memory.calls}
    never = {pattern.id for pattern in patterns} - {one.id for one in asked if one is not None}
    assert not never


def test_what_is_not_declared_is_found(memory: World) -> None:
    calls: list[Call] = []
    list(Store(memory.driver, observers=[calls.append]).admin.scan(Poll))
    with pytest.raises(AssertionError, match="no pattern declares"):
        check_declared(calls, patterns, (polls,))


def test_the_document_comes_first() -> None:
    assert declared.poll_by_id.id == "polls:1"
    assert declared.all_votes.id == "polls:2"
