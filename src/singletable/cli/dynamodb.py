"""`singletable dynamodb`: the embedded engine on the wire, for every DynamoDB client."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from singletable.engine import AsyncEngine, Engine, Settings
from singletable.errors import AddressError
from singletable.server import DynamoDBApp, Limits, check_address, run_until_stopped

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
) -> None:
    """Run a DynamoDB that every client can use: boto3, the AWS CLI, any SDK.

    Point the client at the address this prints and give it any credentials: they are accepted and
    ignored on this machine. Expired items are removed as they expire. Ctrl-C stops cleanly: what
    has arrived is answered, and the file holds everything that was acknowledged.
    """
    if file is not None and memory:
        raise AddressError("Give --file or --memory, not both.")
    check_address(host, guarded=False)
    settings = Settings(region=region, account=account)
    engine = Engine.in_memory(settings) if file is None else Engine.on_file(file, settings)
    where = "in memory" if file is None else str(file)
    with engine:
        driver = AsyncEngine(engine)
        app = DynamoDBApp(driver, region=region)
        asyncio.run(
            run_until_stopped(
                app,
                driver,
                host=host,
                port=port,
                limits=Limits(),
                on_start=lambda at, number: _greet(at, number, where, region),
            )
        )


def _greet(host: str, port: int, where: str, region: str) -> None:
    """Say where it is and how to talk to it."""
    at = f"[{host}]" if ":" in host else host
    url = f"http://{at}:{port}"
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"\nDynamoDB is at [bold]{url}[/bold], its tables {where}. Ctrl-C stops it.\n")
    for client, text in _EXAMPLES:
        console.print(Text(f"  {client}", style="dim"))
        console.print(Text(text.format(url=url, region=region)))
