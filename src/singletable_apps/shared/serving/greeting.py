"""What a command says once an app is served."""

from __future__ import annotations

from collections.abc import Iterable

import typer

STOPPED = "Stopped. Everything that was answered is kept."
_WIDTH = 21


def tell_where(url: str, api: str, places: Iterable[tuple[str, str]]) -> None:
    """Say where programs ask, where that is described, and where everything is kept."""
    lines = [("for programs", f"{url}{api}"), ("to read", f"{url}{api}/docs"), *places]
    for what, where in lines:
        typer.echo(f"  {what:<{_WIDTH}}{where}")
