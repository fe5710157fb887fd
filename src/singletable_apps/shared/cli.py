"""What every command that serves may be told: where to listen, and as what people know it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Annotated, TypeAlias

import typer

Host: TypeAlias = Annotated[str, typer.Option(help="The address to listen on.")]
Port: TypeAlias = Annotated[
    int, typer.Option(min=0, max=65535, help="The port to listen on; 0 takes a free one.")
]
PublicUrl: TypeAlias = Annotated[
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


@contextmanager
def exit_on_error() -> Generator[None]:
    """End with one paragraph and exit code 2 when something is refused."""
    try:
        from singletable_apps.shared.serve import EXPECTED_ERRORS
        from singletable_apps.shared.serve import error_text as words_of
    except ModuleNotFoundError as missing:
        raise _missing(missing) from None
    try:
        yield
    except EXPECTED_ERRORS as refusal:
        typer.echo(f"singletable: {words_of(refusal)}", err=True)
        raise typer.Exit(2) from None
    except ModuleNotFoundError as missing:
        raise _missing(missing) from None


def _missing(missing: ModuleNotFoundError) -> BaseException:
    """What ends the command, if it is a package that was not installed with us."""
    if missing.name is None or missing.name.partition(".")[0].startswith("singletable"):
        return missing
    typer.echo(
        f"singletable: The apps need {missing.name}: pip install 'singletable[apps]'.", err=True
    )
    return typer.Exit(2)
