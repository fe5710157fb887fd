"""Send operations with the sync or the async driver, so that each test runs on both."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeAlias

from dynamodb_engine.operations import Operation
from singletable.errors import SingleTableError
from singletable.remote import AsyncRemote, Remote

# Sends operations on one driver, in order; returns the output or the error of each.
Send: TypeAlias = Callable[..., list[Any]]


def send_sync(address: str, *operations: Operation[Any], retries: bool = False) -> list[Any]:
    """Send the operations with the sync driver."""
    results: list[Any] = []
    with Remote.at(address) as driver:
        for operation in operations:
            try:
                results.append((driver if retries else driver.inner).execute(operation))
            except SingleTableError as error:
                results.append(error)
    return results


def send_async(address: str, *operations: Operation[Any], retries: bool = False) -> list[Any]:
    """Send the operations with the async driver."""

    async def send_all() -> list[Any]:
        results: list[Any] = []
        async with AsyncRemote.at(address) as driver:
            for operation in operations:
                try:
                    results.append(await (driver if retries else driver.inner).execute(operation))
                except SingleTableError as error:
                    results.append(error)
        return results

    return asyncio.run(send_all())
