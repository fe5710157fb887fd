"""Open a file again, as one does after a crash, and say what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import cast

import apsw

from drills.ledger.audit import audit
from drills.ledger.clients import SETTINGS
from drills.ledger.marks import Mark
from singletable import Engine, SingleTableError


def faults_in(
    path: Path, seed: int, marks: Sequence[Mark], *, tail_may_go: bool = False
) -> list[str]:
    """The faults of a file after these marks; that it cannot be opened is one."""
    try:
        with Engine.on_file(path, SETTINGS) as engine:
            faults = audit(engine, seed, marks, tail_may_go=tail_may_go)
    except SingleTableError as error:
        return [f"{type(error).__name__}: {error}"]
    checked = _checked(path)
    return faults if checked == "ok" else [*faults, f"integrity_check: {checked}"]


def _checked(path: Path) -> str:
    with closing(apsw.Connection(str(path))) as connection:
        # apsw's stub names a type that Python 3.11 does not have.
        rows = connection.execute("PRAGMA integrity_check")  # pyright: ignore[reportUnknownMemberType]
        return str(cast("list[tuple[object]]", list(rows))[0][0])
