"""What a call of a store did and cost, told to whoever observes it.

A store without observers pays nothing for this. With one, every request asks what it consumes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, TypeAlias, TypeVar

from msgspec.structs import replace

from singletable.errors import SingleTableError
from singletable.operations import ConsumedCapacity, Operation
from singletable.operations.registry import ITEM_READS
from singletable.retry import Pause, Reason, Steps, Together
from singletable.store.question import CallShape

R = TypeVar("R")

_LOG = logging.getLogger("singletable.store")


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request that was sent, and what it consumed, one entry a table; or what it met."""

    operation: Operation[Any]
    consumed: tuple[ConsumedCapacity, ...] = ()
    error: SingleTableError | None = None

    @property
    def units(self) -> float:
        """The units consumed, of all tables and indexes."""
        return sum((one.capacity_units for one in self.consumed), 0.0)

    @property
    def reads(self) -> bool:
        """Whether the units are read units."""
        return isinstance(self.operation, ITEM_READS)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a store, when it is over.

    A query is read as it is needed: what follows its first page is a call of its own, `continued`.
    `waits` are the reasons for which it waited before it sent something again. `error` is what it
    raised; GeneratorExit if it was cancelled.
    """

    shape: CallShape
    seconds: float
    requests: tuple[SentRequest, ...]
    waits: tuple[Reason, ...]
    continued: bool
    error: BaseException | None

    @property
    def read_units(self) -> float:
        """Read units consumed by all requests."""
        return sum((one.units for one in self.requests if one.reads), 0.0)

    @property
    def write_units(self) -> float:
        """Write units consumed by all requests."""
        return sum((one.units for one in self.requests if not one.reads), 0.0)

    @property
    def retries(self) -> int:
        """How often something was sent again because it was refused or not processed."""
        return sum(reason in ("refused", "unprocessed") for reason in self.waits)

    @property
    def conflicts(self) -> int:
        """How often something was done anew because it met another's write."""
        return self.waits.count("conflict")


Observer: TypeAlias = Callable[[Call], None]

# Those who observe every store of the process: tests do, for as long as one runs.
_EVERYWHERE: list[Observer] = []


@contextmanager
def observing_everywhere(observer: Observer) -> Generator[None]:
    """Tell an observer of the calls of all stores, within the block."""
    _EVERYWHERE.append(observer)
    try:
        yield
    finally:
        _EVERYWHERE.remove(observer)


def observers_of(own: tuple[Observer, ...]) -> tuple[Observer, ...]:
    """A store's own observers, and those of all stores."""
    return (*own, *_EVERYWHERE) if _EVERYWHERE else own


@dataclass(slots=True)
class _Notes:
    sent: list[SentRequest] = field(default_factory=list[SentRequest])
    waits: list[Reason] = field(default_factory=list[Reason])


def observed(
    steps: Steps[R], question: CallShape, observers: Sequence[Observer], *, continued: bool
) -> Steps[R]:
    """The same work; observers are told what it did, also if it fails."""
    notes = _Notes()
    error: BaseException | None = None
    began = perf_counter()
    try:
        return (yield from _noted(steps, notes))
    except BaseException as raised:
        error = raised
        raise
    finally:
        seconds = perf_counter() - began
        call = Call(question, seconds, tuple(notes.sent), tuple(notes.waits), continued, error)
        # Whoever has read all pages asks once more, and nothing is sent.
        if notes.sent or error is not None or not continued:
            for observer in observers:
                _tell(observer, call)


def _noted(steps: Steps[R], notes: _Notes) -> Steps[R]:
    try:
        step = next(steps)
        while True:
            if isinstance(step, Pause):
                notes.waits.append(step.reason)
                yield step
                step = next(steps)
                continue
            if isinstance(step, Together):
                # Each piece notes what it sends.
                step = Together(tuple(_noted(piece, notes) for piece in step.pieces))
                try:
                    answers = yield step
                except SingleTableError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(answers)
                continue
            operation = _with_capacity(step)
            try:
                answer = yield operation
            except SingleTableError as error:
                notes.sent.append(SentRequest(operation, error=error))
                step = steps.throw(error)
            else:
                notes.sent.append(SentRequest(operation, _consumed(answer)))
                step = steps.send(answer)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


def _with_capacity(operation: Operation[Any]) -> Operation[Any]:
    """The request, asking what it consumes; requests about tables consume nothing."""
    if hasattr(operation, "return_consumed_capacity"):
        return replace(operation, return_consumed_capacity="INDEXES")
    return operation


def _consumed(answer: object) -> tuple[ConsumedCapacity, ...]:
    match getattr(answer, "consumed_capacity", None):
        case None:
            return ()
        case ConsumedCapacity() as one:
            return (one,)
        case several:
            return tuple(several)


def _tell(observer: Observer, call: Call) -> None:
    try:
        observer(call)
    except Exception:
        # What was done is done, whatever its observer thinks of it.
        _LOG.exception("An observer of the store failed; the call itself is not affected.")
