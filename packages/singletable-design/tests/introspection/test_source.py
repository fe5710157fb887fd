"""Generated source passes ruff and mypy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from singletable_design.introspection import TableSample, introspect
from tests.introspection.designs import TABLES, plain_text, random_items, tricky_text
from tests.introspection.foreign_tables import FOREIGN_TABLES
from tools.testing.sources import ROOT

RULES = "B,C4,D1,E,F,I,ICN,N,PERF,PIE,PT,RET,RUF,SIM,TC,UP,W"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the source of all designs together, and of each foreign table, to a folder."""
    folder = tmp_path_factory.mktemp("introspected")
    for texts in (plain_text, tricky_text):
        samples = [TableSample(table, random_items(table, 1, texts)) for table in TABLES]
        (folder / f"designs_{texts.__name__}.py").write_text(introspect(samples).source)
    for name, foreign in FOREIGN_TABLES.items():
        source = introspect([TableSample(foreign.table, foreign.items)]).source
        (folder / f"{name.replace(' ', '_')}.py").write_text(source)
    return folder


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "--isolated", "--select", RULES],
        ["ruff", "format", "--isolated", "--check"],
        # With the settings of the project, mypy reads the library from its cache.
        pytest.param(
            ["mypy", "--strict", "--config-file", str(ROOT / "pyproject.toml")],
            marks=pytest.mark.rest,
        ),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_generated_source_passes(folder: Path, command: list[str]) -> None:
    files = sorted(map(str, folder.glob("*.py")))
    ran = subprocess.run(
        [sys.executable, "-m", *command, *files],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
