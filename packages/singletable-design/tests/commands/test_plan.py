"""`singletable plan` prints the cost of a design, writes files and compares two designs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from singletable_design.planning import read_report
from tools.testing.commands import Run
from tools.testing.sources import ROOT

GUIDE = ROOT / "docs/guide/planning"


@pytest.fixture
def designs(folder: Path) -> Path:
    for name in ("users_table.py", "glad_entities.py"):
        (folder / name).write_text((GUIDE / name).read_text())
    return folder


def test_plan_prints_patterns_tables_modes_and_assumptions(run: Run, designs: Path) -> None:
    code, out, err = run("plan", "users_table")
    assert (code, err) == (0, "")
    assert out.startswith("users: $328.50 a month on demand, Standard\n")
    assert "AP1  Get user by username (login)  900/s" in out
    assert "147.83   45 %" in out
    assert "✓ reserved for 3 years, Standard" in out
    assert "Patterns without a rate are left out: AP5." in out
    assert "No growth is declared." in out
    assert max(len(line) for line in out.splitlines()) <= 80


@pytest.mark.parametrize("columns", [40, 60, 120])
def test_plan_fits_the_terminal(
    run: Run, designs: Path, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    code, out, _ = run("plan", "glad_entities")
    assert code == 0
    assert max(len(line) for line in out.splitlines()) <= columns
    assert "AP13  A user" in out
    assert "542" in out


def test_json_is_printed_alone_or_written(run: Run, designs: Path) -> None:
    code, out, _ = run("plan", "users_table", "--json", "-")
    assert code == 0
    figures = json.loads(out)
    assert figures["type"] == "singletable plan"
    assert figures["format"] == 1
    assert figures["patterns"][0]["code"] == "AP1"
    code, out, err = run("plan", "users_table", "--json", "plan.json")
    assert out.startswith("users: $328.50 a month")
    assert err == "Written to plan.json.\n"
    assert read_report(designs / "plan.json").cost == pytest.approx(figures["cost"])


def test_files_are_written_again(run: Run, designs: Path) -> None:
    command = ("plan", "users_table", "--html", "plan.html")
    run(*command)
    code, _, err = run(*command)
    assert code == 0
    assert "Written to plan.html." in err
    assert (designs / "plan.html").read_text().startswith("<!doctype html>")
    assert "0.5 read units × 900 calls/s = $147.83" in (designs / "plan.html").read_text()


def test_against_compares_with_a_module_or_a_saved_report(run: Run, designs: Path) -> None:
    code, out, _ = run("plan", "glad_entities", "--against", "users_table")
    assert code == 0
    assert "users → glad-entities: +$213.53 a month (+65 %), on demand, Standard" in out
    assert "+ AP6 All skills of a user" in out
    assert "was users" in out
    run("plan", "users_table", "--json", "before.json")
    options = ("--against", "before.json")
    code, saved, _ = run("plan", "glad_entities", *options, "--json", "both.json")
    assert saved == out
    assert json.loads((designs / "both.json").read_text())["type"] == "singletable comparison"
    run("plan", "glad_entities", *options, "--html", "both.html")
    assert "+65 %" in (designs / "both.html").read_text()


def test_scale_changes_the_plan(run: Run, designs: Path) -> None:
    code, out, _ = run("plan", "users_table", "--scale", "100,000 users")
    assert code == 0
    assert out.startswith("users: $3,285 a month")
    assert "Scaled by 10." in out
    assert run("plan", "users_table", "--scale", "10x")[1] == out


def test_mode_is_that_of_the_costs_of_patterns(run: Run, designs: Path) -> None:
    out = run("plan", "users_table", "--mode", "auto-scaled")[1]
    assert "a month provisioned with auto scaling, Standard" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--region", "mars-1"], "There are no prices for 'mars-1'. Known regions: us-east-1"),
        (["--scale", "10 ducks"], "no entity 'ducks' has a declared count. Entities with"),
        (["--scale", "many"], "expected a factor such as 10x"),
        (["--against", "missing.json"], "missing.json: The report cannot be read: No such file"),
        (["--against", "users_table.py"], "users_table.py: Expected a report saved by"),
        (["--against", "nowhere"], "There is no module nowhere"),
        (["--html", "missing/plan.html"], "'missing/plan.html' cannot be written: No such file"),
        (["--json", "."], "'.' cannot be written: Is a directory"),
    ],
)
def test_wrong_inputs_are_explained(
    run: Run, designs: Path, arguments: list[str], message: str
) -> None:
    assert message in run.rejected("plan", "users_table", *arguments)


def test_key_above_the_limit_of_a_partition_is_marked(run: Run, designs: Path) -> None:
    out = " ".join(run("plan", "glad_entities", "--scale", "300x")[1].split())
    assert "! SKILL#skill-1 in glad-entities/GSI1 needs more than a partition accepts" in out
    assert "DynamoDB can divide its items." in out
    assert "!" not in run("plan", "glad_entities")[1]


def test_titles_are_printed_as_they_are(run: Run, folder: Path) -> None:
    source = (GUIDE / "users_table.py").read_text()
    title = "[bold]all[/bold] :smile: \\x1b[31m"
    (folder / "odd_titles.py").write_text(source.replace("List all users", title))
    out = run("plan", "odd_titles")[1]
    assert "[bold]all[/bold] :smile:" in out
    assert "\\x1b[31m" in out
    assert "\x1b" not in out


def test_module_without_patterns_is_an_error(run: Run, folder: Path) -> None:
    (folder / "empty_design.py").write_text("")
    assert "The module empty_design declares no access patterns." in run.rejected(
        "plan", "empty_design"
    )
