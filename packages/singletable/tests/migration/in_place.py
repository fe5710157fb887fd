"""Run steps that change a table in place: with writers at the same time, and with crashes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

from dynamodb_engine.operations import Scan
from dynamodb_engine.steps import run
from dynamodb_engine.testing import Crash, InterruptedDriver
from dynamodb_engine.values import Item
from singletable import Driver, Engine, Table
from singletable.migration.environment import Environment, StepProgress, migration_context
from singletable.migration.rate_limit import RateLimit
from singletable.migration.state import State, StateStore, is_state_item
from singletable.migration.two_addresses import Place, TwoAddressDriver
from tests.migration.doubles import Clock


def environment(
    driver: Driver,
    *tables: Table,
    clock: Clock | None = None,
    segments: int = 1,
    page_size: int | None = 3,
) -> Environment:
    """Return what a runner gives to a step, with the state in the last table."""
    clock = clock or Clock()
    places = TwoAddressDriver(driver, driver)
    name = Place("target", tables[-1].name)
    states = StateStore(tables[-1], name, "0001", owner="me", clock=clock)
    state = run(places, states.acquire(State("running", started=clock.now)))
    return Environment(
        places,
        migration_context(dict.fromkeys(tables, "target"), {}, clock),
        states,
        state,
        RateLimit(None, clock),
        segments=segments,
        page_size=page_size,
        clock=clock,
        sleep=clock.sleep,
    )


def notes_of(env: Environment) -> list[str]:
    """Return the list to which the notes of all further progress are added."""
    notes: list[str] = []

    def add(progress: StepProgress) -> None:
        notes.append(progress.note)

    env.on_progress = add
    return notes


def stored(driver: Driver, table: Table) -> list[Item]:
    """Return all items of the application."""
    items = driver.execute(Scan(table.name)).items
    keys = [one.name for one in table.key_attributes]
    return sorted(
        (item for item in items if not is_state_item(item)),
        key=lambda item: [str(item[name]) for name in keys],
    )


def crash_at_every_request(
    tables: Sequence[Table],
    fill: Callable[[Engine], object],
    change: Callable[[Environment], object],
) -> int:
    """Crash before each request in turn, run again, and compare the results.

    Returns the number of crashes.
    """
    with Engine.in_memory() as engine:
        fill(engine)
        change(environment(engine, *tables))
        expected = stored(engine, tables[0])
    for number in count():
        with Engine.in_memory() as engine:
            fill(engine)
            driver = InterruptedDriver(engine)
            driver.crash_after(number)
            try:
                change(environment(driver, *tables))
            except Crash:
                change(environment(engine, *tables))
            else:
                return number
            assert stored(engine, tables[0]) == expected
    raise AssertionError
