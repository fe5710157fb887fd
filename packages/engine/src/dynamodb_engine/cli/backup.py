"""`dynamodb-engine backup`: copy a database file while an engine uses it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def backup(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The database file, such as votes.db.")
    ],
    copy: Annotated[Path, typer.Argument(metavar="NEW_FILE", help="The copy, a new file.")],
) -> None:
    """Copy a database file to a new one, compacted, even while an engine uses it.

    The copy has everything that is committed when the command starts.
    """
    from dynamodb_engine.addresses import local_file
    from dynamodb_engine.engine.file_backup import back_up_file

    path = local_file(file)
    back_up_file(path, copy)
    typer.echo(f"Copied {path} to {copy} ({copy.stat().st_size:,} bytes).")
