"""Export the log, restore it elsewhere, and verify log and table."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest

from singletable import Driver, Engine, Store
from singletable_apps.elections import archive
from singletable_apps.elections.archive import (
    Difference,
    ExportEnd,
    export_log,
    restore_log,
    verify_log,
)
from singletable_apps.elections.entities import Candidate, Election, Sync, User, votes
from singletable_apps.elections.errors import (
    CorruptLog,
    CorruptTable,
    IncompleteRestore,
    InvalidExport,
    LogNotEmpty,
    RebuildInProgress,
)
from singletable_apps.elections.events import Event, event_log, hash_event
from singletable_apps.elections.keys import CHECKPOINT_FILE, generate_keys, load_or_create_keys
from singletable_apps.elections.projection import get_last_event
from singletable_apps.elections.proofs.keys import BallotKey
from singletable_apps.elections.rebuild import rebuild
from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import TABLES, open_elections
from singletable_apps.shared.accounts import NotSignedIn
from singletable_apps.shared.errors import Busy
from tests.apps.support.elections.sample import FAST_PASSWORDS, copy_sample, sample_keys
from tests.apps.support.tables import all_items

Lines = Sequence[bytes]


@cache
def exported() -> tuple[bytes, ...]:
    """Return the lines of the sample's log."""
    lines: list[bytes] = []
    export_log(copy_sample().store, lines.append)
    return tuple(lines)


def sample_key() -> BallotKey:
    """Return the key of the sample's log."""
    return sample_keys().ballot_key


def store_on(driver: Driver) -> Store:
    """Return a store with the tables of elections."""
    return Store(driver, tables=TABLES)


# Export and restore.


@pytest.mark.rest
def test_log_restored_on_another_driver_gives_the_same_tables(tmp_path: Path) -> None:
    sample = copy_sample()
    lines: list[bytes] = []
    end = export_log(sample.store, lines.append)
    with Engine.on_file(tmp_path / "votes.db") as engine:
        store = store_on(engine)
        assert restore_log(store, sample_key(), lines) == end
        rebuild(store, sample_key())
        for table in (votes, event_log):
            restored, original = all_items(store, table), all_items(sample.store, table)
            assert sorted(restored, key=str) == sorted(original, key=str)
        again: list[bytes] = []
        assert export_log(store, again.append) == end
        assert again == lines
        opened = open_elections(engine, sample.keys, passwords=FAST_PASSWORDS)
        ada = opened.auth.sign_in("ada", "lantern copper river").user
        assert opened.results.tally(ada, "Board 2026").result.winner == "Katherine"


def test_export_has_canonical_json_lines_for_events_and_the_end() -> None:
    *events, last = exported()
    for number, line in enumerate(events, 1):
        fields = json.loads(line)
        assert (fields["line"], fields["event_id"]) == ("event", number)
        text = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert line == f"{text}\n".encode()
    end = {"line": "end", "events": len(events), "head": json.loads(events[-1])["hash"]}
    assert json.loads(last) == end


def test_empty_log_can_be_exported_and_restored() -> None:
    elections = open_elections(Engine.in_memory(), copy_sample().keys)
    lines: list[bytes] = []
    assert export_log(elections.context.store, lines.append) == ExportEnd(0, "")
    store = store_on(Engine.in_memory())
    assert restore_log(store, sample_key(), lines) == ExportEnd(0, "")
    rebuild(store, sample_key())
    assert verify_log(store, sample_keys()).differences == ()


def test_progress_is_reported_up_to_the_end() -> None:
    total = len(exported()) - 1
    sample, reports = copy_sample(), list[tuple[int, int]]()
    export_log(sample.store, lambda _: None, lambda done, of: reports.append((done, of)))
    assert reports == [(done, total) for done in range(1, total + 1)]
    reports.clear()
    restore_log(
        store_on(Engine.in_memory()),
        sample_key(),
        exported(),
        lambda done, of: reports.append((done, of)),
    )
    assert reports == [(50, total), (total, total)]


# A transaction takes 4 MB, and one event can have a tenth of that.
def test_large_events_are_restored_in_smaller_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "BATCH_BYTES", 3000)
    reports: list[int] = []
    store = store_on(Engine.in_memory())
    restore_log(store, sample_key(), exported(), lambda done, _: reports.append(done))
    assert len(reports) > 10
    assert reports == sorted(reports)
    assert len(all_items(store, event_log)) == len(exported()) - 1


