"""`dynamodb-engine backup` copies a file while an engine uses it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.sample_file import create_sample, read_contents
from tools.testing.commands import Run
from tools.testing.processes import start_script

# Waits with writes in its log until its input ends.
ENGINE = """
e = with_table(Engine.on_file(path)); put(e, "a", "b"); print("ready", flush=True); sys.stdin.read()
"""
# More than SQLite's cache of 2 MB, so that it writes some pages before the first one.
LARGE = """
from dynamodb_engine.operations import PutItem
e = with_table(Engine.on_file(path))
for number in range(12):
    e.execute(PutItem("things", {"pk": {"S": str(number)}, "text": {"S": "x" * 300_000}}))
print("ready", flush=True); sys.stdin.read()
"""


@pytest.mark.parametrize("script", [ENGINE, LARGE])
def test_copy_of_a_file_in_use_is_complete_and_intact(script: str, run: Run, folder: Path) -> None:
    path = folder / "votes.db"
    create_sample(path)
    engine = start_script(script, path)
    try:
        assert engine.stdout is not None
        assert engine.stdout.readline().strip() in (b"ready", "ready")
        assert run("backup", "votes.db", "copy.db")[0] == 0
    finally:
        engine.communicate()
    assert (folder / "copy.db").stat().st_mode & 0o777 == 0o600
    assert run("check", "copy.db")[:2] == (0, run("check", "votes.db")[1].replace("votes", "copy"))
    if script == ENGINE:  # the other one deletes old changes
        assert read_contents(folder / "copy.db") == read_contents(path)


def test_existing_file_is_not_overwritten(run: Run, folder: Path) -> None:
    create_sample(folder / "votes.db")
    (folder / "copy.db").write_text("mine")
    assert "File exists" in run.rejected("backup", "votes.db", "copy.db")
    assert (folder / "copy.db").read_text() == "mine"


def test_damaged_file_leaves_no_copy(run: Run, folder: Path) -> None:
    path = folder / "votes.db"
    create_sample(path)
    pages = path.read_bytes()
    path.write_bytes(pages[:9000] + b"damage" + pages[9006:])
    assert "a page of the file is damaged" in run.rejected("backup", "votes.db", "copy.db")
    assert not (folder / "copy.db").exists()
