"""How much work a request makes, counted in calls: the same on every machine, unlike seconds."""

from __future__ import annotations

import faulthandler
import sys
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

# A request is read, checked and answered in a number of calls that its size bounds: some for any
# request, and some for each of its bytes.
FOR_ANY = 50_000
FOR_A_BYTE = 50
# What Python leaves a server of its stack; Hypothesis would leave much more.
STACK = 900
# Seconds. It only guards the run: what takes so long, without a call to count, will never end.
PATIENCE = 300


# Where the terminal is; while a test runs, file 2 is elsewhere.
_terminal = 2


def tell_terminal(file: int) -> None:
    """Have what hangs shown there."""
    global _terminal
    _terminal = file


class TooMuchWork(AssertionError):
    """More calls were made than the size of the request accounts for."""


@contextmanager
def bounded(size: int) -> Generator[None]:
    """Raise TooMuchWork from within if more calls are made than so many bytes may cause."""
    allowed = left = FOR_ANY + FOR_A_BYTE * size

    def count(frame: FrameType, event: str, arg: object) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise TooMuchWork(f"{size} bytes caused more than {allowed} calls")

    stack = sys.getrecursionlimit()
    sys.setrecursionlimit(_depth() + STACK)
    faulthandler.dump_traceback_later(PATIENCE, exit=True, file=_terminal)
    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(None)
        faulthandler.cancel_dump_traceback_later()
        sys.setrecursionlimit(stack)


def _depth() -> int:
    """How many calls are under way."""
    depth = 0
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        depth += 1
        frame = frame.f_back
    return depth
