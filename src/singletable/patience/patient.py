"""Drivers that are patient by themselves, and what sends once beneath them."""

from __future__ import annotations

from typing import Protocol, TypeVar, cast

from singletable.operations import AsyncDriver, Driver

D = TypeVar("D", Driver, AsyncDriver)


class Patient(Protocol):
    """A driver that sends again by itself; `once` is the driver that does not."""

    @property
    def once(self) -> object:
        """The same, sending each request once."""
        ...


def sends_once(driver: D) -> D:
    """The driver that sends once: whoever has patience of their own must not multiply it."""
    # Asked by name: whether something is a Protocol is a slow question, and stores are made often.
    return cast(D, getattr(driver, "once", driver))
