"""What a process and its descendants use, as the kernel counts it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def processor_seconds(pid: int) -> float:
    """How long processors have worked for the process and its descendants, ended ones included."""
    return sum(_ticks(each) for each in _tree(pid)) / _TICKS


def resident_bytes(pid: int) -> int:
    """How much memory the process and its descendants occupy."""
    return sum(int(_read(each, "statm").split()[1]) for each in _tree(pid)) * _PAGE


def _ticks(pid: int) -> int:
    """User and system time, its own and that of the children it has waited for."""
    # The second field is the command in parentheses, and may itself have spaces.
    fields = _read(pid, "stat").rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15])


def _tree(pid: int) -> Iterator[int]:
    yield pid
    for task in Path(f"/proc/{pid}/task").iterdir():
        # A thread may have ended since it was listed; it has no children then.
        with suppress(FileNotFoundError, ProcessLookupError):
            for child in (task / "children").read_text().split():
                yield from _tree(int(child))


def _read(pid: int, name: str) -> str:
    return Path(f"/proc/{pid}/{name}").read_text()
