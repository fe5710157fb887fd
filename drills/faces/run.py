"""Run clients: in threads on one engine, in tasks of one event loop, or one step each in turn."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import TypeAlias

from drills.faces.client import Client, carried_out, refused
from drills.faces.endpoint import on_endpoint
from singletable import AsyncEngine, Driver, Engine, OperationError

Face: TypeAlias = Callable[[Engine, Sequence[Client]], None]


def in_threads(engine: Driver, clients: Sequence[Client]) -> None:
    """Every client has a thread of its own."""
    failures: list[BaseException] = []

    def work(client: Client) -> None:
        try:
            _in_turn(engine, client)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


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
