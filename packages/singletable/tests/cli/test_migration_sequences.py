"""The commands run and down, in every order, failed and killed anywhere, agree with a model.

The test visits every state that sequences of the commands can reach, however long they are: from
each state, each command is run, fails at each function, and is killed before each write.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import pytest

from dynamodb_engine import operations as ops
from dynamodb_engine.operations.registry import OPERATIONS
from dynamodb_engine.testing import Crash
from dynamodb_engine.values import Item
from singletable import Attr, Driver, Engine, Entity, Key, Store, Table, attr
from singletable.cli.migration import AppMigrations, run_selected, undo_current
from singletable.errors import MigrationError, MigrationLocked, TransformFailed
from singletable.migration import Backfill, Migration, MigrationHistory, MigrationRunner

R = TypeVar("R")

table = Table("numbers")


class Numbers(Entity, table=table):
    name: Attr[str] = attr()
    a: Attr[int] = attr(default=0)
    b: Attr[int] = attr(default=0)
    c: Attr[int] = attr(default=0)
    d: Attr[int] = attr(default=0)
    key = Key(pk=("NUMBERS", name), sk="NUMBERS")


# What a function of a migration fails for, such as "up b" or "down c".
failing: set[str] = set()
DONE = {"a": 1, "b": 10, "c": 11, "d": 22}
# Each migration uses what the ones before it have written.
UP: dict[str, Callable[[Numbers], int]] = {
    "a": lambda one: 1,
    "b": lambda one: one.a * 10,
    "c": lambda one: one.b + 1,
    "d": lambda one: one.c * 2,
}


def change(field: str, direction: str, one: Numbers) -> None:
    if f"{direction} {field}" in failing:
        raise ValueError("not this one")
    setattr(one, field, UP[field](one) if direction == "up" else 0)


def step(field: str) -> Backfill[Numbers]:
    return Backfill(Numbers, partial(change, field, "up"), down=partial(change, field, "down"))


FIELDS = ("a", "bc", "d")
NAMES = [f"{number:04d}_{fields}" for number, fields in enumerate(FIELDS, 1)]
MIGRATIONS = [
    Migration(*map(step, fields), name=name) for name, fields in zip(NAMES, FIELDS, strict=True)
]


class KilledDriver:
    """Executes some writes; the process is dead from then on."""

    def __init__(self, driver: Driver, writes: int | None) -> None:
        self._driver = driver
        self._left = writes

    def execute(self, operation: ops.Operation[R], /) -> R:
        if self._left is not None and OPERATIONS[type(operation)].writes:
            self._left -= 1
        if self._left is not None and self._left < 0:
            raise Crash
        return self._driver.execute(operation)


@dataclass(frozen=True)
class Model:
    """How many migrations are applied, and what happens to the next one: run or undone in part."""

    applied: int = 0
    doing: str | None = None


@dataclass(frozen=True)
class Command:
    """A command and the function that fails meanwhile."""

    name: str
    fails: str | None = None

    def success(self, model: Model) -> Model | None:
        """Return what is true after the command; None if it must be refused."""
        match self.name:
            case "down" if model.doing or model.applied:
                return Model(model.applied if model.doing else model.applied - 1)
            case "run" if model.doing != "undoing":
                return Model(len(MIGRATIONS))
            case "run it":
                return Model(min(model.applied + 1, len(MIGRATIONS)))
            case _:
                return None

    def can_fail(self, model: Model) -> bool:
        """Return whether the function that fails may be called."""
        plain = Command(self.name).outcomes(model, killed=False)
        return self.outcomes(model, killed=False) != plain

    def outcomes(self, model: Model, *, killed: bool) -> set[Model]:
        """Return what may be true after the command, and whether it was killed."""
        if (end := self.success(model)) is None:
            return {model}
        doing = "undoing" if self.name == "down" else "running"
        last = end.applied + 1 if self.name == "down" else end.applied
        numbers = range(min(model.applied, end.applied), last)
        if killed:
            return {model, end, *(Model(n, one) for n in numbers for one in (None, doing))}
        for number in numbers:
            if self.fails and self.fails.partition(" ")[2] in FIELDS[number]:
                # What was done before does not fail again.
                return {Model(number, doing), *({end} if model.doing else ())}
        return {end}

    def run(self, migrations: AppMigrations) -> None:
        failing.update([self.fails] if self.fails else [])
        try:
            if self.name == "down":
                undo_current(migrations, yes=True)
            else:
                run_selected(migrations)
        finally:
            failing.clear()


COMMANDS = [
    *(Command("down", fails) for fails in (None, *(f"down {field}" for field in DONE))),
    *(Command(name, f"up {field}") for name in ("run", "run it") for field in DONE),
    Command("run"),
    Command("run it"),
]


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.in_memory() as engine:
        store = Store(engine)
        store.admin.create_table(table)
        store.put(Numbers(name="1"))
        yield engine


def history(driver: Driver) -> MigrationHistory:
    return MigrationHistory(MIGRATIONS, driver, driver)


def app(driver: Driver, command: Command, model: Model) -> AppMigrations:
    is_named = command.name == "run it" and model.applied < len(NAMES)
    name = NAMES[model.applied] if is_named else None
    return AppMigrations("numbers", "memory:", name, None, None, {}, history(driver))


def items(engine: Engine) -> list[Item]:
    return engine.execute(ops.Scan(table.name)).items


def restore(engine: Engine, wanted: list[Item]) -> None:
    """Return to an earlier state; the lease of a killed process has expired meanwhile."""
    for item in items(engine):
        engine.execute(ops.DeleteItem(table.name, {name: item[name] for name in ("PK", "SK")}))
    for item in wanted:
        kept = {name: item[name] for name in item if not name.startswith("lease_")}
        engine.execute(ops.PutItem(table.name, kept))


def summary(found: list[Item]) -> str:
    """Return the items as text, without what no command depends on: times, owners and counts."""
    plain: list[object] = []
    for item in found:
        state: Any = {}
        if "state" in item:
            state = json.loads(str(item["state"]["S"]))
            for name in ("started", "ended", "counts"):
                state.pop(name, None)
        elif "history" in item:
            state = [one["name"] for one in json.loads(str(item["history"]["S"]))]
        plain.append([state, {name: item[name] for name in item if name in ("PK", *DONE)}])
    return json.dumps(plain, sort_keys=True)


def observed(engine: Engine) -> Model:
    """Return what the history says, after comparing it with the items."""
    found = history(engine)
    phases = [state and state.phase for state in found.states().values()]
    applied = next(
        (number for number, phase in enumerate(phases) if phase != "finished"), len(phases)
    )
    doing = phases[applied] if applied < len(phases) else None
    doing = None if doing == "down" else doing
    assert doing in (None, "running", "undoing")
    assert all(phase in (None, "down") for phase in phases[applied + 1 :])
    model = Model(applied, doing)
    recorded = list(found.recorded())
    assert recorded in ([NAMES[:applied], NAMES[: applied + 1]] if doing else [NAMES[:applied]])
    assert [one.name for one in found.pending()] == NAMES[applied:]
    current = found.current()
    expected = NAMES[applied] if doing else NAMES[applied - 1] if applied else None
    assert (current and current.name) == expected
    if doing == "undoing":
        with pytest.raises(MigrationError, match="being undone"):
            found.runnable()
    one = Store(engine).get(Numbers.key("1"))
    for number, fields in enumerate(FIELDS):
        for field in fields:
            allowed = {DONE[field] if number < applied else 0}
            if doing and number == applied:
                allowed = {DONE[field], 0}
            assert getattr(one, field) in allowed, (model, one)
    return model


@pytest.mark.rest
def test_run_and_down_agree_with_a_model_in_every_order(engine: Engine) -> None:
    start = items(engine)
    waiting = [(Model(), start)]
    seen = {summary(start): Model()}
    while waiting:
        model, before = waiting.pop()
        for command in COMMANDS:
            if command.fails and not command.can_fail(model):
                continue
            # Killed while it runs several migrations, `run` leaves what `run it` leaves.
            can_be_killed = command in (Command("run it"), Command("down"))
            for writes in (None, *range(100)) if can_be_killed else (None,):
                restore(engine, before)
                is_refused = is_killed = False
                try:
                    command.run(app(KilledDriver(engine, writes), command, model))
                except Crash:
                    is_killed = True
                except TransformFailed:
                    assert command.fails is not None
                except MigrationError:
                    is_refused = True
                assert is_refused == (not is_killed and command.success(model) is None)
                after = items(engine)
                text = summary(after)
                if text not in seen:
                    seen[text] = observed(engine)
                    waiting.append((seen[text], after))
                assert seen[text] in command.outcomes(model, killed=is_killed)
                if writes is not None and not is_killed:
                    break
    numbers = range(len(MIGRATIONS))
    assert {*seen.values()} == {
        *map(Model, (*numbers, len(MIGRATIONS))),
        *(Model(number, doing) for number in numbers for doing in ("running", "undoing")),
    }


def test_down_continues_with_the_migration_that_it_has_begun_to_undo(engine: Engine) -> None:
    Command("run").run(app(engine, Command("run"), Model()))
    down, failing_down = Command("down"), Command("down", "down d")
    for _ in range(2):
        with pytest.raises(TransformFailed, match="repeat the same command"):
            failing_down.run(app(engine, failing_down, Model(3)))
        assert observed(engine) == Model(2, "undoing")
    with pytest.raises(MigrationError, match=f"{NAMES[2]} is being undone"):
        run_selected(app(engine, Command("run"), Model(2)))
    for applied in (2, 1, 0):
        down.run(app(engine, down, Model(applied)))
        assert observed(engine) == Model(applied)
    with pytest.raises(MigrationError, match="is in progress or applied"):
        down.run(app(engine, down, Model()))


def test_a_migration_that_is_half_undone_can_be_run_again(engine: Engine) -> None:
    for name in NAMES[:2]:
        history(engine).runner(history(engine).named(name)).run()
    down, again = Command("down", "down b"), Command("run it")
    with pytest.raises(TransformFailed):
        down.run(app(engine, down, Model(2)))
    # Its last step is undone, the first one is not.
    assert Store(engine).get(Numbers.key("1")) == Numbers(name="1", a=1, b=10)
    (state,) = [one for one in history(engine).states().values() if one and one.phase == "undoing"]
    assert state.complete_steps == 0
    again.run(app(engine, again, Model(1)))
    assert observed(engine) == Model(2)


def test_steps_of_a_migration_that_is_half_undone_may_not_change(engine: Engine) -> None:
    for name in NAMES[:2]:
        history(engine).runner(history(engine).named(name)).run()
    down = Command("down", "down b")
    with pytest.raises(TransformFailed):
        down.run(app(engine, down, Model(2)))
    other = Migration(step("b"), Backfill(Numbers), step("c"), name=NAMES[1])
    runner = MigrationRunner(other, engine)
    for method in (runner.run, runner.down):
        with pytest.raises(MigrationError, match="changed after it began"):
            method()


def test_an_undo_that_an_earlier_version_has_begun_is_in_progress(engine: Engine) -> None:
    Command("run").run(app(engine, Command("run"), Model()))
    failing_down = Command("down", "down d")
    with pytest.raises(TransformFailed):
        failing_down.run(app(engine, failing_down, Model(3)))
    for item in items(engine):
        if "undoing" in (text := str(item.get("state", {}).get("S"))):
            old: Item = {**item, "state": {"S": text.replace('"undoing"', '"down"')}}
            engine.execute(ops.PutItem(table.name, old))
    assert observed(engine) == Model(2, "undoing")


def test_a_command_waits_for_the_lease_of_a_killed_one(engine: Engine) -> None:
    Command("run").run(app(engine, Command("run"), Model()))
    down = Command("down")
    with pytest.raises(Crash):
        down.run(app(KilledDriver(engine, 3), down, Model(3)))
    before = items(engine)
    for command in (down, Command("run it")):
        with pytest.raises(MigrationLocked):
            command.run(app(engine, command, Model(2)))
    assert items(engine) == before
