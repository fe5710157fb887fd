"""Run an endpoint until it is told to stop: listen, sweep expired items, and end cleanly."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable

from singletable.errors import AddressError, SingleTableError
from singletable.operations import AsyncDriver, SweepExpired
from singletable.server.connection import Answering
from singletable.server.limits import Limits
from singletable.server.listener import Listener
from singletable.server.observe import Observer

SWEEP_EVERY = 1.0
_logger = logging.getLogger(__name__)


async def run_until_stopped(
    app: Answering,
    driver: AsyncDriver,
    *,
    host: str,
    port: int,
    limits: Limits | None = None,
    observer: Observer | None = None,
    at_once: bool = False,
    sweep_every: float = SWEEP_EVERY,
    on_start: Callable[[str, int], None],
) -> None:
    """Serve until a signal asks to stop; then answer what has arrived, and return."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop.set)
    listener = Listener(app, limits, observer, at_once=at_once)
    try:
        address = await listener.start(host, port)
    except OSError as error:
        raise AddressError(
            f"Nothing can listen on {host}:{port}: {error.strerror}. Choose another port with "
            "--port; 0 takes any that is free."
        ) from error
    on_start(*address)
    sweeping = asyncio.create_task(_sweep(driver, sweep_every))
    await stop.wait()
    await listener.stop()
    sweeping.cancel()
    await asyncio.wait([sweeping])


async def _sweep(driver: AsyncDriver, every: float) -> None:
    """Remove expired items again and again, a batch at a time."""
    while True:
        more = False
        try:
            more = (await driver.execute(SweepExpired())).more
        except SingleTableError as error:
            # It may be the disk, which may have room again: what has expired stays until then.
            _logger.warning("Expired items could not be removed: %s", error)
        await asyncio.sleep(0 if more else every)
