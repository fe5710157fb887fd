"""`singletable dynamodb`: the embedded engine on the wire, for every DynamoDB client."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from singletable.engine import AsyncEngine, Engine, Settings
from singletable.errors import AddressError
from singletable.faults import AsyncFaultyDriver, faults_from_text
from singletable.operations import AsyncDriver
from singletable.server import (
    AccessLog,
    DynamoDBApp,
    Guard,
    Limits,
    Metrics,
    Observer,
    check_address,
    run_until_stopped,
)

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


def dynamodb(
    file: Annotated[
        Path | None,
        typer.Option("--file", metavar="PATH", help="Keep the tables in this file."),
    ] = None,
    memory: Annotated[
        bool,
        typer.Option("--memory", help="Keep the tables in memory only. This is the default."),
    ] = False,
    host: Annotated[
        str,
        typer.Option(help="The address to listen on. Other than this machine's needs credentials."),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port to listen on; 0 takes a free one.")
    ] = 8000,
    region: Annotated[str, typer.Option(help="The region that the tables are said to be in.")] = (
        "us-east-1"
    ),
    account: Annotated[
        str, typer.Option(help="The account that the tables are said to belong to: 12 digits.")
    ] = "123456789012",
    credentials: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Verify every signature against the credentials in this file, and hold each to "
            "its policy. Without it any credentials are accepted.",
        ),
    ] = None,
    faults: Annotated[
        str | None,
        typer.Option(
            metavar="FAULTS",
            help="Fail now and then as DynamoDB does, such as throttle=0.1,latency=20ms,seed=7.",
        ),
    ] = None,
    metrics: Annotated[
        bool,
        typer.Option(help="Tell Prometheus what is asked and consumed, at /metrics."),
    ] = False,
    access_log: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Append a line of JSON for each request to this file; - is standard output.",
        ),
    ] = None,
) -> None:
    """Run a DynamoDB that every client can use: boto3, the AWS CLI, any SDK.

    Point the client at the address this prints and give it any credentials: unless there is a file
    of them, they are accepted and ignored. Expired items are removed as they expire. Ctrl-C stops
    cleanly: what has arrived is answered, and the file holds everything that was acknowledged.
    """
    if file is not None and memory:
        raise AddressError("Give --file or --memory, not both.")
    if file is not None and access_log is not None and file.resolve() == Path(access_log).resolve():
        raise AddressError("The tables and the access log cannot be in one file.")
    check_address(host, guarded=credentials is not None)
    guard = None
    if credentials is not None:
        guard = Guard.from_file(credentials, region=region, account=account)
    injected = None if faults is None else faults_from_text(faults)
    settings = Settings(region=region, account=account)
    engine = Engine.in_memory(settings) if file is None else Engine.on_file(file, settings)
    where = "in memory" if file is None else f"in {file}"
    # Whoever reads the log from standard output should find nothing else there.
    console = Console(highlight=False, soft_wrap=True, stderr=access_log == "-")
    with engine, nullcontext() if access_log is None else AccessLog(access_log) as log:
        driver: AsyncDriver = AsyncEngine(engine)
        if injected is not None:
            driver = AsyncFaultyDriver(driver, injected)
        observer = Observer(Metrics() if metrics else None, log) if metrics or log else None
        app = DynamoDBApp(driver, region=region, observer=observer, guard=guard)
        asyncio.run(
            run_until_stopped(
                app,
                driver,
                host=host,
                port=port,
                limits=Limits(),
                observer=observer,
                at_once=True,
                on_start=lambda at, number: _greet(console, at, number, where, region),
            )
        )


def _greet(console: Console, host: str, port: int, where: str, region: str) -> None:
    """Say where it is and how to talk to it."""
    at = f"[{host}]" if ":" in host else host
    url = f"http://{at}:{port}"
    tables = escape(where)
    console.print(f"\nDynamoDB is at [bold]{url}[/bold], its tables {tables}. Ctrl-C stops it.\n")
    for client, text in _EXAMPLES:
        console.print(Text(f"  {client}", style="dim"))
        console.print(Text(text.format(url=url, region=region)))
