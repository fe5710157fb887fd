"""The command line: what it says to a stranger, and how it ends."""

from __future__ import annotations

import sqlite3
from importlib.metadata import version
from pathlib import Path

import pytest

from singletable import ListTables, connect
from tests.cli.run import Run


def test_help_names_the_commands_and_where_to_begin(run: Run) -> None:
    code, out, _ = run("--help")
    assert code == 0
    for word in ("tour", "version", "singletable tour"):
        assert word in out


@pytest.mark.parametrize("command", ["tour", "version"])
def test_each_command_explains_itself(run: Run, command: str) -> None:
    code, out, _ = run(command, "--help")
    assert code == 0
    assert "Usage" in out


def test_version_is_that_of_the_package(run: Run) -> None:
    assert run("version") == (0, f"singletable {version('singletable')}\n", "")


def test_a_command_that_is_not_there_is_a_usage_error(run: Run) -> None:
    code, _, err = run("tuor")
    assert code == 2
    assert "tuor" in err


def test_a_kept_tour_can_be_opened(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "votes.db"
    code, out, _ = run("tour", "--file", str(file))
    assert code == 0
    assert "connect" in out
    with connect(f"file:{file}") as driver:
        assert driver.execute(ListTables()).table_names == [
            "DataTable",
            "engagements-dev-table",
            "glad-entities",
            "ranked-choice-polls",
            "vote_data",
            "vote_event_log",
        ]


# A file that cannot be used is the user's to mend: one paragraph says how, and nothing is touched.
def test_a_tour_is_not_written_over_another(run: Run, tmp_path: Path) -> None:
    file = str(tmp_path / "votes.db")
    run("tour", "--file", file)
    code, _, err = run("tour", "--file", file)
    assert code == 2
    assert "holds 6 tables already" in err


def test_another_programs_database_is_left_alone(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "notes.db"
    with sqlite3.connect(file) as other:
        other.execute("CREATE TABLE notes (text)")
    other.close()
    before = file.read_bytes()
    code, _, err = run("tour", "--file", str(file))
    _is_one_paragraph(code, err)
    assert "another program" in err
    assert file.read_bytes() == before


def test_a_file_that_is_no_database_is_left_alone(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear Ada, " * 1000)
    code, _, err = run("tour", "--file", str(file))
    _is_one_paragraph(code, err)
    assert file.read_text() == "Dear Ada, " * 1000


@pytest.mark.parametrize("path", [".", "nowhere/votes.db", "/proc/votes.db"])
def test_a_path_that_cannot_be_written_is_explained(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = run("tour", "--file", path)
    _is_one_paragraph(code, err)


def _is_one_paragraph(code: int, err: str) -> None:
    assert code == 2
    assert err.startswith("singletable: ")
    assert "\n\n" not in err.strip()
    assert "Traceback" not in err
