"""Run clients: in threads on one engine, in tasks of one event loop, or one step each in turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from drills.faces.client import Client, carried_out, refused
from drills.faces.endpoint import on_endpoint
from drills.faces.threads import side_by_side
from singletable import AsyncEngine, Driver, Engine, OperationError

Face: TypeAlias = Callable[[Engine, Sequence[Client]], None]


def in_threads(engine: Driver, clients: Sequence[Client]) -> None:
    """Every client has a thread of its own."""
    side_by_side([partial(_in_turn, engine, client) for client in clients])


def in_tasks(engine: Engine, clients: Sequence[Client]) -> None:
    """Every client is a task of one event loop."""

    async def work(driver: AsyncEngine, client: Client) -> None:
        try:
            operation = next(client)
            while True:
                try:
                    answer = carried_out(await driver.execute(operation))
                except OperationError as error:
                    answer = refused(error)
                operation = client.send(answer)
        except StopIteration:
            return

    async def run() -> None:
        await asyncio.gather(*[work(AsyncEngine(engine), client) for client in clients])

    asyncio.run(run())


def in_turn(engine: Driver, clients: Sequence[Client]) -> None:
    """One client after the other, to its end."""
    for client in clients:
        _in_turn(engine, client)


def _in_turn(engine: Driver, client: Client) -> None:
    try:
        operation = next(client)
        while True:
            try:
                answer = carried_out(engine.execute(operation))
            except OperationError as error:
                answer = refused(error)
            operation = client.send(answer)
    except StopIteration:
        return


FACES: dict[str, Face] = {"threads": in_threads, "tasks": in_tasks, "endpoint": on_endpoint}
