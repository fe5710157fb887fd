"""The power drill in short, faults that it must detect, and the model of the disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from drills.disk_model import Created, DirectorySynced, Disk, Removed, Synced, Truncated, Written
from drills.power import DURABLE, NOT_DURABLE, Guarantee, run_cuts


@pytest.mark.parametrize("guarantee", [DURABLE, NOT_DURABLE], ids=["durable", "not durable"])
def test_power_cuts_keep_the_guarantee(tmp_path: Path, guarantee: Guarantee) -> None:
    results = list(run_cuts(2, tmp_path, guarantee, rounds=3, cuts_per_round=25, steps=12))
    assert [(cut.name, fault) for cut in results for fault in cut.faults] == []
    assert len(results) == 75


# The drill must detect a disk that ignores syncs, and an engine that does not wait for them.
@pytest.mark.parametrize(
    "guarantee",
    [Guarantee(disk_syncs=False), Guarantee(durable=False)],
    ids=["disk that ignores syncs", "engine that does not sync"],
)
def test_lost_writes_are_results(tmp_path: Path, guarantee: Guarantee) -> None:
    results = run_cuts(2, tmp_path, guarantee, rounds=1, cuts_per_round=20, steps=12)
    faults = [fault for cut in results for fault in cut.faults]
    assert any("was acknowledged, but" in fault for fault in faults)


def never() -> bool:
    return False


def always() -> bool:
    return True


def test_synced_data_survives_and_unsynced_data_may_not() -> None:
    disk = Disk({"a": b"old"})
    for entry in (Written("a", 0, b"new"), Synced("a"), Written("a", 3, b"er")):
        disk.apply(entry)
    assert disk.cut_power(never) == {"a": b"new"}
    assert disk.cut_power(always) == {"a": b"newer"}


def test_write_is_torn_between_sectors() -> None:
    disk = Disk({"a": b"-" * 1100})
    disk.apply(Written("a", 500, b"+" * 600))
    turns = iter((False, True, False))
    assert disk.cut_power(lambda: next(turns)) == {"a": b"-" * 512 + b"+" * 512 + b"-" * 76}


def test_write_beyond_the_end_leaves_zeros() -> None:
    disk = Disk({"a": b""})
    disk.apply(Written("a", 3, b"x"))
    assert disk.cut_power(always) == {"a": b"\0\0\0x"}


def test_names_survive_after_the_directory_is_synced() -> None:
    disk = Disk({"a": b""})
    for entry in (Created("b"), Written("b", 0, b"1"), Synced("b"), Removed("a")):
        disk.apply(entry)
    assert disk.cut_power(never) == {"a": b""}
    assert disk.cut_power(always) == {"b": b"1"}
    disk.apply(DirectorySynced())
    assert disk.cut_power(never) == {"b": b"1"}


def test_truncation_survives_after_a_sync() -> None:
    disk = Disk({"a": b"long"})
    disk.apply(Truncated("a", 1))
    assert disk.cut_power(never) == {"a": b"long"}
    disk.apply(Synced("a"))
    assert disk.cut_power(never) == {"a": b"l"}
