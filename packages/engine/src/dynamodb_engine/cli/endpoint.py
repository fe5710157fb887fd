"""Serve a DynamoDB endpoint until a signal stops it."""

from __future__ import annotations

import asyncio
import ctypes
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from dynamodb_engine import server
from dynamodb_engine.addresses import hide_password, open_engine
from dynamodb_engine.engine import AsyncEngine, Retention, Settings
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.garbage_collection import tune_for_serving
from dynamodb_engine.operations import AsyncDriver
from dynamodb_engine.wire import HttpRequest

if TYPE_CHECKING:
    from dynamodb_engine.server.guard import Guard

# Most transactions take milliseconds; the updates of 100 items of 400 KB take three seconds.
MAX_TRANSACTION_SECONDS = 5.0
_EXAMPLES = (
    (
        "boto3",
        """\
    boto3.client("dynamodb", endpoint_url="{url}", region_name="{region}",
                 aws_access_key_id="{credential}", aws_secret_access_key="{credential}")
""",
    ),
    (
        "AWS CLI",
        """\
    export AWS_ACCESS_KEY_ID={credential} AWS_SECRET_ACCESS_KEY={credential} AWS_REGION={region}
    aws dynamodb list-tables --endpoint-url {url}
""",
    ),
)


@dataclass(frozen=True, slots=True)
class EndpointConfig:
    """The options of the command."""

    address: str
    durable: bool
    feed_records: int
    kinesis_folder: Path | None
    host: str
    port: int
    region: str
    allowed_hosts: tuple[str, ...]
    tls_cert: Path | None
    tls_key: Path | None
    credentials: Path | None
    faults: str | None
    metrics: bool
    access_log: str | None


def _retention(records: int) -> Retention:
    """Return the retention of the change feed, with enough bytes for the records."""
    usual = Retention()
    return Retention(records, bytes=max(usual.bytes, usual.bytes * records // usual.records))


def serve_until_stopped(config: EndpointConfig) -> None:
    """Check the options, then serve until a signal stops the process."""
    server.check_host(config.host, guarded=config.credentials is not None)
    guard = _guard(config)
    injected, with_header = _faults(config)
    cert, key = config.tls_cert, config.tls_key
    tls = None if cert is None or key is None else server.load_tls(cert, key)
    settings = Settings(
        region=config.region,
        durable=config.durable,
        retention=_retention(config.feed_records),
        kinesis_folder=config.kinesis_folder,
        max_transaction_seconds=MAX_TRANSACTION_SECONDS,
    )
    log_name = config.access_log
    with (
        open_engine(config.address, settings) as engine,
        nullcontext() if log_name is None else server.AccessLog(log_name) as log,
    ):
        driver: AsyncDriver = AsyncEngine(engine)
        if injected is not None:
            driver = injected(driver)
        metrics = server.Metrics() if config.metrics else None
        observer = server.Observer(metrics, log) if metrics or log else None
        app = server.DynamoDBApp(
            driver,
            region=config.region,
            account=settings.account,
            observer=observer,
            guard=guard,
            allowed_hosts=config.allowed_hosts,
            driver_for=_driver_for(driver, with_header=with_header),
        )
        serving = server.run_until_stopped(
            app,
            driver,
            host=config.host,
            port=config.port,
            observer=observer,
            eager=True,
            tls=tls,
            on_start=partial(print_usage, config),
        )
        tune_for_serving()
        _return_large_blocks()
        with asyncio.Runner(loop_factory=_new_loop) as runner:
            runner.run(serving)


def _where(config: EndpointConfig) -> str:
    """Return where the tables are, without the password of an address."""
    kind, _, path = config.address.partition(":")
    if kind == "memory":
        return "in memory"
    return f"in {path}" if kind == "file" else f"at {hide_password(config.address)}"


def _return_large_blocks() -> None:
    """Have the C library return large blocks of memory to the system as soon as they are freed.

    By default glibc keeps up to 32 MB of them per thread, and requests have up to 16 MB.
    """
    threshold = -3  # M_MMAP_THRESHOLD of glibc
    with suppress(AttributeError):  # other C libraries have no mallopt
        ctypes.CDLL(None).mallopt(threshold, 256 * 1024)


def _new_loop() -> asyncio.AbstractEventLoop:
    """Return uvloop's event loop if it is installed, because it is faster."""
    try:
        from uvloop import new_event_loop
    except ImportError:
        return asyncio.new_event_loop()
    return new_event_loop()


def _guard(config: EndpointConfig) -> Guard | None:
    if config.credentials is None:
        return None
    from dynamodb_engine.server.guard import Guard

    return Guard.from_file(config.credentials, region=config.region, account=Settings().account)


def _faults(config: EndpointConfig) -> tuple[Callable[[AsyncDriver], AsyncDriver] | None, bool]:
    """Return what injects the faults of all requests, and whether requests may have their own."""
    if config.faults is None:
        return None, False
    from dynamodb_engine.faults import AsyncFaultyDriver, parse_faults

    parts = [part.strip() for part in config.faults.split(",")]
    faults = parse_faults(",".join(part for part in parts if part != "header"))
    inject = None if faults.is_empty else lambda driver: AsyncFaultyDriver(driver, faults)
    return inject, "header" in parts


def _driver_for(
    driver: AsyncDriver, *, with_header: bool
) -> Callable[[HttpRequest], AsyncDriver | None]:
    if not with_header:
        return _reject_faults
    from dynamodb_engine.faults import HeaderFaults

    return HeaderFaults(driver)


def _reject_faults(request: HttpRequest) -> None:
    if "x-singletable-faults" in request.headers:
        raise ValidationError(
            "x-singletable-faults: this endpoint does not accept the header. Start it with "
            "--faults header."
        )


def print_usage(config: EndpointConfig, host: str, port: int) -> None:
    """Print the URL and how to connect."""
    # If the access log is on standard output, nothing else may be there.
    echo = partial(typer.echo, err=config.access_log == "-")
    # Every interface is not an address that a client can open; this machine's is.
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    scheme = "http" if config.tls_cert is None else "https"
    url = f"{scheme}://[{shown}]:{port}" if ":" in shown else f"{scheme}://{shown}:{port}"
    reach = "" if shown == host else f" and at every other address of this machine, port {port},"
    where = _where(config)
    link = typer.style(url, bold=True)
    echo(f"\nServing DynamoDB at {link}{reach} with tables {where}. Ctrl-C stops it.\n")
    # With a credentials file, only its credentials work.
    credential = "any" if config.credentials is None else "…"
    for client, text in _EXAMPLES:
        echo(typer.style(f"  {client}", dim=True))
        echo(text.format(url=url, region=config.region, credential=credential))
