"""`singletable dynamodb`: serve the embedded engine to every DynamoDB client."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from singletable.errors import AddressError


class Durability(StrEnum):
    """The durability of acknowledged writes in a file."""

    FULL = "full"
    NORMAL = "normal"


def dynamodb(
    file: Annotated[
        Path | None,
        typer.Option("--file", metavar="PATH", help="Store the tables in this file."),
    ] = None,
    memory: Annotated[
        bool,
        typer.Option("--memory", help="Keep the tables in memory only. This is the default."),
    ] = False,
    durability: Annotated[
        Durability,
        typer.Option(
            help="full: acknowledged writes survive a power cut. normal: they survive a crash of "
            "the process only, but writes are faster."
        ),
    ] = Durability.FULL,
    host: Annotated[
        str,
        typer.Option(
            help="The host to listen on. Hosts other than localhost require --credentials."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port to listen on; 0 chooses a free one.")
    ] = 8000,
    region: Annotated[str, typer.Option(help="The region in the ARNs of tables.")] = "us-east-1",
    account: Annotated[
        str, typer.Option(help="The account in the ARNs of tables: 12 digits.")
    ] = "123456789012",
    credentials: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Verify signatures with the credentials in this file and enforce their policies. "
            "Without it, any credentials are accepted.",
        ),
    ] = None,
    faults: Annotated[
        str | None,
        typer.Option(
            metavar="FAULTS",
            help="Inject faults, such as throttle=0.1,latency=20ms,seed=7.",
        ),
    ] = None,
    metrics: Annotated[
        bool,
        typer.Option(help="Serve Prometheus metrics at /metrics."),
    ] = False,
    access_log: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Append a line of JSON per request to this file; - is standard output.",
        ),
    ] = None,
) -> None:
    """Run a DynamoDB endpoint for every client: boto3, the AWS CLI, any SDK.

    Point the client at the URL that this prints. Any credentials are accepted unless you pass a
    credentials file. Expired items are deleted in the background. Ctrl-C stops it cleanly: pending
    requests are answered, and the file contains every acknowledged write.
    """
    if file is not None and memory:
        raise AddressError("Use --file or --memory, not both.")
    if file is None and durability is not Durability.FULL:
        raise AddressError("--durability requires --file: tables in memory are not durable.")
    if file is not None and access_log is not None and file.resolve() == Path(access_log).resolve():
        raise AddressError("--file and --access-log must be different files.")
    from singletable.cli.endpoint import EndpointConfig, serve

    serve(
        EndpointConfig(
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
