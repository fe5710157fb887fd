"""Calls that no pattern declares, and scans without a reason, noted while a test runs."""

from __future__ import annotations

import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import FrameType

from singletable.patterns import Pattern, PatternCatalog
from singletable.patterns.matching import is_undeclared_scan, needs_pattern
from singletable.store import Call, CallShape
from singletable.testing.proposal import proposal

_ALLOWED: ContextVar[str | None] = ContextVar("singletable_undeclared", default=None)


@contextmanager
def undeclared(reason: str) -> Generator[None]:
    """Let calls within the block be of no pattern, for a reason: sample data, for example."""
    if not reason.strip():
        raise ValueError("undeclared(…) expects the reason why these calls are of no pattern.")
    token = _ALLOWED.set(reason)
    try:
        yield
    finally:
        _ALLOWED.reset(token)


@dataclass(frozen=True, slots=True)
class Violation:
    """A call that should not have been, and where it was made."""

    question: CallShape
    scans: bool
    place: str

    def __str__(self) -> str:
        what = "a scan, which no pattern declares" if self.scans else "a call of no pattern"
        return f"{self.place}: store.{self.question.method}() is {what}.\n{proposal(self.question)}"


class Watch:
    """An observer that notes what is not declared."""

    def __init__(self, catalogs: Sequence[PatternCatalog]) -> None:
        self._catalogues = catalogs
        self.violations: list[Violation] = []

    def __call__(self, call: Call) -> None:
        """Look at a call; further pages belong to the first."""
        question = call.shape
        if call.continued or _ALLOWED.get() is not None or not needs_pattern(question):
            return
        pattern = self._pattern(question)
        scans = is_undeclared_scan(pattern, question)
        if pattern is None or scans:
            self.violations.append(Violation(question, scans, _caller()))

    def _pattern(self, question: CallShape) -> Pattern | None:
        for catalog in self._catalogues:
            found = catalog.recognize(question)
            if found is not None:
                return found
        return None


def _caller() -> str:
    """The line outside of this library that made the call."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_inside(str(frame.f_globals.get("__name__", ""))):
        frame = frame.f_back
    if frame is None:
        return "somewhere"
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _is_inside(module: str) -> bool:
    own = module == "singletable" or module.startswith("singletable.")
    return own or module in ("contextlib", "asyncio.tasks", "asyncio.events")
