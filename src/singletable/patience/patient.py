"""Drivers that are patient by themselves, and what sends once beneath them."""

from __future__ import annotations

from typing import Protocol, TypeVar, runtime_checkable

from singletable.operations import AsyncDriver, Driver

D = TypeVar("D", Driver, AsyncDriver)


@runtime_checkable
class Patient(Protocol):
    """A driver that sends again by itself; `once` is the driver that does not."""

    @property
    def once(self) -> object:
        """The same, sending each request once."""
        ...


def sends_once(driver: D) -> D:
    """The driver that sends once: whoever has patience of their own must not multiply it."""
    return driver.once if isinstance(driver, Patient) else driver  # type: ignore[return-value]
