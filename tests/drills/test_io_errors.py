"""The drill of I/O errors in short, and broken engines that it must detect."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from drills.disk_model import memory_folder
from drills.io_errors import (
    CODES,
    FILE,
    SETTINGS,
    prepare,
    run_fault,
    run_faults,
    run_interruptions,
    run_memory_limits,
)
from drills.system_calls import Fault
from dynamodb_engine.engine.storage import Database
from singletable import Engine, StorageError


@pytest.fixture
def folder() -> Iterator[Path]:
    with TemporaryDirectory(dir=memory_folder()) as name:
        yield Path(name)


def test_step_is_stored_entirely_or_not_at_all_if_a_system_call_fails(folder: Path) -> None:
    results = list(run_faults(folder, stride=113))
    assert [(fault, found) for fault, found in results if found] == []
    assert {fault.call for fault, _ in results} == CODES.keys()


def test_step_is_stored_entirely_or_not_at_all_without_memory(folder: Path) -> None:
    prepare(folder / FILE)
    results = list(run_memory_limits(folder, 8192))
    assert [result for result in results if result[1]] == []
    assert len(results) > 3


def test_every_step_is_stored_or_not_when_interrupted(folder: Path) -> None:
    prepare(folder / FILE)
    results = list(run_interruptions(folder, 301))
    assert [result for result in results if result[1]] == []
    assert len(results) > 10


class HidesErrors(Engine):
    """Acknowledges writes that failed."""

    def execute(self, operation: Any, /) -> Any:
        try:
            return super().execute(operation)
        except StorageError:
            return None


class RaisesAnything(Engine):
    """Lets errors of SQLite escape."""

    def execute(self, operation: Any, /) -> Any:
        try:
            return super().execute(operation)
        except StorageError as error:
            raise RuntimeError from error


@pytest.mark.parametrize("broken", [HidesErrors, RaisesAnything])
def test_broken_engine_is_detected(folder: Path, broken: type[Engine]) -> None:
    prepare(folder / FILE)
    fault = Fault("pwrite", 30, errno.ENOSPC, permanent=True)
    happened, found = run_fault(folder, fault, lambda path: broken(Database(path), SETTINGS))
    assert happened
    assert found != []
