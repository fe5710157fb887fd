"""Run several processes on one engine, interleaved at every request; crash some of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from singletable import Attr, Engine, Entity, Key, Store, Table, attr
from singletable.errors import (
    ConditionFailed,
    MigrationError,
    ServiceUnavailable,
    SingleTableError,
    TransactionCanceled,
)
from singletable.migration import Copy, Migration, Part, each, merge
from singletable.migration.copy import changed_units
from singletable.migration.derivation import Derivation, Targets
from singletable.migration.markers import GRACE_SECONDS, MarkerChanges, MarkerSlots
from singletable.migration.request_router import RequestRouter
from singletable.migration.state import Phase, State, StateStore, is_state_item
from singletable.migration.two_addresses import Place, TwoAddressDriver
from singletable.operations import Operation, PageOutput, Scan
from singletable.steps import Pause, Steps, Together, run
from singletable.store.context import create_context
from singletable.store.writes import item_id
from singletable.values import Item

users = Table("users", pk="name", sk=None)
likes = Table("likes", pk="post", sk="visitor")
entities = Table("entities", pk="PK", sk="SK")
MOMENT = 1_000_000.0


class OldUser(Entity, table=users):
    name: Attr[str] = attr()
    team: Attr[str] = attr()
    visits: Attr[int] = attr(default=0)
    key = Key(pk=name)


class OldLike(Entity, table=likes):
    post: Attr[str] = attr()
    visitor: Attr[str] = attr()
    key = Key(pk=post, sk=visitor)


class Member(Entity, table=entities):
    """Its key has a field that changes, so that targets of older states must be deleted."""

    team: Attr[str] = attr()
    name: Attr[str] = attr()
    visits: Attr[int] = attr()
    key = Key(pk=("TEAM", team), sk=("MEMBER", name))


class Profile(Entity, table=entities):
    name: Attr[str] = attr()
    team: Attr[str] = attr()
    key = Key(pk=("USER", name), sk="PROFILE")


class Likes(Entity, table=entities):
    post: Attr[str] = attr()
    count: Attr[int] = attr()
    key = Key(pk=("POST", post), sk="LIKES")


def split(old: OldUser) -> list[Member | Profile]:
    if old.team == "broken":
        raise ValueError("broken on purpose")
    return [
        Member(team=old.team, name=old.name, visits=old.visits),
        Profile(name=old.name, team=old.team),
    ]


def count(found: list[OldLike]) -> Likes:
    return Likes(post=found[0].post, count=len(found))


def to_old_user(member: Member) -> OldUser:
    return OldUser(name=member.name, team=member.team, visits=member.visits)


FORWARD = (
    each(OldUser, split),
    merge(Part(OldLike, group=lambda like: like.post, read=OldLike.key.partition), into=count),
)
MIGRATION = Migration(Copy(entities, *FORWARD), name="0001_entities")


@dataclass
class World:
    """An engine, a clock that only the test moves, and the phase of the migration."""

    engine: Engine
    migration: Migration = MIGRATION
    now: float = 0.0
    copied: bool = True
    places: TwoAddressDriver = field(init=False)

    def __post_init__(self) -> None:
        copy = self.migration.copy
        assert copy is not None
        self.copy = copy
        names = {table: Place("source", table.name) for table in copy.sources}
        self.context = create_context({**names, copy.target: Place("target", copy.target.name)})
        self.places = TwoAddressDriver(self.engine, self.engine)
        self.store = Store(self.engine)
        for table in (*copy.sources, copy.target):
            self.store.admin.create_table(table)
        self.name = self.context.table_name(copy.target)
        self.slots = MarkerSlots(copy.target, self.name, self.migration.name)
        self.derivation = Derivation(
            copy.rules, copy.target, self.context, datetime.fromtimestamp(MOMENT, UTC)
        )
        self.states = StateStore(
            copy.target,
            self.name,
            self.migration.name,
            owner="runner",
            clock=self.clock,
            lease_seconds=1e9,
        )
        self.log = self.new_log()

    def clock(self) -> float:
        return self.now

    def new_log(self) -> MarkerChanges:
        return MarkerChanges(self.slots, self.context, self.copy.sources, self.clock)

    def router(self) -> RequestRouter:
        return RequestRouter(self.migration, None, None, None, self.clock)

    def set_phase(self, phase: Phase) -> Steps[None]:
        state = yield from self.states.acquire(State(phase, MOMENT, changes="driver"))
        state.phase = phase
        yield from self.states.save(state)

    def phase(self) -> Phase:
        state, _ = self.run(self.states.read())
        return state.phase  # type: ignore[no-any-return]

    def run(self, steps: Steps[Any]) -> Any:
        return run(self.places, steps, self.sleep)

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    # Processes

    def application(self, operations: list[Operation[Any]]) -> Steps[None]:
        """Execute requests one after another through a driver of its own."""
        router = self.router()
        for operation in operations:
            try:
                yield from router.steps(operation, retries=False)
            except (ConditionFailed, TransactionCanceled, ServiceUnavailable, MigrationError):
                continue

    def scan(self, page_size: int = 2) -> Steps[None]:
        """Copy all items page by page, and carry over the changes after each page."""
        for table in self.copy.sources:
            after: Item | None = None
            while True:
                page: PageOutput = yield Scan(
                    self.context.table_name(table),
                    limit=page_size,
                    exclusive_start_key=after,
                    consistent_read=True,
                )
                items = yield from self.log.without_markers(table, page.items)
                units = {
                    unit: None
                    for item in items
                    if (unit := self.derivation.unit_of(table, item)) is not None
                }
                # Single items as they are in the page: they may be old by now.
                sources = yield from self.derivation.read(
                    [unit for unit in units if unit.group is not None]
                )
                targets: Targets = {}
                for item in items:
                    unit = self.derivation.unit_of(table, item)
                    if unit is not None:
                        targets |= self.derivation.targets(unit, sources.get(unit, [item]))
                yield from self.derivation.write(targets)
                yield from self.drain()
                after = page.last_evaluated_key
                if after is None:
                    break

    def drain(self) -> Steps[None]:
        """Carry over the changes in the log."""
        batch = yield from self.log.read("")
        if batch.changes:
            units = yield from changed_units(self.derivation, batch.changes)
            yield from self.derivation.carry_over(units, journal=self.log.journal)
            yield from self.log.complete(batch)

    def cut_over(self) -> Steps[None]:
        yield from self.set_phase("switching")
        yield Pause(2.0)
        yield from self.log.settle()
        yield from self.drain()
        yield from self.set_phase("cut-over")

    def settle(self) -> None:
        """Do what the runner does in the end: presume open writers dead, and drain the log."""
        self.run(self.drain())
        self.now += GRACE_SECONDS + 1
        self.run(self.drain())

    # What must hold

    def stored(self, table: Table) -> dict[Any, Item]:
        name = self.context.table_name(table)
        page: PageOutput = self.run(_once(Scan(name, consistent_read=True)))
        keys = [one.name for one in table.key_attributes]
        return {
            item_id(name, {key: item[key] for key in keys}): item
            for item in page.items
            if not is_state_item(item)
        }

    def expected(self) -> Targets:
        """Derive everything from what the old tables have now."""
        targets: Targets = {}
        for table in self.copy.sources:
            for item in self.stored(table).values():
                unit = self.derivation.unit_of(table, item)
                assert unit is not None
                sources = self.run(self.derivation.read([unit]))
                targets |= self.derivation.targets(unit, sources[unit])
        return targets

    def check(self) -> None:
        assert self.stored(self.copy.target) == self.expected()
        assert self.run(self.slots.read()) == {}


def _once(operation: Operation[Any]) -> Steps[Any]:
    return (yield operation)


def _flat(steps: Steps[Any]) -> Steps[Any]:
    """Yield steps one by one; parts that may run at the same time run one after another."""
    answer: Any = None
    error: SingleTableError | None = None
    while True:
        try:
            step = steps.send(answer) if error is None else steps.throw(error)
        except StopIteration as end:
            return end.value
        answer, error = None, None
        try:
            if isinstance(step, Together):
                answer = []
                for piece in step.pieces:
                    answer.append((yield from _flat(piece)))
            else:
                answer = yield step
        except SingleTableError as raised:
            error = raised


class Process:
    """A process that executes one request at each step."""

    def __init__(self, world: World, steps: Steps[Any]) -> None:
        self._world = world
        self._steps = _flat(steps)
        self._answer: Any = None
        self._error: SingleTableError | None = None
        self.is_done = False
        self.requests = 0

    def step(self) -> None:
        """Execute the next request, or wait."""
        try:
            step = (
                self._steps.send(self._answer)
                if self._error is None
                else self._steps.throw(self._error)
            )
        except StopIteration:
            self.is_done = True
            return
        self._answer, self._error = None, None
        if isinstance(step, Pause):
            self._world.now += step.seconds
            return
        assert not isinstance(step, Together)
        self.requests += 1
        try:
            self._answer = self._world.places.execute(step)
        except SingleTableError as error:
            self._error = error

    def crash(self) -> None:
        """Stop: what it has sent is executed, nothing else."""
        self._steps.close()
        self.is_done = True
