"""Drivers that pass requests on to another driver and inject faults."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import TypeVar

from dynamodb_engine.faults.batches import describe_tables
from dynamodb_engine.faults.config import FaultKind, Faults
from dynamodb_engine.faults.injection import FaultDecision, FaultState, apply, decide
from dynamodb_engine.faults.targets import (
    FaultTarget,
    Tables,
    describe_target,
    is_selected,
    target_parts,
)
from dynamodb_engine.operations import AsyncDriver, Driver, Operation
from dynamodb_engine.retry import send_once, unwrap_retries
from dynamodb_engine.steps import Steps, run, run_async

R = TypeVar("R")

NO_FAULTS = Faults()
# A client that sends different faults with every request must not exhaust the memory.
_MAX_REQUEST_SEQUENCES = 1000


class FaultSequence:
    """Faults and their current state; safe to use from many threads."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.is_empty = faults.is_empty
        self.state = FaultState()
        self._lock = Lock()

    def decide(self, target: FaultTarget) -> FaultDecision:
        """Decide what happens to the next request."""
        with self._lock:
            decision, self.state = decide(target, self.faults, self.state)
        return decision


class FaultInjector:
    """The active faults and those of single requests, for both kinds of drivers."""

    def __init__(self, faults: Faults) -> None:
        self._requests: OrderedDict[Faults, FaultSequence] = OrderedDict()
        self._lock = Lock()
        self._active = FaultSequence(faults)

    @property
    def faults(self) -> Faults:
        """The active faults. Setting them, even to the same value, restarts their sequence."""
        return self._active.faults

    @faults.setter
    def faults(self, faults: Faults) -> None:
        """Activate other faults."""
        self._active = FaultSequence(faults)

    @property
    def injected(self) -> Mapping[FaultKind, int]:
        """How often each fault was injected since the active faults were set."""
        return self._active.state.injected

    @contextmanager
    def inject(self, faults: Faults) -> Generator[None, None, None]:
        """Activate other faults within a `with` block, for all users of the driver."""
        previous, self._active = self._active, FaultSequence(faults)
        try:
            yield
        finally:
            self._active = previous

    def reset(self) -> None:
        """Restart all sequences."""
        self.faults = self.faults
        with self._lock:
            self._requests.clear()

    def _steps(self, operation: Operation[R], sequence: FaultSequence) -> Steps[R]:
        faults = sequence.faults
        if sequence.is_empty or not is_selected(operation, faults):
            return (yield from send_once(operation))
        tables: Tables = {}
        if faults.indexes or faults.keys:
            names = (part.table for part in target_parts(operation, {}))
            tables = yield from describe_tables(names)
        target = describe_target(operation, tables)
        decision = sequence.decide(target)
        return (yield from apply(operation, target, decision, faults))

    def _request_sequence(self, faults: Faults) -> FaultSequence:
        """Return the sequence of faults sent with a request; equal faults share one."""
        with self._lock:
            sequence = self._requests.setdefault(faults, FaultSequence(faults))
            self._requests.move_to_end(faults)
            if len(self._requests) > _MAX_REQUEST_SEQUENCES:
                self._requests.popitem(last=False)
        return sequence


class FaultyDriver(FaultInjector):
    """A driver that fails the way DynamoDB does; it does nothing until it has faults."""

    def __init__(
        self,
        driver: Driver,
        faults: Faults = NO_FAULTS,
        *,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(faults)
        self.driver = unwrap_retries(driver)  # retries would hide faults
        self._sleep = sleep

    def execute(self, operation: Operation[R], /) -> R:
        """Execute an operation, with the active faults."""
        sequence = self._active
        if sequence.is_empty:
            return self.driver.execute(operation)
        return run(self.driver, self._steps(operation, sequence), self._sleep)

    def execute_with(self, operation: Operation[R], faults: Faults, /) -> R:
        """Execute an operation with other faults in place of the active ones."""
        steps = self._steps(operation, self._request_sequence(faults))
        return run(self.driver, steps, self._sleep)


class AsyncFaultyDriver(FaultInjector):
    """An async driver that fails the way DynamoDB does; it does nothing until it has faults."""

    def __init__(
        self,
        driver: AsyncDriver,
        faults: Faults = NO_FAULTS,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        super().__init__(faults)
        self.driver = unwrap_retries(driver)  # retries would hide faults
        self._sleep = sleep

    async def execute(self, operation: Operation[R], /) -> R:
        """Execute an operation, with the active faults."""
        sequence = self._active
        if sequence.is_empty:
            return await self.driver.execute(operation)
        return await run_async(self.driver, self._steps(operation, sequence), self._sleep)

    async def execute_with(self, operation: Operation[R], faults: Faults, /) -> R:
        """Execute an operation with other faults in place of the active ones."""
        steps = self._steps(operation, self._request_sequence(faults))
        return await run_async(self.driver, steps, self._sleep)
