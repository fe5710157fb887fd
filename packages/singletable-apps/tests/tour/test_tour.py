"""The tour shows declared patterns of the apps, fits the terminal, and keeps its tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable import ListTables, connect
from singletable_apps.tour.designs import DESIGNS
from tests.cli.run import Run


@pytest.mark.parametrize("width", [60, 80, 200])
def test_every_line_fits_the_terminal(
    run: Run, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    code, out, _ = run("tour")
    assert code == 0
    assert max(map(len, out.splitlines())) <= min(width, 100)


# Screen readers, logs and old terminals cannot use drawn lines.
def test_plain_output_has_no_escapes_and_no_drawn_lines(run: Run) -> None:
    _, out, _ = run("tour", "--plain")
    assert out.isascii()
    assert "\x1b" not in out


def test_every_step_is_a_declared_pattern_or_has_a_title(run: Run) -> None:
    _, out, _ = run("tour", "--plain")
    titles = [line.strip() for line in out.splitlines() if line.startswith("  ") and line[2] != " "]
    declared = {str(pattern) for design in DESIGNS for pattern in design.catalog}
    for design in DESIGNS:
        assert design.catalog.name.capitalize() in out
    assert len(declared.intersection(titles)) > 20
    assert "None" not in titles


def test_tables_are_kept_in_a_new_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "votes.db"
    assert run("tour", "--file", str(file))[0] == 0
    with connect(f"file:{file}") as driver:
        tables = driver.execute(ListTables()).table_names
    assert tables == sorted(table.name for design in DESIGNS for table in design.catalog.tables)
    assert "already has 6 tables" in run.rejected("tour", "--file", str(file))
