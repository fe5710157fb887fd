"""Limit the work of a request, counted in calls: unlike seconds, the same on every machine."""

from __future__ import annotations

import faulthandler
import sys
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

# A request is read, checked and executed in a number of calls that depends on its size.
CALLS_PER_REQUEST = 50_000
CALLS_PER_BYTE = 50
# The stack that Python leaves to a server; Hypothesis would leave much more.
STACK_DEPTH = 900
# Seconds. This guards the run against a loop without calls to count.
TIMEOUT = 300


# The terminal's file descriptor: pytest redirects file 2 while a test runs.
_terminal = 2


def set_terminal(file: int) -> None:
    """Print the traceback of a test that hangs to this file."""
    global _terminal
    _terminal = file


class TooMuchWork(AssertionError):
    """More calls were made than a request of this size may cause."""


@contextmanager
def limit_calls(size: int) -> Generator[None]:
    """Raise TooMuchWork if more calls are made than a request of this size may cause."""
    allowed = left = CALLS_PER_REQUEST + CALLS_PER_BYTE * size

    def count(frame: FrameType, event: str, arg: object) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise TooMuchWork(f"{size} bytes caused more than {allowed} calls")

    stack = sys.getrecursionlimit()
    sys.setrecursionlimit(_depth() + STACK_DEPTH)
    faulthandler.dump_traceback_later(TIMEOUT, exit=True, file=_terminal)
    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(None)
        faulthandler.cancel_dump_traceback_later()
        sys.setrecursionlimit(stack)


def _depth() -> int:
    """Return the current depth of the stack."""
    depth = 0
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        depth += 1
        frame = frame.f_back
    return depth
