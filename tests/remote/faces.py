"""Both faces of the driver as one, so that a claim is written once and tried on each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeAlias

from singletable.errors import SingleTableError
from singletable.operations import Operation
from singletable.remote import AsyncRemote, Remote

# What each operation was answered with, or the error that it met; asked on one driver, in order.
Asking: TypeAlias = Callable[..., list[Any]]


def in_a_thread(address: str, *operations: Operation[Any], once: bool = True) -> list[Any]:
    """The answers that the driver for threads gives."""
    answers: list[Any] = []
    with Remote.at(address) as driver:
        for operation in operations:
            try:
                answers.append((driver.inner if once else driver).execute(operation))
            except SingleTableError as error:
                answers.append(error)
    return answers


def on_a_loop(address: str, *operations: Operation[Any], once: bool = True) -> list[Any]:
    """The answers that the driver for event loops gives."""

    async def ask() -> list[Any]:
        answers: list[Any] = []
        async with AsyncRemote.at(address) as driver:
            for operation in operations:
                try:
                    answers.append(await (driver.inner if once else driver).execute(operation))
                except SingleTableError as error:
                    answers.append(error)
        return answers

    return asyncio.run(ask())
