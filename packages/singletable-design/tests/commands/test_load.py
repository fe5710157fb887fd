"""`singletable load`: from sample items to a verdict, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.run import Run

MODULE = """
from singletable import (
    Attr, Entity, Key, PatternCatalog, Table, attr, creates, per_second, updates,
)

notes = Table("notes")


class Note(Entity, table=notes):
    name: Attr[str] = attr()
    text: Attr[str] = attr(default="")

    key = Key(pk=("NOTE", name), sk="NOTE")


class Odd(Entity, table=notes):
    name: Attr[str] = attr()
    code: Attr[str] = attr(check=lambda code: code == "ok")

    key = Key(pk=("ODD", name), sk="ODD")


patterns = PatternCatalog("notes", notes, sizes={Note: 500}, counts={Note: 100_000, Odd: 10})
patterns.read("N1", "A note", Note.key, rate=per_second(100, peak=300))
patterns.write("N2", "Write a note", creates(Note), rate=per_second(20))
patterns.write("N3", "Edit a note", updates(Note, Note.text))
patterns.read("O1", "An odd one", Odd.key, rate=per_second(1))
"""
APP = "loaded_notes"


@pytest.fixture(autouse=True)
def app(folder: Path) -> Path:
    (folder / f"{APP}.py").write_text(MODULE)
    return folder


QUICK = ("--seconds", "0.2", "--scale", "50 notes")


def test_load_in_memory_prints_calls_and_units(run: Run) -> None:
    code, out, err = run("load", APP, *QUICK, "--json", "load.json")
    assert code == 0
    assert "The sample has 50 items" in err
    assert "All targets were reached" in " ".join(out.split())
    assert "Units of a call" in out
    assert "N3" in out  # it has no rate
    assert "no sample items of Odd" in out
    assert "@sample_fields(Odd)" in out.replace("\n", "")
    figures = json.loads(Path("load.json").read_text())
    assert {one["pattern"] for one in figures["patterns"]} == {"notes:N1", "notes:N2"}


def test_load_at_the_peak_calls_more(run: Run) -> None:
    _, out, _ = run("load", APP, *QUICK, "--rate", "peak", "--patterns", "N1")
    assert "planned 300.0 a second" in out
    _, out, _ = run("load", APP, *QUICK, "--rate", "60/s")
    assert "planned 60.0 a second" in out


def test_load_ends_with_code_1_if_a_target_is_missed(run: Run) -> None:
    code, out, _ = run("load", APP, *QUICK, "--max-p99", "0.001")
    assert code == 1
    assert "took longer than" in out


def test_load_writes_to_tables_with_items_only_with_yes(run: Run) -> None:
    address = ("--address", "file:notes.db")
    assert "There is no file" in run.rejected("load", APP, *QUICK, *address, "--populate")
    assert "--populate" in run.rejected("load", APP, *QUICK, *address, "--create-tables")
    code, _, _ = run("load", APP, *QUICK, *address, "--populate")
    assert code == 0
    code, _, err = run("load", APP, *QUICK, *address)
    assert (code, "already has items" in err, "pass --yes" in err) == (2, True, True)
    code, _, _ = run("load", APP, *QUICK, *address, "--yes")
    assert code == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--rate", "fast"), "Expected a factor such as 2x"),
        (("--rate", "1000000000/s"), "expected at most 100,000"),
        (("--patterns", "N9"), "there is no pattern N9"),
        (("--patterns", "N3"), "has no rate"),
        (("--scale", "ten"), "expected a factor such as 10x"),
        (("--address", "notes.db"), "is not an address"),
    ],
)
def test_load_explains_wrong_options(run: Run, options: tuple[str, ...], message: str) -> None:
    assert message in run.rejected("load", APP, "--seconds", "0.1", *options)
