"""Drivers with the faults that the concurrency drill is there to find."""

from __future__ import annotations

import threading
import time
from random import Random
from typing import TypeVar, cast

from drills.concurrency.requests import TABLE, table
from singletable import (
    Driver,
    Engine,
    GetItem,
    Item,
    PutItem,
    TransactGetItems,
    TransactWriteItems,
    UpdateItem,
)
from singletable.operations import Operation, TransactGetItemsOutput, TransactWriteItemsOutput

R = TypeVar("R")
MOMENT = 0.0005


class StaleReads:
    """Now and then an item is given as it was when somebody read it before."""

    def __init__(self, inner: Engine) -> None:
        self._inner = inner
        self._chance = Random(1)
        self._earlier: dict[str, object] = {}

    def execute(self, operation: Operation[R], /) -> R:
        """The answer, or an earlier one."""
        if not isinstance(operation, GetItem):
            return self._inner.execute(operation)
        key = str(operation.key)
        if key in self._earlier and self._chance.random() < 0.3:
            return cast(R, self._earlier[key])
        answer = self._inner.execute(operation)
        self._earlier[key] = answer
        return cast(R, answer)


class LostUpdates:
    """An update is a read and, a moment later, a write."""

    def __init__(self, inner: Engine) -> None:
        self._inner = inner

    def execute(self, operation: Operation[R], /) -> R:
        """The answer; another client's update in between is overwritten."""
        if not isinstance(operation, UpdateItem):
            return self._inner.execute(operation)
        old = self._inner.execute(GetItem(TABLE, operation.key)).item
        time.sleep(MOMENT)
        with Engine.in_memory() as scratch:
            scratch.execute(table())
            if old is not None:
                scratch.execute(PutItem(TABLE, old))
            answer = scratch.execute(operation)
            new = scratch.execute(GetItem(TABLE, operation.key)).item
        self._inner.execute(PutItem(TABLE, cast(Item, new)))
        return cast(R, answer)


class TornWrites:
    """A transaction's writes are made one by one."""

    def __init__(self, inner: Engine) -> None:
        self._inner = inner

    def execute(self, operation: Operation[R], /) -> R:
        """The answer; others see the half of it."""
        if not isinstance(operation, TransactWriteItems):
            return self._inner.execute(operation)
        for action in operation.transact_items:
            self._inner.execute(TransactWriteItems([action]))
            time.sleep(MOMENT)
        return cast(R, TransactWriteItemsOutput())


class TornReads:
    """A transaction's reads are made one by one."""

    def __init__(self, inner: Engine) -> None:
        self._inner = inner

    def execute(self, operation: Operation[R], /) -> R:
        """The answer, of several moments."""
        if not isinstance(operation, TransactGetItems):
            return self._inner.execute(operation)
        parts: list[TransactGetItemsOutput] = []
        for one in operation.transact_items:
            parts.append(self._inner.execute(TransactGetItems([one])))
            time.sleep(MOMENT)
        responses = [response for part in parts for response in part.responses or ()]
        return cast(R, TransactGetItemsOutput(responses=responses))


class LateWrites:
    """An update is acknowledged, and made a moment later."""

    def __init__(self, inner: Engine) -> None:
        self._inner = inner
        self._later: list[threading.Timer] = []

    def execute(self, operation: Operation[R], /) -> R:
        """The answer, before it is true."""
        if not isinstance(operation, UpdateItem):
            return self._inner.execute(operation)
        with Engine.in_memory() as scratch:
            scratch.execute(table())
            old = self._inner.execute(GetItem(TABLE, operation.key)).item
            if old is not None:
                scratch.execute(PutItem(TABLE, old))
            answer = scratch.execute(operation)
        self._later.append(threading.Timer(MOMENT, self._inner.execute, (operation,)))
        self._later[-1].start()
        return cast(R, answer)

    def finish(self) -> None:
        """Wait for what was put off."""
        for later in self._later:
            later.join()


BROKEN: dict[str, type[StaleReads | LostUpdates | TornWrites | TornReads | LateWrites]] = {
    "stale reads": StaleReads,
    "lost updates": LostUpdates,
    "torn writes": TornWrites,
    "torn reads": TornReads,
    "late writes": LateWrites,
}
_: list[type[Driver]] = list(BROKEN.values())