@pytest.mark.parametrize(
    ("field", "value"),
    [(None, None), ("actor", "Mallory"), ("hash", "0" * 64), ("previous_hash", "0" * 64)],
)
def test_broken_log_is_neither_exported_nor_verified(field: str | None, value: str | None) -> None:
    store = copy_sample().store
    event = store.get(Event.key(7))
    assert event is not None
    if field is None:
        store.delete(Event.key(7))
    else:
        setattr(event, field, value)
        store.put(event)
    with pytest.raises(CorruptLog, match="Event 7 "):
        export_log(store, lambda _: None)
    with pytest.raises(CorruptLog, match="Event 7 "):
        verify_log(store, sample_keys())


def _change(number: int, **fields: object) -> Callable[[Lines], Lines]:
    def change(lines: Lines) -> Lines:
        line = json.dumps({**json.loads(lines[number - 1]), **fields}).encode()
        return [*lines[: number - 1], line, *lines[number:]]

    return change


BROKEN: dict[str, tuple[Callable[[Lines], Lines], str]] = {
    "empty file": (lambda _: [], "last line is missing.* after event 0"),
    "cut after a line": (lambda lines: lines[:9], "last line is missing.* after event 9"),
    "cut within a line": (lambda lines: [*lines[:9], lines[9][:50]], "Line 10 is not a line"),
    "last event missing": (lambda lines: [*lines[:-2], lines[-1]], "there are 89 events"),
    "gap": (lambda lines: [*lines[:9], *lines[10:]], "Line 10 has event 11"),
    "event twice": (lambda lines: [*lines[:9], *lines[8:]], "Line 10 has event 9"),
    "first event missing": (lambda lines: lines[1:], "Line 1 has event 2"),
    "other actor": (_change(5, actor="Mallory"), "Line 5 .* was changed"),
    "other hash": (_change(5, hash="0" * 64), "Line 5 .* was changed"),
    "other previous hash": (_change(5, previous_hash=""), "Line 5 .* was changed"),
    "other time": (_change(5, when_occurred="2026-01-01T00:00:00+00:00"), "Line 5 .* was changed"),
    "other number of events": (_change(90, events=90), "there are 90 events"),
    "other head": (_change(90, head="0" * 64), "with the hash 0000"),
    "line after the end": (lambda lines: [*lines, lines[-1]], "Line 91 comes after the end"),
    "unknown field": (_change(5, note="x"), "Line 5 is not a line .*unknown field `note`"),
    "not JSON": (lambda lines: [b"hello\n", *lines], "Line 1 is not a line"),
    "not UTF-8": (lambda lines: [b'{"line":"\xff"}\n', *lines], "Line 1 is not"),
    "empty line": (lambda lines: [*lines[:3], b"\n", *lines[3:]], "Line 4 is not a line"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_restore_rejects_a_broken_export_before_writing(case: str) -> None:
    change, message = BROKEN[case]
    engine = Engine.in_memory()
    with pytest.raises(InvalidExport, match=f"(?s){message}"):
        restore_log(store_on(engine), sample_key(), change(exported()))
    assert restore_log(store_on(engine), sample_key(), exported()).events == len(exported()) - 1


# A newer version may have written it. If it were skipped, the table would be wrong.
def test_restore_rejects_unknown_event_types() -> None:
    event = Event(
        event_id=1,
        actor="Ada",
        when_occurred=datetime(2026, 1, 1, tzinfo=UTC),
        event_type="UserPromoted",
        event_data={"name": "Ada"},
        previous_hash="",
        hash="",
    )
    event.hash = hash_event(event)
    fields = {
        "line": "event",
        "event_id": 1,
        "actor": "Ada",
        "when_occurred": event.when_occurred.isoformat(),
        "event_type": event.event_type,
        "event_data": event.event_data,
        "previous_hash": "",
        "hash": event.hash,
        "mac": "",
    }
    end = {"line": "end", "events": 1, "head": event.hash}
    lines = [json.dumps(fields).encode(), json.dumps(end).encode()]
    with pytest.raises(InvalidExport, match=r"Line 1: Event 1 .*UserPromoted"):
        restore_log(store_on(Engine.in_memory()), sample_key(), lines)


def test_restore_needs_an_empty_log() -> None:
    sample = copy_sample()
    before = all_items(sample.store, votes)
    with pytest.raises(LogNotEmpty, match="already has 89 events"):
        restore_log(sample.store, sample_key(), exported())
    assert all_items(sample.store, votes) == before
    assert verify_log(sample.store, sample_keys()).differences == ()


def test_restore_rejects_lines_that_can_be_read_only_once() -> None:
    with pytest.raises(TypeError, match="read twice"):
        restore_log(store_on(Engine.in_memory()), sample_key(), iter(exported()))


class PowerCut(Exception):
    pass


@pytest.fixture
def half_restored() -> Store:
    """Return a store in which a restore has crashed."""
    store = store_on(Engine.in_memory())

    def crash(done: int, total: int) -> None:
        raise PowerCut

    with pytest.raises(PowerCut):
        restore_log(store, sample_key(), exported(), crash)
    newest = get_last_event(store)
    assert newest is not None
    assert 0 < newest.event_id < len(exported()) - 1
    return store


def test_half_restored_log_is_not_used(half_restored: Store) -> None:
    uses: list[Callable[[Store], object]] = [
        lambda store: rebuild(store, sample_key()),
        lambda store: verify_log(store, sample_keys()),
        lambda store: export_log(store, lambda _: None),
    ]
    for use in uses:
        with pytest.raises(IncompleteRestore, match="export of 89 events"):
            use(half_restored)
    with pytest.raises(RebuildInProgress):
        open_elections(half_restored.driver, copy_sample().keys)


def test_restoring_the_same_export_again_continues(half_restored: Store) -> None:
    reports: list[int] = []
    restore_log(half_restored, sample_key(), exported(), lambda done, _: reports.append(done))
    assert reports == [89]
    rebuild(half_restored, sample_key())
    assert verify_log(half_restored, sample_keys()).differences == ()
    uninterrupted = store_on(Engine.in_memory())
    restore_log(uninterrupted, sample_key(), exported())
    assert all_items(half_restored, event_log) == all_items(uninterrupted, event_log)


def test_restoring_another_export_is_refused(half_restored: Store) -> None:
    *events, _ = exported()
    end = {"line": "end", "events": 60, "head": json.loads(events[59])["hash"]}
    shorter = [*events[:60], json.dumps(end).encode()]
    with pytest.raises(LogNotEmpty, match="Another export is being restored here: 89 events"):
        restore_log(half_restored, sample_key(), shorter)


# The old table must not answer, and a new one must not start half-way.
def test_restored_log_is_used_only_after_a_rebuild() -> None:
    store = store_on(Engine.in_memory())
    restore_log(store, sample_key(), exported())
    with pytest.raises(RebuildInProgress, match="operator"):
        open_elections(store.driver, copy_sample().keys)
    rebuild(store, sample_key())
    assert open_elections(store.driver, copy_sample().keys).queries.version() == 89


# Sessions identify users by the id of an event, which is another user's in another log.
def test_restore_ends_all_sessions() -> None:
    sample = copy_sample()
    signed_in = sample.elections.auth.sign_in("ada", "lantern copper river")
    sample.store.admin.clear(votes)
    sample.store.admin.clear(event_log)
    restore_log(sample.store, sample_key(), exported())
    rebuild(sample.store, sample_key())
    opened = open_elections(sample.engine, sample.keys, passwords=FAST_PASSWORDS)
    with pytest.raises(NotSignedIn):
        opened.auth.renew(signed_in.refresh)
    assert opened.auth.sign_in("ada", "lantern copper river").user.name == "Ada"


# Verification.


def test_verify_finds_no_difference_in_a_correct_table() -> None:
    sample = copy_sample()
    before = [all_items(sample.store, table) for table in (votes, event_log)]
    result = verify_log(sample.store, sample_keys())
    assert (result.events, result.followed, result.differences) == (89, 89, ())
    assert result.items == len(before[0])
    newest = get_last_event(sample.store)
    assert newest is not None
    assert result.head == newest.hash
    assert [all_items(sample.store, table) for table in (votes, event_log)] == before


# Someone with access to the table has made Radia owner and candidate, and removed a candidate.
def test_verify_reports_differences_in_order_and_rebuild_repairs_them() -> None:
    store = copy_sample().store
    store.update(User.key("Radia"), User.role.set(Role.OWNER), User.revision.set(999))
    store.put(Candidate(election_name="Treasurer", candidate_name="Radia", since=1))
    store.delete(Candidate.key("Treasurer", "Claude"))
    assert verify_log(store, sample_keys()).differences == (
        Difference("ELECTION#Treasurer", "CANDIDATE#Claude", "is missing from the table"),
        Difference("ELECTION#Treasurer", "CANDIDATE#Radia", "is in the table, but not in the log"),
        Difference("USER#Radia", "METADATA", "differs in revision, role"),
    )
    rebuild(store, sample_key())
    assert verify_log(store, sample_keys()).differences == ()


def test_verify_reports_the_first_of_many_differences() -> None:
    store = copy_sample().store
    for number in range(30):
        store.put(Candidate(election_name="Ghosts", candidate_name=f"{number:02}", since=1))
    reported = [difference.sort_key for difference in verify_log(store, sample_keys()).differences]
    assert reported == [f"CANDIDATE#{number:02}" for number in range(10)]


def test_verify_compares_a_lagging_table_up_to_its_position() -> None:
    store = copy_sample().store
    newest = get_last_event(store)
    assert newest is not None
    store.delete(Event.key(newest.event_id))
    rebuild(store, sample_key())
    store.put(newest)
    result = verify_log(store, sample_keys())
    assert (result.events, result.followed, result.differences) == (89, 88, ())


def test_verify_rejects_a_table_ahead_of_its_log() -> None:
    store = copy_sample().store
    store.delete(Event.key(89))
    with pytest.raises(CorruptTable, match="contains 89 events, but the log has only 88"):
        verify_log(store, sample_keys())


def test_verify_refuses_a_table_that_is_incomplete() -> None:
    store = copy_sample().store
    store.update(Sync.key(), Sync.rebuilding.set(True))
    with pytest.raises(RebuildInProgress):
        verify_log(store, sample_keys())
    store.update(Sync.key(), Sync.rebuilding.set(False), Sync.step.set(1))
    with pytest.raises(Busy, match="Event 90"):
        verify_log(store, sample_keys())


# Comparing takes a while, and the service may keep running.
def test_verify_gives_no_result_if_the_table_changes() -> None:
    sample = copy_sample()

    def vote(done: int, total: int) -> None:
        if done == total:
            cast = sample.elections.voting.cast
            cast(sample.user("hedy"), "Team lunch", [("Soup", 1)], "during verification")

    with pytest.raises(Busy, match="from event 89 to 90"):
        verify_log(sample.store, sample_keys(), vote)


def test_verify_accepts_empty_tables() -> None:
    store = store_on(Engine.in_memory())
    for table in (votes, event_log):
        store.admin.create_table(table)
    result = verify_log(store, sample_keys())
    assert (result.events, result.head, result.items, result.differences) == (0, "", 0, ())


# Log and table are consistent then: only the checkpoint beside the keys can tell.
def test_log_that_lost_its_end_is_noticed(tmp_path: Path) -> None:
    keys = load_or_create_keys(tmp_path)
    elections = open_elections(Engine.in_memory(), keys, passwords=FAST_PASSWORDS)
    for name in ("ada", "ben"):
        elections.people.register(name, f"{name}@example.org", "lantern copper river")
    store = elections.context.store
    verify_log(store, keys)
    store.delete(Event.key(2))
    rebuild(store, keys.ballot_key)
    assert verify_log(store, replace(keys, folder=None)).differences == ()
    for use in (lambda: verify_log(store, keys), lambda: open_elections(store.driver, keys)):
        with pytest.raises(CorruptLog, match=r"event 2 has the hash .*, but it is missing"):
            use()
    (tmp_path / CHECKPOINT_FILE).write_bytes(b'{"events": 2, "head": "\xff"}')
    with pytest.raises(CorruptLog, match=r"Delete it, then"):
        verify_log(store, keys)


def test_verify_counts_closed_elections_again() -> None:
    sample = copy_sample()
    result = verify_log(sample.store, sample.keys)
    assert (result.ballots > 30, result.results > 1) == (True, True)
    with pytest.raises(CorruptLog, match="is not signed with the key of this service"):
        verify_log(sample.store, replace(sample.keys, signer=generate_keys().signer))


def test_changed_statement_in_the_table_is_reported() -> None:
    sample = copy_sample()
    closed = next(each for each in sample.store.admin.scan(Election) if each.statement is not None)
    sample.store.update(Election.key(closed.name), Election.statement.set("{} x"))
    with pytest.raises(CorruptTable, match="is not JSON"):
        open_elections(sample.engine, sample.keys)
