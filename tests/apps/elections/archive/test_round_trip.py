"""A log that was exported and restored elsewhere gives the same table, to the byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from singletable import Engine
from singletable_apps.elections import archive
from singletable_apps.elections.archive import ExportEnd, export_log, restore_log, verify_log
from singletable_apps.elections.entities import votes
from singletable_apps.elections.errors import CorruptLog
from singletable_apps.elections.events import Event, event_log
from singletable_apps.elections.projection import rebuild
from singletable_apps.elections.service import open_elections
from tests.apps.elections.archive.exported import exported, store_on
from tests.apps.support.elections.sample import FAST_PASSWORDS, copy_sample, items


def test_a_log_restored_on_another_driver_gives_the_same_tables(tmp_path: Path) -> None:
    sample = copy_sample()
    lines: list[bytes] = []
    end = export_log(sample.store, lines.append)
    with Engine.on_file(tmp_path / "votes.db") as engine:
        store = store_on(engine)
        assert restore_log(store, lines) == end
        rebuild(store)
        for table in (votes, event_log):
            assert list(items(store, table)) == list(items(sample.store, table))
        again: list[bytes] = []
        assert export_log(store, again.append) == end
        assert again == lines
        opened = open_elections(engine, sample.keys, passwords=FAST_PASSWORDS)
        ada = opened.auth.sign_in("ada", "lantern copper river").user
        assert opened.results.tally(ada, "Board 2026").result.winner == "Katherine"


def test_an_export_is_canonical_json_an_event_a_line_and_the_end() -> None:
    *entries, last = exported()
    for number, line in enumerate(entries, 1):
        said = json.loads(line)
        assert (said["line"], said["event_id"]) == ("event", number)
        text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert line == f"{text}\n".encode()
    end = {"line": "end", "events": len(entries), "head": json.loads(entries[-1])["hash"]}
    assert json.loads(last) == end


def test_a_log_without_events_makes_the_journey_too() -> None:
    engine = Engine.in_memory()
    elections = open_elections(engine, copy_sample().keys)
    lines: list[bytes] = []
    assert export_log(elections.context.store, lines.append) == ExportEnd(0, "")
    store = store_on(Engine.in_memory())
    assert restore_log(store, lines) == ExportEnd(0, "")
    rebuild(store)
    assert verify_log(store).differences == ()


def test_progress_is_told_to_the_end() -> None:
    total = len(exported()) - 1
    sample, told = copy_sample(), list[tuple[int, int]]()
    export_log(sample.store, lambda _: None, lambda done, of: told.append((done, of)))
    assert told == [(done, total) for done in range(1, total + 1)]
    told.clear()
    restore_log(store_on(Engine.in_memory()), exported(), lambda done, of: told.append((done, of)))
    assert told == [(50, total), (total, total)]


# A transaction of DynamoDB takes 4 MB, and one event may have a tenth of that.
def test_large_events_are_restored_in_smaller_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "BATCH_BYTES", 3000)
    told: list[int] = []
    store = store_on(Engine.in_memory())
    restore_log(store, exported(), lambda done, _: told.append(done))
    assert len(told) > 10
    assert told == sorted(told)
    assert len(list(items(store, event_log))) == len(exported()) - 1


@pytest.mark.parametrize(
    ("number", "field", "value", "why"),
    [
        (7, None, None, "Event 7 of the log is missing"),
        (7, "actor", "Mallory", "Event 7 of the log was changed after it was written"),
        (7, "hash", "0" * 64, "Event 7 of the log was changed after it was written"),
        (7, "previous_hash", "0" * 64, "Event 7 of the log does not follow event 6"),
    ],
)
def test_a_broken_log_is_not_exported(
    number: int, field: str | None, value: str | None, why: str
) -> None:
    store = copy_sample().store
    event = store.get(Event.key(number))
    assert event is not None
    if field is None:
        store.delete(Event.key(number))
    else:
        setattr(event, field, value)
        store.put(event)
    with pytest.raises(CorruptLog, match=why):
        export_log(store, lambda _: None)
    with pytest.raises(CorruptLog, match=why):
        verify_log(store)
