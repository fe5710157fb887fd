"""What a command made, printed or written to a file that was not there before."""

from __future__ import annotations

from pathlib import Path

import typer

from singletable.errors import StorageError


def write_new(text: str, path: Path | None) -> None:
    """Print the text, or write it to a new file; one that is there is left alone."""
    if path is None:
        typer.echo(text, nl=not text.endswith("\n"))
        return
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise StorageError(
            f"'{path}' is there already, and is not written over. Name a new file."
        ) from None
    except OSError as problem:
        raise StorageError(f"'{path}' cannot be written: {problem.strerror}.") from None
    typer.echo(f"Written to {path}.", err=True)
