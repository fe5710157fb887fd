"""The command `singletable serve`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from singletable_apps.shared.app_commands import (
    EMAILS,
    LISTENING,
    SIGN_IN,
    make_command,
    take_listening,
)

_FOLDER = typer.Option(metavar="FOLDER", help="Folder for tables and keys; created if missing.")
_ADDRESS = typer.Option(
    "--address",
    metavar="ADDRESS",
    help="Address of the tables, such as postgresql://user@host/votes or dynamodb:, instead of "
    "files in the folder.",
)
_SAMPLE = typer.Option(
    "--sample", help="Create sample data if the folder is new. Local servers only."
)


def _serve(given: dict[str, Any]) -> None:
    from singletable_apps.home.serve import serve_site
    from singletable_apps.shared.apps import ServeOptions

    folder, address, sample = (given.pop(name) for name in ("folder", "at", "sample"))
    listening, emails = take_listening(given, sample=sample)
    serve_site(folder, listening, ServeOptions(address, sample, emails))


serve = make_command(
    "Serve the home page, the guide and all applications.\n\n"
    "Missing tables and keys are created. Keep a backup of the keys in a safe place.",
    (
        ("folder", Annotated[Path, _FOLDER], Path("singletable-data")),
        ("at", Annotated[str | None, _ADDRESS], None),
        ("sample", Annotated[bool, _SAMPLE], False),
        *LISTENING,
        *EMAILS,
        *SIGN_IN,
    ),
    _serve,
)
