"""A log that was tampered with is not followed, and what is wrong with it is said."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

import pytest

from singletable import DeleteItem, Engine, Item, PutItem
from singletable_apps.elections.errors import LogBroken, TableBroken
from singletable_apps.elections.events import Event, event_log, hash_event
from singletable_apps.elections.projection import catch_up, rebuild
from tests.apps.elections.rig.busy import Busy, busy
from tests.apps.elections.rig.world import World, dump, events_of, items_of, store_on

LAST = 10


@pytest.fixture(scope="module")
def base() -> Busy:
    """A world whose log is copied, and tampered with."""
    return busy(Engine.in_memory(), elections=1)


def _entry(engine: Engine, number: int) -> Item:
    found = [one for one in items_of(engine, event_log) if one["event_id"] == {"N": str(number)}]
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
def test_a_log_that_was_tampered_with_is_not_followed(base: Busy, how: str) -> None:
    engine = base.engine.copy()
    tamper, words = TAMPERED[how]
    tamper(engine)
    with pytest.raises(LogBroken, match=words):
        rebuild(store_on(engine))


def _appended(engine: Engine, kind: str, **data: object) -> Event:
    """An entry of a kind and with data of its own, whose hash fits."""
    events = events_of(engine)
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
def test_an_event_that_nobody_knows_stops_everything(base: Busy, kind: str) -> None:
    engine = base.engine.copy()
    world = World(engine)
    before = dump(engine)
    event = _appended(engine, kind)
    store_on(engine).create(event)
    with pytest.raises(LogBroken, match=r"none that this version knows.*It is not skipped"):
        world.service.lifecycle.create(base.bob, "New")
    with pytest.raises(LogBroken, match=kind):
        World(engine)
    assert dump(engine) == before
    assert events_of(engine)[-1].event_id == event.event_id


def test_a_table_that_leads_is_refused_when_it_is_opened(base: Busy) -> None:
    engine = base.engine.copy()
    last = events_of(engine)[-1]
    entry = _entry(engine, last.event_id)
    engine.execute(DeleteItem(event_log.name, {"PK": entry["PK"], "SK": entry["SK"]}))
    with pytest.raises(TableBroken, match="may lag, and never lead"):
        World(engine)
    # What the words advise is what helps.
    rebuild(store_on(engine))
    assert World(engine).length == last.event_id - 1


def test_an_event_that_does_not_fit_the_table_is_told(base: Busy) -> None:
    store = store_on(engine := base.engine.copy())
    store.create(_appended(engine, "ElectionLaunched", name="Nowhere"))
    with pytest.raises(TableBroken, match=r"Event \d+ \(ElectionLaunched\) cannot be applied"):
        catch_up(store)
