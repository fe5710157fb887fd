"""Faults that a client asks for with a request, in a header of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from singletable.errors import FaultsError, ValidationError
from singletable.operations import AsyncDriver, Operation
from singletable.wire import HttpRequest

if TYPE_CHECKING:  # few ask for faults, and nobody else waits for what they need
    from singletable.faults import AsyncFaultyDriver, Faults

HEADER = "x-singletable-faults"

R = TypeVar("R")


class RequestFaults:
    """Gives each request the driver it asks for: the plain one, or one with faults."""

    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver
        self._faulty: AsyncFaultyDriver | None = None

    def driver_for(self, request: HttpRequest) -> AsyncDriver:
        """The driver to answer the request with; ValidationError if its header makes no sense."""
        text = request.headers.get(HEADER)
        if text is None:
            return self._driver
        from singletable.faults import AsyncFaultyDriver, faults_from_text

        try:
            faults = faults_from_text(text)
        except FaultsError as error:
            raise ValidationError(f"{HEADER}: {error}") from None
        if self._faulty is None:
            given = self._driver
            faulty = given if isinstance(given, AsyncFaultyDriver) else AsyncFaultyDriver(given)
            self._faulty = faulty
        return _WithFaults(self._faulty, faults)


class _WithFaults:
    """A driver that has these faults for this request."""

    def __init__(self, driver: AsyncFaultyDriver, faults: Faults) -> None:
        self._driver = driver
        self._faults = faults

    async def execute(self, operation: Operation[R], /) -> R:
        try:
            return await self._driver.execute_with(operation, self._faults)
        except FaultsError as error:
            raise ValidationError(f"{HEADER}: {error}") from None
