"""A log that was tampered with is not followed, and what is wrong with it is said."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

import pytest

from singletable import DeleteItem, Engine, Item, PutItem
from singletable_apps.elections.errors import CorruptLog, CorruptTable
from singletable_apps.elections.events import Event, event_log, hash_event
from singletable_apps.elections.projection import catch_up, rebuild
from tests.apps.support.elections.scenario import Scenario, make_scenario
from tests.apps.support.elections.world import (
    World,
    dump_items,
    open_store,
    read_events,
    read_items,
)

LAST = 10


@pytest.fixture(scope="module")
def base() -> Scenario:
    """A world whose log is copied, and tampered with."""
    return make_scenario(Engine.in_memory(), elections=1)


def _entry(engine: Engine, number: int) -> Item:
    found = [one for one in read_items(engine, event_log) if one["event_id"] == {"N": str(number)}]
    return deepcopy(found[0])


def _change(attribute: str, value: dict[str, str]) -> Callable[[Engine], None]:
    def tamper(engine: Engine) -> None:
        entry = _entry(engine, LAST)
        assert entry[attribute] != value
        engine.execute(PutItem(event_log.name, {**entry, attribute: value}))  # type: ignore[dict-item]

    return tamper


def _change_data(engine: Engine) -> None:
    entry = _entry(engine, 3)
    entry["event_data"]["M"]["role"] = {"S": "OWNER"}
    engine.execute(PutItem(event_log.name, entry))


def _remove(engine: Engine) -> None:
    entry = _entry(engine, LAST)
    engine.execute(DeleteItem(event_log.name, {"PK": entry["PK"], "SK": entry["SK"]}))


def _swap(engine: Engine) -> None:
    one, other = _entry(engine, LAST), _entry(engine, LAST + 1)
    for key in ("PK", "SK", "event_id"):
        one[key], other[key] = other[key], one[key]
    engine.execute(PutItem(event_log.name, one))
    engine.execute(PutItem(event_log.name, other))


TAMPERED: dict[str, tuple[Callable[[Engine], None], str]] = {
    "another actor": (_change("actor", {"S": "Mallory"}), "Event 10 .* was changed after"),
    "another time": (
        _change("when_occurred", {"S": "2026-01-01T13:00:00Z"}),
        "Event 10 .* was changed after",
    ),
    "another type": (_change("event_type", {"S": "ElectionFixed"}), "Event 10 .* was changed"),
    "another hash": (_change("hash", {"S": "0" * 64}), "Event 10 .* was changed after"),
    "another before": (_change("previous_hash", {"S": "0" * 64}), "Event 10 .* does not follow"),
    "another role": (_change_data, "Event 3 .* was changed after it was written"),
    "an entry that is gone": (_remove, "Event 10 of the log is missing: 11 comes after 9"),
    "entries in another order": (_swap, "Event 10 of the log does not follow event 9"),
}


@pytest.mark.parametrize("how", TAMPERED)
def test_a_log_that_was_tampered_with_is_not_followed(base: Scenario, how: str) -> None:
    engine = base.engine.copy()
    tamper, words = TAMPERED[how]
    tamper(engine)
    with pytest.raises(CorruptLog, match=words):
        rebuild(open_store(engine))


def _appended(engine: Engine, kind: str, **data: object) -> Event:
    """An entry of a kind and with data of its own, whose hash fits."""
    events = read_events(engine)
    launched = next(one for one in events if one.event_type == "ElectionLaunched")
    event, last = deepcopy(launched), events[-1]
    event.event_id, event.previous_hash, event.event_type = last.event_id + 1, last.hash, kind
    event.event_data = {**event.event_data, **data}
    event.hash = hash_event(
        event.event_id,
        event.actor,
        event.when_occurred,
        kind,
        event.event_data,
        event.previous_hash,
    )
    return event


@pytest.mark.parametrize("kind", ["ElectionPostponed", "ElectionFixed"])
def test_an_event_that_nobody_knows_stops_everything(base: Scenario, kind: str) -> None:
    engine = base.engine.copy()
    world = World(engine)
    before = dump_items(engine)
    event = _appended(engine, kind)
    open_store(engine).create(event)
    with pytest.raises(CorruptLog, match=r"none that this version knows.*It is not skipped"):
        world.service.lifecycle.create(base.bob, "New")
    with pytest.raises(CorruptLog, match=kind):
        World(engine)
    assert dump_items(engine) == before
    assert read_events(engine)[-1].event_id == event.event_id


def test_a_table_that_leads_is_refused_when_it_is_opened(base: Scenario) -> None:
    engine = base.engine.copy()
    last = read_events(engine)[-1]
    entry = _entry(engine, last.event_id)
    engine.execute(DeleteItem(event_log.name, {"PK": entry["PK"], "SK": entry["SK"]}))
    with pytest.raises(CorruptTable, match="may lag, and never lead"):
        World(engine)
    # What the words advise is what helps.
    rebuild(open_store(engine))
    assert World(engine).event_count == last.event_id - 1


def test_an_event_that_does_not_fit_the_table_is_told(base: Scenario) -> None:
    store = open_store(engine := base.engine.copy())
    store.create(_appended(engine, "ElectionLaunched", name="Nowhere"))
    with pytest.raises(CorruptTable, match=r"Event \d+ \(ElectionLaunched\) cannot be applied"):
        catch_up(store)
