"""A log that was tampered with is not applied, and the error says what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from datetime import UTC, datetime

import pytest

from singletable import DeleteItem, Engine, Item, PutItem
from singletable_apps.elections.entities import Election
from singletable_apps.elections.errors import CorruptLog, CorruptTable
from singletable_apps.elections.events import (
    Event,
    UserRegistered,
    authenticate_event,
    build_event,
    event_log,
    hash_event,
)
from singletable_apps.elections.rebuild import rebuild
from singletable_apps.elections.roles import Role
from tests.apps.support.elections.scenario import Scenario, make_scenario
from tests.apps.support.elections.world import (
    KEYS,
    World,
    dump_items,
    follow_log,
    open_store,
    read_events,
    read_items,
)

LAST = 10


@pytest.fixture(scope="module")
def base() -> Scenario:
    """Create a database whose log is copied and tampered with."""
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


# Exports and backups contain these hashes: a change would make all of them invalid.
def test_hash_of_an_event_never_changes() -> None:
    data = UserRegistered("Ada", "ada@example.org", "h", Role.OWNER)
    event = build_event(data, 1, "Ada", datetime(2026, 1, 1, tzinfo=UTC), "", KEYS.ballot_key)
    assert event.hash == "550afda33a976c8d3bc54975c77ebf520f07175f3a951b99232f53cdc105b1b0"


TAMPERED: dict[str, tuple[Callable[[Engine], None], str]] = {
    "other actor": (_change("actor", {"S": "Mallory"}), "Event 10 was changed"),
    "other time": (_change("when_occurred", {"S": "2026-01-01T13:00:00Z"}), "Event 10 was changed"),
    "other type": (_change("event_type", {"S": "ElectionFixed"}), "Event 10 was changed"),
    "other hash": (_change("hash", {"S": "0" * 64}), "Event 10 was changed"),
    "other previous hash": (
        _change("previous_hash", {"S": "0" * 64}),
        "Event 10 does not continue the log",
    ),
    "other role": (_change_data, "Event 3 was changed"),
    "missing entry": (_remove, "Event 10 is missing"),
    "swapped entries": (_swap, "Event 10 does not continue the log"),
}


@pytest.mark.parametrize("case", TAMPERED)
def test_rebuild_rejects_a_log_that_was_tampered_with(base: Scenario, case: str) -> None:
    engine = base.engine.copy()
    tamper, message = TAMPERED[case]
    tamper(engine)
    with pytest.raises(CorruptLog, match=message):
        rebuild(open_store(engine), KEYS.ballot_key)


def _next_event(engine: Engine, kind: str, **data: object) -> Event:
    """Return a new last entry of this type, with a valid hash."""
    events = read_events(engine)
    launched = next(one for one in events if one.event_type == "ElectionLaunched")
    event, last = deepcopy(launched), events[-1]
    event.event_id, event.previous_hash, event.event_type = last.event_id + 1, last.hash, kind
    event.event_data = {**event.event_data, **data}
    event.hash = hash_event(event)
    event.mac = authenticate_event(event, KEYS.ballot_key)
    return event


# Anyone who can write the log can compute hashes, but not MACs.
@pytest.mark.parametrize("mac", ["", "0" * 64, "ä", None])
def test_event_without_the_key_is_not_applied(base: Scenario, mac: str | None) -> None:
    engine = base.engine.copy()
    event = _next_event(engine, "UserRoleChanged", name="Bob")
    event.event_data = {"name": "Bob", "role": "OWNER"}
    event.hash = hash_event(event)
    # None: the MAC of another event.
    event.mac = read_events(engine)[-1].mac if mac is None else mac
    running = World(engine)
    open_store(engine).create(event)
    with pytest.raises(CorruptLog, match="was not written by this service"):
        running.service.lifecycle.create(base.bob, "New")
    with pytest.raises(CorruptLog, match="was not written by this service"):
        World(engine)


@pytest.mark.parametrize("kind", ["ElectionPostponed", "ElectionFixed"])
def test_unknown_event_type_stops_the_projection(base: Scenario, kind: str) -> None:
    engine = base.engine.copy()
    world = World(engine)
    before = dump_items(engine)
    event = _next_event(engine, kind)
    open_store(engine).create(event)
    with pytest.raises(CorruptLog, match="unknown to this version"):
        world.service.lifecycle.create(base.bob, "New")
    with pytest.raises(CorruptLog, match=kind):
        World(engine)
    assert dump_items(engine) == before
    assert read_events(engine)[-1].event_id == event.event_id


def test_service_does_not_open_a_table_ahead_of_its_log(base: Scenario) -> None:
    engine = base.engine.copy()
    last = read_events(engine)[-1]
    entry = _entry(engine, last.event_id)
    engine.execute(DeleteItem(event_log.name, {"PK": entry["PK"], "SK": entry["SK"]}))
    with pytest.raises(CorruptTable, match="but the log has only"):
        World(engine)
    # The advice in the message helps.
    rebuild(open_store(engine), KEYS.ballot_key)
    assert World(engine).event_count == last.event_id - 1


def test_event_that_cannot_be_applied_is_reported(base: Scenario) -> None:
    store = open_store(engine := base.engine.copy())
    event = _next_event(engine, "ElectionLaunched")
    store.create(event)
    store.delete(Election.key(event.event_data["name"]))
    with pytest.raises(CorruptTable, match=r"Event \d+ \(ElectionLaunched\) cannot be applied"):
        follow_log(engine)


def test_event_about_nothing_is_reported(base: Scenario) -> None:
    store = open_store(engine := base.engine.copy())
    store.create(_next_event(engine, "ElectionLaunched", name="Nowhere"))
    with pytest.raises(CorruptLog, match=r"Event \d+ \(ElectionLaunched\) refers to 'nowhere'"):
        follow_log(engine)
