"""Run an endpoint until it is told to stop: listen, sweep expired items, and end cleanly."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import signal
from collections.abc import Callable

from singletable.errors import AddressError
from singletable.operations import AsyncDriver, SweepExpired
from singletable.server.listener import Answering, Limits, Listener

SWEEP_EVERY = 1.0


def check_address(host: str, *, guarded: bool) -> None:
    """Raise AddressError if others could reach the endpoint without being asked who they are."""
    if guarded or is_loopback(host):
        return
    raise AddressError(
        f"'{host}' can be reached from other machines, and without credentials anyone there could "
        "read and change the tables. Listen on 127.0.0.1, or give a file of credentials with "
        "--credentials."
    )


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


async def run_until_stopped(
    app: Answering,
    driver: AsyncDriver,
    *,
    host: str,
    port: int,
    limits: Limits | None = None,
    sweep_every: float = SWEEP_EVERY,
    on_start: Callable[[str, int], None],
) -> None:
    """Serve until a signal asks to stop; then answer what has arrived, and return."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop.set)
    listener = Listener(app, limits)
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
    sweeping.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await sweeping
    await listener.stop()


async def _sweep(driver: AsyncDriver, every: float) -> None:
    """Remove expired items again and again, a batch at a time."""
    while True:
        swept = await driver.execute(SweepExpired())
        await asyncio.sleep(0 if swept.more else every)
