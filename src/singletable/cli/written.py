"""What options of commands say in texts, and where a command's text goes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from singletable.infrastructure import Encryption


def pairs(option: str, written: Iterable[str]) -> dict[str, str]:
    """The names and values of `NAME=VALUE`, as often as the option was given."""
    found: dict[str, str] = {}
    for one in written:
        name, equals, value = one.partition("=")
        if not name or not equals:
            raise typer.BadParameter(
                f"{one!r} is not of the form NAME=VALUE.", param_hint=repr(option)
            )
        found[name] = value
    return found


def encryption_key(written: str) -> Encryption:
    """The key that an option names."""
    from singletable.infrastructure import AwsManagedKey, AwsOwnedKey, CustomerKey

    match written:
        case "aws-owned":
            return AwsOwnedKey()
        case "aws-managed":
            return AwsManagedKey()
        case _:
            return CustomerKey(written)


def give(text: str, file: Path | None) -> None:
    """Print the text, or write it to the file."""
    if file is None:
        typer.echo(text, nl=False)
        return
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise typer.BadParameter(
            f"{file} cannot be written: {error.strerror}.", param_hint="'--output'"
        ) from None
