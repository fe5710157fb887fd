"""`singletable introspect` turns tables into Python."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from shutil import copy

import pytest

from singletable import Store, Table, connect
from singletable_design.introspection import read_sample
from tests.introspection import designs
from tools.testing.commands import Run

DAY = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def votes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file with the tables of elections and some items."""
    file = tmp_path_factory.mktemp("votes") / "votes.db"
    with connect(f"file:{file}") as driver:
        store = Store(driver)
        for table in (designs.votes, designs.log):
            store.admin.create_table(table)
        for number, name in enumerate(("ada", "grace", "alan", "edsger")):
            store.put(designs.User(name=name, email=f"{name}@example.org", role="user"))
            store.put(designs.Election(name=f"board {name}", secret_ballot=number % 2 == 0))
            store.put(designs.Candidate(election_name="board ada", candidate_name=name))
            ranking = [designs.Ranking(1, "grace"), designs.Ranking(2, "alan")]
            ballot = designs.Ballot(election_name="board ada", voter_name=name, rankings=ranking)
            store.put(ballot)
            store.put(designs.Event(event_id=number, time=DAY, actor=name))
    return file


@pytest.fixture(autouse=True)
def votes_folder(folder: Path, wide_terminal: None, votes: Path) -> None:
    """Run in a folder with that file."""
    copy(votes, folder)


def tables_in(source: str) -> dict[str, list[str]]:
    """Execute the source and return the entity names of each table it declares."""
    names: dict[str, object] = {"__name__": "generated source"}
    exec(compile(source, "generated source", "exec", dont_inherit=True), names)
    return {
        value.name: sorted(entity.__name__ for entity in value.entities)
        for value in names.values()
        if isinstance(value, Table)
    }


@pytest.mark.parametrize(
    ("table", "entities"),
    [
        ("vote_data", "Ballot Candidate Election User"),
        ("vote_event_log", "Event"),
    ],
)
def test_tables_are_introspected(run: Run, table: str, entities: str) -> None:
    code, out, err = run("introspect", "file:votes.db", table)
    assert code == 0
    assert tables_in(out) == {table: entities.split()}
    assert "UNMATCHED" not in out
    for entity in entities.split():
        assert entity in err


def test_all_tables_of_an_address_are_introspected_together(run: Run) -> None:
    code, out, _ = run("introspect", "file:votes.db")
    assert code == 0
    assert {"vote_data", "vote_event_log"} <= set(tables_in(out))


def test_sample_size_is_respected_and_reported(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("singletable_design.cli.introspect.SAMPLE_SIZE", 5)
    _, out, _ = run("introspect", "file:votes.db", "vote_data")
    assert "# Only 5 items of 'vote_data' were read; there are more." in out
    with connect("file:votes.db") as driver:
        seen: list[int] = []
        sample = read_sample(driver, "vote_data", 9, seen.append)
    assert seen[-1] == len(sample.items) == 9


def test_output_is_written_to_a_new_file_only(run: Run, tmp_path: Path) -> None:
    first = run("introspect", "file:votes.db", "vote_data", "-o", "entities.py")
    assert first[0] == 0
    written = (tmp_path / "entities.py").read_text()
    assert "already exists" in run.rejected(
        "introspect", "file:votes.db", "vote_data", "-o", "entities.py"
    )
    assert (tmp_path / "entities.py").read_text() == written


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("introspect memory:", "There are no tables at this address"),
        (
            "introspect file:votes.db nothing",
            "There is no table 'nothing' at this address. Existing",
        ),
        ("introspect nowhere:", "Unknown kind of address"),
        ("introspect file:votes.db vote_data -o nowhere/x.py", "cannot be written"),
    ],
)
def test_errors_are_reported_without_traceback(run: Run, command: str, message: str) -> None:
    assert message in run.rejected(*command.split())
