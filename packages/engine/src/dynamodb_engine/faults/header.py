"""Inject faults into single requests to an endpoint, as a header of the request says."""

from __future__ import annotations

from typing import TypeVar

from dynamodb_engine.errors import FaultsError, ValidationError
from dynamodb_engine.faults.config import Faults, parse_faults
from dynamodb_engine.faults.drivers import AsyncFaultyDriver
from dynamodb_engine.operations import AsyncDriver, Operation
from dynamodb_engine.wire import HttpRequest

R = TypeVar("R")

FAULTS_HEADER = "x-singletable-faults"
# Limits for this header: the delay in seconds, and the number of delayed requests at a time.
MAX_LATENCY = 5.0
MAX_DELAYED = 100


class HeaderFaults:
    """Chooses the driver of a request for `DynamoDBApp(driver, driver_for=HeaderFaults(driver))`.

    A request with the header `x-singletable-faults` gets a driver that injects its faults.
    """

    def __init__(self, driver: AsyncDriver) -> None:
        faulty = driver if isinstance(driver, AsyncFaultyDriver) else AsyncFaultyDriver(driver)
        self._driver = faulty
        self._delayed = 0

    def __call__(self, request: HttpRequest) -> AsyncDriver | None:
        """Return the driver for a request with the header, and None for others."""
        text = request.headers.get(FAULTS_HEADER)
        return None if text is None else _RequestDriver(self, text)

    async def execute(self, operation: Operation[R], text: str) -> R:
        """Execute an operation with the faults in the text of a header."""
        try:
            faults = parse_faults(text)
            is_delayed = self._is_delayed(faults)
            self._delayed += is_delayed
            try:
                return await self._driver.execute_with(operation, faults)
            finally:
                self._delayed -= is_delayed
        except FaultsError as error:
            raise ValidationError(f"{FAULTS_HEADER}: {error}") from None

    def _is_delayed(self, faults: Faults) -> bool:
        """Return whether faults delay a request; raise FaultsError if that uses up connections."""
        latency = faults.latency + faults.jitter
        if latency > MAX_LATENCY:
            raise FaultsError(
                f"latency plus jitter must be at most {MAX_LATENCY:g} s, but is {latency:g} s."
            )
        if latency and self._delayed >= MAX_DELAYED:
            raise FaultsError(f"{MAX_DELAYED} requests are already being delayed. Try again later.")
        return latency > 0


class _RequestDriver:
    """A driver that injects the faults of one request."""

    def __init__(self, faults: HeaderFaults, text: str) -> None:
        self._faults = faults
        self._text = text

    async def execute(self, operation: Operation[R], /) -> R:
        return await self._faults.execute(operation, self._text)
