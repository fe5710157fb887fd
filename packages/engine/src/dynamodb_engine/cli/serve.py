"""`dynamodb-engine serve`: serve the engine to every DynamoDB client."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from dynamodb_engine.addresses import EXPECTED, file_path
from dynamodb_engine.errors import AddressError


def _check_region(region: str) -> str:
    """Return the region; raise BadParameter unless it has the form of one."""
    if not re.fullmatch(r"[a-z]{2,4}(-[a-z]+)+-[0-9]{1,2}", region):
        raise typer.BadParameter(f"Expected a region such as eu-west-1, but got {region!r}.")
    return region


def _check_names(names: list[str] | None) -> list[str] | None:
    """Return the host names; raise BadParameter if one is a URL or has a port."""
    for name in names or ():
        if not re.fullmatch(r"[A-Za-z0-9._-]+", name):
            raise typer.BadParameter(
                f"Expected a host name without a scheme and port, such as dynamodb.test, "
                f"but got {name!r}."
            )
    return names


def _check_durability(durability: str) -> str:
    """Return the durability; raise BadParameter unless it is full or normal."""
    if durability not in ("full", "normal"):
        raise typer.BadParameter(f"Expected full or normal, but got {durability!r}.")
    return durability


def serve(
    address: Annotated[
        str,
        typer.Argument(
            metavar="[ADDRESS]",
            help="Where to store the tables: memory:, a file such as file:votes.db, or a server "
            "such as postgresql://user@host/database, which several endpoints can share.",
        ),
    ] = "memory:",
    durability: Annotated[
        str,
        typer.Option(
            metavar="full|normal",
            callback=_check_durability,
            help="full: acknowledged writes survive a power cut. normal: they survive a crash of "
            "the process only, but writes are faster.",
        ),
    ] = "full",
    feed_records: Annotated[
        int,
        typer.Option(
            "--feed-records",
            min=1,
            metavar="NUMBER",
            help="Keep this many changes in the change feed, for at most 24 hours. A migration "
            "carries changes over from it.",
        ),
    ] = 10_000,
    kinesis_folder: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Append the records for Kinesis streaming destinations to files in this folder, "
            "one per stream.",
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            help="The host to listen on. Hosts other than localhost require --credentials."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port to listen on; 0 chooses a free one.")
    ] = 8000,
    region: Annotated[
        str, typer.Option(callback=_check_region, help="The region in the ARNs of tables.")
    ] = "us-east-1",
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            callback=_check_names,
            help="Serve requests to this host name too, if there are no credentials. Requests to "
            "localhost and to IP addresses are always served. Repeat it for several names.",
        ),
    ] = None,
    tls_cert: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Serve HTTPS with the certificate in this PEM file; requires --tls-key.",
        ),
    ] = None,
    tls_key: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The private key of the certificate, as PEM."),
    ] = None,
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
            help="Inject faults, such as throttle=0.1,latency=20ms,seed=7. With the word header, "
            "also those in the header x-singletable-faults, into the request that has it.",
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
    kind, _, rest = address.partition(":")
    if kind.startswith(("dynamodb", "http")):
        raise AddressError(f"Tables at '{kind}:' have an endpoint already. {EXPECTED}")
    file = file_path(rest) if kind == "file" and rest else None
    if file is None and durability != "full":
        raise AddressError("--durability is for tables in a file.")
    if file is not None and access_log is not None and file.resolve() == Path(access_log).resolve():
        raise AddressError("The tables and --access-log must be in different files.")
    if (tls_cert is None) != (tls_key is None):
        raise AddressError("Use --tls-cert and --tls-key together.")
    from dynamodb_engine.cli.endpoint import EndpointConfig, serve_until_stopped

    serve_until_stopped(
        EndpointConfig(
            address=address,
            durable=durability == "full",
            feed_records=feed_records,
            kinesis_folder=kinesis_folder,
            host=host,
            port=port,
            region=region,
            allowed_hosts=tuple(allow_host or ()),
            tls_cert=tls_cert,
            tls_key=tls_key,
            credentials=credentials,
            faults=faults,
            metrics=metrics,
            access_log=access_log,
        )
    )
