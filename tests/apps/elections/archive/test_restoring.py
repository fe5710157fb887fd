"""Only a whole log is restored, only where there is none, and half of one is never used."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import pytest

from singletable import Engine, Store
from singletable_apps.elections.archive import export_log, restore_log, verify_log
from singletable_apps.elections.entities import votes
from singletable_apps.elections.errors import (
    IncompleteRestore,
    InvalidExport,
    LogNotEmpty,
    NotSignedIn,
    RebuildInProgress,
)
from singletable_apps.elections.events import event_log, hash_event
from singletable_apps.elections.projection import get_last_event, rebuild
from singletable_apps.elections.service import open_elections
from tests.apps.elections.archive.exported import exported, store_on
from tests.apps.support.elections.sample import FAST_PASSWORDS, copy_sample, items

Lines = Sequence[bytes]


def _changed(number: int, **fields: object) -> Callable[[Lines], Lines]:
    def change(lines: Lines) -> Lines:
        line = json.dumps({**json.loads(lines[number - 1]), **fields}).encode()
        return [*lines[: number - 1], line, *lines[number:]]

    return change


BROKEN: dict[str, tuple[Callable[[Lines], Lines], str]] = {
    "nothing at all": (lambda _: [], "The last line is missing.* after event 0 the file just"),
    "cut after a line": (lambda lines: lines[:9], "The last line is missing.* after event 9"),
    "cut within a line": (lambda lines: [*lines[:9], lines[9][:50]], "Line 10 is no line"),
    "the last event": (lambda lines: [*lines[:-2], lines[-1]], "says that there are 80 events"),
    "a gap": (lambda lines: [*lines[:9], *lines[10:]], "Line 10 has event 11, and 10 was expected"),
    "twice": (lambda lines: [*lines[:9], *lines[8:]], "Line 10 has event 9, and 10 was expected"),
    "not the first": (lambda lines: lines[1:], "Line 1 has event 2, and 1 was expected"),
    "another actor": (_changed(5, actor="Mallory"), "Line 5, event 5, is not as it was written"),
    "another hash": (_changed(5, hash="0" * 64), "Line 5, event 5, is not as it was written"),
    "another before": (_changed(5, previous_hash=""), "Line 5, event 5, is not as it was written"),
    "another time": (
        _changed(5, when_occurred="2026-01-01T00:00:00+00:00"),
        "Line 5, event 5, is not as it was written",
    ),
    "a number too many": (_changed(81, events=81), "says that there are 81 events"),
    "another head": (_changed(81, head="0" * 64), "the hash of the last is 0000"),
    "a line after the end": (lambda lines: [*lines, lines[-1]], "Line 82 comes after the end"),
    "a field too many": (_changed(5, note="x"), "Line 5 is no line .*unknown field `note`"),
    "no JSON": (lambda lines: [b"hello\n", *lines], "Line 1 is no line of an exported log"),
    "no text": (lambda lines: [b'{"line":"\xff"}\n', *lines], "Line 1 is no"),
    "an empty line": (lambda lines: [*lines[:3], b"\n", *lines[3:]], "Line 4 is no line"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_export_is_refused_before_anything_is_written(case: str) -> None:
    change, why = BROKEN[case]
    engine = Engine.in_memory()
    with pytest.raises(InvalidExport, match=f"(?s){why}"):
        restore_log(store_on(engine), change(exported()))
    assert restore_log(store_on(engine), exported()).events == len(exported()) - 1


# A newer version may have written what this one does not know; skipped, the table would be wrong.
def test_an_event_that_nobody_knows_is_refused() -> None:
    when = datetime(2026, 1, 1, tzinfo=UTC)
    data = {"name": "Ada"}
    own = hash_event(1, "Ada", when, "UserPromoted", data, "")
    entry = {"line": "event", "event_id": 1, "actor": "Ada", "when_occurred": when.isoformat()}
    said = {"event_type": "UserPromoted", "event_data": data, "previous_hash": "", "hash": own}
    end = {"line": "end", "events": 1, "head": own}
    lines = [json.dumps({**entry, **said}).encode(), json.dumps(end).encode()]
    with pytest.raises(InvalidExport, match=r"Line 1: Event 1 .*UserPromoted.* none that this"):
        restore_log(store_on(Engine.in_memory()), lines)


def test_a_log_is_restored_into_an_empty_one_only() -> None:
    sample = copy_sample()
    before = list(items(sample.store, votes))
    with pytest.raises(LogNotEmpty, match="The log has 80 events already"):
        restore_log(sample.store, exported())
    assert list(items(sample.store, votes)) == before
    assert verify_log(sample.store).differences == ()


def test_lines_that_can_be_read_once_are_refused() -> None:
    with pytest.raises(TypeError, match="read twice"):
        restore_log(store_on(Engine.in_memory()), iter(exported()))


class PowerCut(Exception):
    pass


@pytest.fixture
def half() -> Store:
    """A store whose log was being restored when the power went."""
    store = store_on(Engine.in_memory())

    def cut(done: int, total: int) -> None:
        raise PowerCut

    with pytest.raises(PowerCut):
        restore_log(store, exported(), cut)
    newest = get_last_event(store)
    assert newest is not None
    assert 0 < newest.event_id < len(exported()) - 1
    return store


def test_half_a_log_is_never_taken_for_whole(half: Store) -> None:
    uses: list[Callable[[Store], object]] = [
        rebuild,
        verify_log,
        lambda store: export_log(store, lambda _: None),
    ]
    for use in uses:
        with pytest.raises(
            IncompleteRestore, match=r"will have 80 events.*Restore the same export"
        ):
            use(half)
    with pytest.raises(RebuildInProgress):
        open_elections(half.driver, copy_sample().keys)


def test_the_same_export_again_goes_on(half: Store) -> None:
    done: list[int] = []
    restore_log(half, exported(), lambda number, _: done.append(number))
    assert done == [80]
    rebuild(half)
    assert verify_log(half).differences == ()
    at_once = store_on(Engine.in_memory())
    restore_log(at_once, exported())
    assert list(items(half, event_log)) == list(items(at_once, event_log))


def test_another_export_does_not(half: Store) -> None:
    *entries, _ = exported()
    end = {"line": "end", "events": 60, "head": json.loads(entries[59])["hash"]}
    shorter = [*entries[:60], json.dumps(end).encode()]
    with pytest.raises(LogNotEmpty, match="Another export was being restored here, of 80 events"):
        restore_log(half, shorter)


# Until the table is built from it, the old table must not answer, nor a new one begin half-way.
def test_a_restored_log_is_used_when_the_table_is_built() -> None:
    store = store_on(Engine.in_memory())
    restore_log(store, exported())
    with pytest.raises(RebuildInProgress, match="let an operator run the rebuild"):
        open_elections(store.driver, copy_sample().keys)
    rebuild(store)
    assert open_elections(store.driver, copy_sample().keys).queries.version() == 80


# People are known by the number of the event that registered them: another's, in another log.
def test_who_was_signed_in_signs_in_again() -> None:
    sample = copy_sample()
    signed_in = sample.elections.auth.sign_in("ada", "lantern copper river")
    sample.store.admin.clear(votes)
    sample.store.admin.clear(event_log)
    restore_log(sample.store, exported())
    rebuild(sample.store)
    opened = open_elections(sample.engine, sample.keys, passwords=FAST_PASSWORDS)
    with pytest.raises(NotSignedIn):
        opened.auth.renew(signed_in.refresh)
    assert opened.auth.sign_in("ada", "lantern copper river").user.name == "Ada"
