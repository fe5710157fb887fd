"""What every command that serves may be told: where to listen, and as what people know it."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

Host: TypeAlias = Annotated[str, typer.Option(help="The address to listen on.")]
Port: TypeAlias = Annotated[
    int, typer.Option(min=0, max=65535, help="The port to listen on; 0 takes a free one.")
]
Public: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="The address that people use, if a proxy is before it: links have it. With https:// "
        "cookies are sent over TLS only.",
    ),
]
Proxy: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NETWORK",
        help="A proxy whose X-Forwarded-For is believed, such as 127.0.0.1 or 10.0.0.0/8. Without "
        "it, all who come through one share its limits.",
    ),
]
