"""The project of `singletable new app`, with entities of `singletable new entity`, has its types."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from singletable.cli import main
from tests.house.sources import ROOT

# mypy checks the template itself with all other sources, and pyright does, too.
ENTITIES = (
    ("Speaker", "--owned-by", "Event", "--field", "level:low|high", "--across", "level"),
    ("Badge", "--owned-by", "Booking", "--one", "--field", "fee:Decimal?", "--field", "on:bool"),
    ("Venue", "--field", "city", "--field", "floors:int", "--across", "city", "--order", "floors"),
    ("Note", "--field", "id:UUID", "--id", "id", "--field", "day:date", "--all", "--order", "day"),
)


def test_generated_entities_pass_mypy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    _run("new", "app", "typed_bookings", "--folder", ".")
    for name, *options in ENTITIES:
        output = f"typed_bookings/{name.lower()}.py"
        _run("new", "entity", name, "typed_bookings.patterns", *options, "--output", output, "-y")
    _check_types(tmp_path)


def test_generated_pages_pass_mypy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    _run("new", "app", "typed_notes", "--folder", ".", "--pages")
    shelf = ("--field", "name", "--all", "--order", "name", "--output", "typed_notes/shelf.py")
    _run("new", "entity", "Shelf", "typed_notes.patterns", *shelf, "-y")
    _check_types(tmp_path)


def _check_types(folder: Path) -> None:
    files = sorted(map(str, folder.glob("*/*.py")))
    # In the root of the repository mypy finds its cache of the library.
    process = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *files],
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stdout


def _run(*arguments: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert not ended.value.code
