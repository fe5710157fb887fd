"""`singletable dynamodb`: the embedded engine on the wire, for every DynamoDB client."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from singletable.errors import AddressError


class Durability(StrEnum):
    """What an acknowledged write survives."""

    FULL = "full"
    NORMAL = "normal"


def dynamodb(
    file: Annotated[
        Path | None,
        typer.Option("--file", metavar="PATH", help="Keep the tables in this file."),
    ] = None,
    memory: Annotated[
        bool,
        typer.Option("--memory", help="Keep the tables in memory only. This is the default."),
    ] = False,
    durability: Annotated[
        Durability,
        typer.Option(
            help="What an acknowledged write in a file survives: a power cut as well, or, faster, "
            "the death of the process alone."
        ),
    ] = Durability.FULL,
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
    if file is None and durability is not Durability.FULL:
        raise AddressError("Tables in memory do not last: --durability goes with --file.")
    if file is not None and access_log is not None and file.resolve() == Path(access_log).resolve():
        raise AddressError("The tables and the access log cannot be in one file.")
    from singletable.cli.endpoint import Endpoint, serve

    serve(
        Endpoint(
            file=file,
            durable=durability is Durability.FULL,
            host=host,
            port=port,
            region=region,
            account=account,
            credentials=credentials,
            faults=faults,
            metrics=metrics,
            access_log=access_log,
        )
    )
