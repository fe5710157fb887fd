"""Walks in documents: the modules that a call enters, in order."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from tools.testing.sources import ROOT


class Trace:
    """The files of our packages that any thread enters, in order."""

    def __init__(self) -> None:
        self.files: list[str] = []

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        file = frame.f_code.co_filename
        is_ours = "/packages/" in file and "/src/" in file
        if event == "call" and is_ours and file not in self.files[-1:]:
            self.files.append(file)


@contextmanager
def traced() -> Iterator[Trace]:
    """Record the calls of all threads within the block."""
    trace = Trace()
    threading.setprofile(trace)
    sys.setprofile(trace)
    try:
        yield trace
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def missing_stops(walk: str, trace: Trace, document: str = "ARCHITECTURE.md") -> list[str]:
    """Return the modules of a walk that the call did not enter, or not in this order.

    Other threads may enter a module earlier, so the modules are looked for one after the other.
    """
    page = (ROOT / document).read_text()
    section = page.partition(f"\n### {walk}\n")[2].partition("\n#")[0]
    named = re.findall(r"^\d+\. `([\w/.]+)`", section, re.MULTILINE)
    assert named, f"{document} has no walk {walk!r}"
    entered = iter(trace.files)
    return [name for name in named if not any(one.endswith(f"/{name}") for one in entered)]
