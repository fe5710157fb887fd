"""Deeply nested files are rejected with an error of their reader."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from singletable.errors import InvalidValue, MigrationError, SingleTableError
from singletable.migration.schema_diff.snapshot import read_lock
from singletable.prices import load_prices
from tools.testing.fuzz.call_budget import limit_calls


@pytest.mark.parametrize(
    ("read", "error"), [(load_prices, InvalidValue), (read_lock, MigrationError)]
)
def test_deeply_nested_file_is_rejected(
    tmp_path: Path, read: Callable[[Path], object], error: type[SingleTableError]
) -> None:
    levels = b"[" * 10_000 + b"]" * 10_000
    file = tmp_path / "nested.json"
    file.write_bytes(b'{"prices": ' + levels + b"}")
    with pytest.raises(error), limit_calls(len(levels)):
        read(file)
