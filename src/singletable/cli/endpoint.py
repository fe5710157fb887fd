"""An endpoint as it was asked for: opened, greeted with, and served until it is stopped."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from singletable.engine import AsyncEngine, Engine, Settings
from singletable.operations import AsyncDriver
from singletable.server import (
    AccessLog,
    DynamoDBApp,
    Metrics,
    Observer,
    check_host,
    run_until_stopped,
)

if TYPE_CHECKING:
    from singletable.server.guard import Guard

_EXAMPLES = (
    (
        "boto3",
        """\
    boto3.client("dynamodb", endpoint_url="{url}", region_name="{region}",
                 aws_access_key_id="any", aws_secret_access_key="any")
""",
    ),
    (
        "AWS CLI",
        """\
    export AWS_ACCESS_KEY_ID=any AWS_SECRET_ACCESS_KEY=any AWS_REGION={region}
    aws dynamodb list-tables --endpoint-url {url}
""",
    ),
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What was asked for."""

    file: Path | None
    durable: bool
    host: str
    port: int
    region: str
    account: str
    credentials: Path | None
    faults: str | None
    metrics: bool
    access_log: str | None


def serve(asked: Endpoint) -> None:
    """Serve until a signal asks to stop; what cannot be is refused first."""
    check_host(asked.host, guarded=asked.credentials is not None)
    guard = _guard(asked)
    injected = _faults(asked)
    settings = Settings(region=asked.region, account=asked.account, durable=asked.durable)
    file, log_name = asked.file, asked.access_log
    engine = Engine.in_memory(settings) if file is None else Engine.on_file(file, settings)
    with engine, nullcontext() if log_name is None else AccessLog(log_name) as log:
        driver: AsyncDriver = AsyncEngine(engine)
        if injected is not None:
            driver = injected(driver)
        metrics = Metrics() if asked.metrics else None
        observer = Observer(metrics, log) if metrics or log else None
        app = DynamoDBApp(driver, region=asked.region, observer=observer, guard=guard)
        serving = run_until_stopped(
            app,
            driver,
            host=asked.host,
            port=asked.port,
            observer=observer,
            eager=True,
            on_start=partial(_greet, asked),
        )
        # What is here now stays, and a request leaves nothing that refers to itself: so there is
        # little to look for, and it is looked for seldom.
        gc.freeze()
        gc.set_threshold(10_000, 50, 50)
        with asyncio.Runner(loop_factory=_new_loop) as runner:
            runner.run(serving)


def _new_loop() -> asyncio.AbstractEventLoop:
    """uvloop's event loop where it is installed, which is the faster one."""
    try:
        from uvloop import new_event_loop
    except ImportError:
        return asyncio.new_event_loop()
    return new_event_loop()


# Who asks for neither does not wait for what they need.


def _guard(asked: Endpoint) -> Guard | None:
    if asked.credentials is None:
        return None
    from singletable.server.guard import Guard

    return Guard.from_file(asked.credentials, region=asked.region, account=asked.account)


def _faults(asked: Endpoint) -> Callable[[AsyncDriver], AsyncDriver] | None:
    if asked.faults is None:
        return None
    from singletable.faults import AsyncFaultyDriver, parse_faults

    faults = parse_faults(asked.faults)
    return lambda driver: AsyncFaultyDriver(driver, faults)


def _greet(asked: Endpoint, host: str, port: int) -> None:
    """Say where it is and how to talk to it."""
    # Whoever reads the log from standard output should find nothing else there.
    say = partial(typer.echo, err=asked.access_log == "-")
    url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    where = "in memory" if asked.file is None else f"in {asked.file}"
    say(f"\nDynamoDB is at {typer.style(url, bold=True)}, its tables {where}. Ctrl-C stops it.\n")
    for client, text in _EXAMPLES:
        say(typer.style(f"  {client}", dim=True))
        say(text.format(url=url, region=asked.region))
