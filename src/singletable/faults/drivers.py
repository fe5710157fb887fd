"""Two faces: drivers that let operations through to another driver, unless a fault strikes."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import TypeVar, cast

from singletable.faults.act import act
from singletable.faults.decide import Decision, State, decide
from singletable.faults.description import Faults, Kind
from singletable.faults.replica import Replica
from singletable.faults.scope import Occasion, is_named, occasion_of
from singletable.faults.steps import Steps, Wait, ask
from singletable.faults.surface import Tables, parts_of
from singletable.faults.tables import described
from singletable.operations import AsyncDriver, Driver, Operation
from singletable.retry import unwrap_retries

R = TypeVar("R")

OFF = Faults()
# Whoever may send faults with a request could otherwise fill the memory with different ones.
_REMEMBERED = 1000


class Sequence:
    """Faults, and how far their sequence has come; safe to use from many threads."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.quiet = faults.quiet
        self.state = State()
        self._lock = Lock()

    def decide(self, occasion: Occasion) -> Decision:
        """What happens to the next operation."""
        with self._lock:
            decision, self.state = decide(occasion, self.faults, self.state)
        return decision


class Injector:
    """What the two faces share: the faults in force, and those that come with requests."""

    def __init__(self, driver: str, faults: Faults, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._replica = Replica(driver)
        self._requests: OrderedDict[Faults, Sequence] = OrderedDict()
        self._lock = Lock()
        self._in_force = Sequence(faults)

    @property
    def faults(self) -> Faults:
        """The faults in force. Setting them, even to the same, begins their sequence anew."""
        return self._in_force.faults

    @faults.setter
    def faults(self, faults: Faults) -> None:
        """Have these in force from now on."""
        self._in_force = Sequence(faults)

    @property
    def struck(self) -> Mapping[Kind, int]:
        """How often each fault struck since the faults in force were set."""
        return self._in_force.state.struck

    @contextmanager
    def injecting(self, faults: Faults) -> Generator[None, None, None]:
        """Have other faults in force for a while, for everyone who uses the driver."""
        before, self._in_force = self._in_force, Sequence(faults)
        try:
            yield
        finally:
            self._in_force = before

    def forget(self) -> None:
        """Begin all sequences anew, and let go of the copies that stale reads are answered from."""
        self.faults = self.faults
        with self._lock:
            self._requests.clear()
        self._replica.forget()

    def _steps(self, operation: Operation[R], sequence: Sequence) -> Steps[R]:
        """The answer of the wrapped driver, or what the faults make of it."""
        faults = sequence.faults
        if sequence.quiet or not is_named(operation, faults):
            return (yield from ask(operation))
        tables: Tables = {}
        if faults.indexes or faults.keys:
            tables = yield from described(part.table for part in parts_of(operation, {}))
        occasion = occasion_of(operation, tables)
        decision = sequence.decide(occasion)
        return (yield from act(operation, occasion, decision, faults, self._replica, self._clock))

    def _with_request(self, faults: Faults) -> Sequence:
        """The sequence of faults that came with a request; equal ones go on where they were."""
        with self._lock:
            sequence = self._requests.setdefault(faults, Sequence(faults))
            self._requests.move_to_end(faults)
            if len(self._requests) > _REMEMBERED:
                self._requests.popitem(last=False)
        return sequence


class FaultyDriver(Injector):
    """A driver that fails now and then as DynamoDB does; off until there are faults."""

    def __init__(
        self,
        driver: Driver,
        faults: Faults = OFF,
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(type(driver).__name__, faults, clock)
        self.driver = unwrap_retries(driver)  # whoever asks sees each fault
        self._sleep = sleep

    def execute(self, operation: Operation[R], /) -> R:
        """The answer, or an error; which of the two, the faults in force have a say in."""
        sequence = self._in_force
        if sequence.quiet:
            return self.driver.execute(operation)
        return self._run(self._steps(operation, sequence))

    def execute_with(self, operation: Operation[R], faults: Faults, /) -> R:
        """The answer, or an error, with faults for this operation in place of those in force."""
        return self._run(self._steps(operation, self._with_request(faults)))

    def _run(self, steps: Steps[R]) -> R:
        try:
            step = next(steps)
            while True:
                try:
                    answer = (
                        self._sleep(step.seconds)
                        if isinstance(step, Wait)
                        else self.driver.execute(step)
                    )
                except Exception as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as end:
            return cast(R, end.value)  # What the steps return.


class AsyncFaultyDriver(Injector):
    """The same for an event loop."""

    def __init__(
        self,
        driver: AsyncDriver,
        faults: Faults = OFF,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(type(driver).__name__, faults, clock)
        self.driver = unwrap_retries(driver)  # whoever asks sees each fault
        self._sleep = sleep

    async def execute(self, operation: Operation[R], /) -> R:
        """The answer, or an error; which of the two, the faults in force have a say in."""
        sequence = self._in_force
        if sequence.quiet:
            return await self.driver.execute(operation)
        return await self._run(self._steps(operation, sequence))

    async def execute_with(self, operation: Operation[R], faults: Faults, /) -> R:
        """The answer, or an error, with faults for this operation in place of those in force."""
        return await self._run(self._steps(operation, self._with_request(faults)))

    async def _run(self, steps: Steps[R]) -> R:
        try:
            step = next(steps)
            while True:
                try:
                    answer = await (
                        self._sleep(step.seconds)
                        if isinstance(step, Wait)
                        else self.driver.execute(step)
                    )
                except Exception as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as end:
            return cast(R, end.value)  # What the steps return.
