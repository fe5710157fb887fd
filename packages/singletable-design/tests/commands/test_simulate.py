"""`singletable simulate` shows hot keys and throttling, and rejects wrong options."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from singletable.cli.output import print_text_table
from singletable.text_table import TextTable
from tools.testing.commands import Run

APP = "tests.designs.directory"
# With little capacity, throttling begins at a load that is quickly simulated.
SMALL = ("--capacity", "300/100")


def test_simulate_prints_where_throttling_begins(run: Run) -> None:
    code, out, _ = run("simulate", APP, "--minutes", "1")
    words = " ".join(out.split())
    assert code == 0
    assert "1 minute from 09:00 UTC" in words
    assert "none of them throttled. Throttling begins at" in words
    assert "in a partition of directory/GSI1 with SKILL#skill-1 (read)." in words
    assert "Patterns without a rate are left out: S3." in words
    assert "without a declared size are assumed to have 1,024 bytes: User, UserSkill." in words


def test_simulate_says_which_values_are_taken_to_be_equally_frequent(run: Run) -> None:
    code, out, _ = run("simulate", APP, "--minutes", "1", *SMALL)
    assert code == 0
    assert "calls are about all values equally often: user. If some" in " ".join(out.split())


def test_simulate_scales_to_a_number_of_items_and_compares_changes(run: Run) -> None:
    code, out, _ = run(
        "simulate", APP, "--minutes", "1", "--scale", "5,000 users", "--shards", "SKILL=4",
        "--cache", "S2=90%", *SMALL,
    )  # fmt: skip
    assert code == 0
    for text in ("What changes would do", "SKILL in 4 shards", "cache for S2", "all of these"):
        assert text in out
    assert "The load is that at a scale of 5,000 users." in out


def test_simulate_with_little_capacity_reports_throttling(run: Run) -> None:
    code, out, _ = run("simulate", APP, "--minutes", "10", "--capacity", "10/2")
    assert code == 0
    assert "of them throttled" in out
    words = " ".join(out.split())
    assert "capacity of directory" in words
    assert "Simulate more capacity with --capacity READ/WRITE" in words


def test_simulate_writes_a_page(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    code, _, err = run("simulate", APP, "--minutes", "1", "--html", str(page))
    assert (code, err.count("Written to")) == (0, 1)
    assert page.read_text().startswith("<!doctype html>")


def test_simulate_fits_a_narrow_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    code, out, _ = run("simulate", APP, "--minutes", "1", *SMALL)
    assert code == 0
    assert max(map(len, out.splitlines())) <= 40


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--scale", "many"], "expected a factor such as 10x"),
        (["--scale", "5 skills"], "Entities with counts: User"),
        (["--capacity", "lots"], "on-demand, or READ/WRITE"),
        (["--capacity", "0/5"], "such as 500/100"),
        (["--shards", "SKILL"], "Expected KEY=N"),
        (["--shards", "COLOR=4"], "no partition key begins with it"),
        (["--shards", "SKILL=0"], "from 1 to 1,000"),
        (["--cache", "S2"], "Expected PATTERN=HITS"),
        (["--cache", "S2=150%"], "Expected PATTERN=HITS"),
        (["--cache", "S1=60s"], "it writes"),
        (["--cache", "S9=0.5"], "no such pattern with a rate"),
        (["--minutes", "0"], "--minutes"),
    ],
)
def test_simulate_rejects_wrong_options(run: Run, arguments: list[str], message: str) -> None:
    assert message in run.rejected("simulate", APP, *arguments)


def test_simulate_without_rates_says_what_to_declare(run: Run) -> None:
    assert "rate=per_second(20)" in run.rejected("simulate", "tools.testing.designs.shop")


def test_simulate_reports_a_file_that_cannot_be_written(run: Run, tmp_path: Path) -> None:
    # A page is rejected before the simulation starts.
    assert "there is no folder" in run.rejected(
        "simulate", APP, "--html", str(tmp_path / "missing" / "page.html")
    )


def test_names_stay_whole_next_to_many_figures() -> None:
    table = TextTable("Calls", ("pattern", *["throttled"] * 7), (("R1", *["123,456"] * 7),))

    def printed(width: int) -> str:
        console = Console(width=width, file=io.StringIO())
        with console.capture() as capture:
            print_text_table(console, table)
        return capture.get()

    assert "pattern throttled" in printed(80)
    assert "R1 · throttled 123,456" in printed(75)
