"""Every action that changes a poll, on a poll with votes, codes and a snapshot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias

from singletable import Driver, Engine
from singletable.testing import StoreClock
from singletable_apps.polls.entities import Protection
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import ManagedPoll, Polls
from tests.apps.polls.support.harness import (
    OPTIONS,
    World,
    cast,
    changed,
    close,
    code_voter,
    delete,
    edit,
)


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
    managed = world.made(changed(PollDraft("Q", OPTIONS), protection=Protection.CODES), codes=10)
    for number in range(7):
        cast(world.service, managed, OPTIONS[number % 4 :], code_voter(managed, number))
    world.service.tallies.get(managed.poll)
    return Busy(world, engine, managed, world.made())


def copy_of(base: Busy, around: Callable[[Engine], Driver] = lambda engine: engine) -> Busy:
    """Return an independent copy of the world, with its engine wrapped."""
    clock = StoreClock(base.world.clock.now, timedelta.resolution)
    engine = base.engine.copy()
    return Busy(World(around(engine), clock), engine, base.managed, base.empty)


Action: TypeAlias = Callable[[Polls, Busy], object]
ACTIONS: dict[str, Action] = {
    "vote": lambda s, b: cast(s, b.managed, ["Rust"], code_voter(b.managed, 8)),
    "change a vote": lambda s, b: cast(s, b.managed, ["Rust", "Go"], code_voter(b.managed, 0)),
    "vote first": lambda s, b: cast(s, b.empty, ["Go"], "b"),
    "close": lambda s, b: close(s, b.managed),
    "change the title": lambda s, b: edit(s, b.managed, title="Title"),
    "change the time": lambda s, b: edit(
        s, b.managed, expires_at=b.world.clock.now + timedelta(days=1)
    ),
    "change options": lambda s, b: edit(s, b.empty, candidates=("Tea", "Milk")),
    "issue codes": lambda s, b: s.codes.issue(b.managed.poll.id, b.managed.admin_key, 5),
    "create": lambda s, b: s.lifecycle.create(PollDraft("New", OPTIONS), "maker"),
    "delete": lambda s, b: delete(s, b.managed),
    "keep a snapshot": lambda s, b: s.tallies.get(b.managed.poll),
}
# The actions that change the poll without votes.
ON_EMPTY = ("vote first", "change options")
