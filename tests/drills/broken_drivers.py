"""Drivers with consistency faults that the concurrency drill must detect."""

from __future__ import annotations

import threading
import time
from random import Random
from typing import TypeVar, cast

from drills.concurrency_clients import TABLE, create_table
from dynamodb_engine.operations import Operation, TransactGetItemsOutput, TransactWriteItemsOutput
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

R = TypeVar("R")
DELAY = 0.0005


class StaleReads:
    """Sometimes returns an item as it was when it was read before."""

    def __init__(self, inner: Engine) -> None:
        self._inner = inner
        self._chance = Random(1)
        self._earlier: dict[str, object] = {}

    def execute(self, operation: Operation[R], /) -> R:
        """Return the output, or an earlier one."""
        if not isinstance(operation, GetItem):
            return self._inner.execute(operation)
        key = str(operation.key)
        if key in self._earlier and self._chance.random() < 0.3:
            return cast(R, self._earlier[key])
        output = self._inner.execute(operation)
        self._earlier[key] = output
        return cast(R, output)


class Rejections:
    """Sometimes rejects an operation; with `is_applied`, although it was applied."""

    def __init__(self, inner: Engine, error: Exception, *, is_applied: bool) -> None:
        self._inner, self._error, self._is_applied = inner, error, is_applied
        self._chance = Random(1)

    def execute(self, operation: Operation[R], /) -> R:
        """Return the output, or raise the error."""
        is_rejected = self._chance.random() < 0.2
        if is_rejected and not self._is_applied:
            raise self._error
        output = self._inner.execute(operation)
        if is_rejected:
            raise self._error
        return output


class LostUpdates:
    """Executes an update as a read and, later, a write."""

    def __init__(self, inner: Engine) -> None:
        self._inner = inner

    def execute(self, operation: Operation[R], /) -> R:
        """Overwrite the update of another client in between."""
        if not isinstance(operation, UpdateItem):
            return self._inner.execute(operation)
        old = self._inner.execute(GetItem(TABLE, operation.key)).item
        time.sleep(DELAY)
        with Engine.in_memory() as scratch:
            scratch.execute(create_table())
            if old is not None:
                scratch.execute(PutItem(TABLE, old))
            output = scratch.execute(operation)
            new = scratch.execute(GetItem(TABLE, operation.key)).item
        self._inner.execute(PutItem(TABLE, cast(Item, new)))
        return cast(R, output)


class TornWrites:
    """Executes the writes of a transaction one by one."""

    def __init__(self, inner: Engine) -> None:
        self._inner = inner

    def execute(self, operation: Operation[R], /) -> R:
        """Let other clients read a partial transaction."""
        if not isinstance(operation, TransactWriteItems):
            return self._inner.execute(operation)
        for action in operation.transact_items:
            self._inner.execute(TransactWriteItems([action]))
            time.sleep(DELAY)
        return cast(R, TransactWriteItemsOutput())


class TornReads:
    """Executes the reads of a transaction one by one."""

    def __init__(self, inner: Engine) -> None:
        self._inner = inner

    def execute(self, operation: Operation[R], /) -> R:
        """Return items read at different times."""
        if not isinstance(operation, TransactGetItems):
            return self._inner.execute(operation)
        parts: list[TransactGetItemsOutput] = []
        for get in operation.transact_items:
            parts.append(self._inner.execute(TransactGetItems([get])))
            time.sleep(DELAY)
        responses = [response for part in parts for response in part.responses or ()]
        return cast(R, TransactGetItemsOutput(responses=responses))


class LateWrites:
    """Acknowledges an update and executes it later."""

    def __init__(self, inner: Engine) -> None:
        self._inner = inner
        self._later: list[threading.Timer] = []

    def execute(self, operation: Operation[R], /) -> R:
        """Return the output before the update is executed."""
        if not isinstance(operation, UpdateItem):
            return self._inner.execute(operation)
        with Engine.in_memory() as scratch:
            scratch.execute(create_table())
            old = self._inner.execute(GetItem(TABLE, operation.key)).item
            if old is not None:
                scratch.execute(PutItem(TABLE, old))
            output = scratch.execute(operation)
        self._later.append(threading.Timer(DELAY, self._inner.execute, (operation,)))
        self._later[-1].start()
        return cast(R, output)

    def finish(self) -> None:
        """Wait for the delayed updates."""
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
