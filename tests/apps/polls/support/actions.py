"""Every action that changes a poll, on a poll with votes, codes and a snapshot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from singletable import Driver, Engine
from singletable_apps.polls.entities import Protection
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import ManagedPoll, Polls, Voter
from tests.apps.polls.support.harness import OPTIONS, World, code_voter
from tests.apps.support.clock import Clock


@dataclass(frozen=True)
class Busy:
    """A world, its engine, a poll in which people have voted, and one in which nobody has."""

    world: World
    engine: Engine
    managed: ManagedPoll
    empty: ManagedPoll


def busy(engine: Engine) -> Busy:
    """Seven of ten who have a code have voted."""
    world = World(engine)
    managed = world.made(PollDraft("Q", OPTIONS, protection=Protection.CODES), codes=10)
    for number in range(7):
        world.service.voting.cast(
            managed.poll.id, OPTIONS[number % 4 :], code_voter(managed, number)
        )
    world.service.tallies.get(managed.poll)
    return Busy(world, engine, managed, world.made())


def copy_of(base: Busy, around: Callable[[Engine], Driver] = lambda engine: engine) -> Busy:
    """Return an independent copy of the world, with its engine wrapped."""
    clock = Clock()
    clock.now = base.world.clock.now
    engine = base.engine.copy()
    return Busy(World(around(engine), clock), engine, base.managed, base.empty)


Deed = Callable[[Polls, Busy], object]


def _change(service: Polls, managed: ManagedPoll, **wanted: object) -> object:
    def draft(now: PollDraft) -> PollDraft:
        return replace(now, **wanted)  # type: ignore[arg-type]

    return service.lifecycle.edit(managed.poll.id, managed.admin_key, draft)


DEEDS: dict[str, Deed] = {
    "vote": lambda s, b: s.voting.cast(b.managed.poll.id, ["Rust"], code_voter(b.managed, 8)),
    "change a vote": lambda s, b: s.voting.cast(
        b.managed.poll.id, ["Rust", "Go"], code_voter(b.managed, 0)
    ),
    "vote first": lambda s, b: s.voting.cast(b.empty.poll.id, ["Go"], Voter("b")),
    "close": lambda s, b: s.lifecycle.close(b.managed.poll.id, b.managed.admin_key),
    "change words": lambda s, b: _change(s, b.managed, title="Words"),
    "change the time": lambda s, b: _change(
        s, b.managed, expires_at=b.world.clock.now + timedelta(days=1)
    ),
    "change options": lambda s, b: _change(s, b.empty, candidates=("Tea", "Milk")),
    "issue codes": lambda s, b: s.codes.issue(b.managed.poll.id, b.managed.admin_key, 5),
    "make": lambda s, b: s.lifecycle.create(PollDraft("New", OPTIONS), "maker"),
    "delete": lambda s, b: s.lifecycle.delete(b.managed.poll.id, b.managed.admin_key),
    "keep a snapshot": lambda s, b: s.tallies.get(b.managed.poll),
}
