"""How a command of the apps ends when something is refused: with one paragraph, and code 2."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import typer


@contextmanager
def in_words() -> Generator[None]:
    """End with one paragraph and exit code 2 when something is refused."""
    try:
        from singletable_apps.shared.serving.refusing import REFUSALS
        from singletable_apps.shared.serving.refusing import in_words as words_of
    except ModuleNotFoundError as missing:
        raise _missing(missing) from None
    try:
        yield
    except REFUSALS as refusal:
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
