"""The power drill in short; and that it finds what it looks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from drills.power.cuts import DURABLE, RELAXED, Promise, cuts
from drills.power.disk import Disk
from drills.power.journal import Created, FolderSynced, Removed, Synced, Truncated, Wrote


@pytest.mark.parametrize("promise", [DURABLE, RELAXED], ids=["durable", "not durable"])
def test_power_cuts_lose_nothing_that_was_promised(tmp_path: Path, promise: Promise) -> None:
    found = list(cuts(2, tmp_path, promise, rounds=3, cuts_a_round=25, steps=12))
    assert [(cut.name, fault) for cut in found for fault in cut.faults] == []
    assert len(found) == 75


# A disk that says it has synced and has not, and an engine that does not wait for it, must be found
# out: else the drill could not tell anything.
@pytest.mark.parametrize(
    "promise", [Promise(honest=False), Promise(durable=False)], ids=["lying disk", "hasty engine"]
)
def test_losses_are_found(tmp_path: Path, promise: Promise) -> None:
    found = cuts(2, tmp_path, promise, rounds=1, cuts_a_round=20, steps=12)
    faults = [fault for cut in found for fault in cut.faults]
    assert any("was acknowledged, and" in fault for fault in faults)


def never() -> bool:
    return False


def always() -> bool:
    return True


def test_what_was_synced_survives_and_the_rest_may_not() -> None:
    disk = Disk({"a": b"old"})
    for entry in (Wrote("a", 0, b"new"), Synced("a"), Wrote("a", 3, b"er")):
        disk.take(entry)
    assert disk.after_cut(never) == {"a": b"new"}
    assert disk.after_cut(always) == {"a": b"newer"}


def test_a_write_is_torn_between_sectors() -> None:
    disk = Disk({"a": b"-" * 1100})
    disk.take(Wrote("a", 500, b"+" * 600))
    turns = iter((False, True, False))
    assert disk.after_cut(lambda: next(turns)) == {"a": b"-" * 512 + b"+" * 512 + b"-" * 76}


def test_a_write_beyond_the_end_leaves_zeros() -> None:
    disk = Disk({"a": b""})
    disk.take(Wrote("a", 3, b"x"))
    assert disk.after_cut(always) == {"a": b"\0\0\0x"}


def test_names_are_safe_after_the_folder_is_synced() -> None:
    disk = Disk({"a": b""})
    for entry in (Created("b"), Wrote("b", 0, b"1"), Synced("b"), Removed("a")):
        disk.take(entry)
    assert disk.after_cut(never) == {"a": b""}
    assert disk.after_cut(always) == {"b": b"1"}
    disk.take(FolderSynced())
    assert disk.after_cut(never) == {"b": b"1"}


def test_a_file_is_cut_for_good_when_it_is_synced() -> None:
    disk = Disk({"a": b"long"})
    disk.take(Truncated("a", 1))
    assert disk.after_cut(never) == {"a": b"long"}
    disk.take(Synced("a"))
    assert disk.after_cut(never) == {"a": b"l"}
