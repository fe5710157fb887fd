"""What is drafted passes the tools that a person's code would have to pass."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from singletable.drafting import Sample, draft
from tests.drafting.designs import TABLES, filled, odd, plain
from tests.drafting.foreign import FOREIGN


@pytest.fixture(scope="module")
def drafts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of drafts: of all designs together, and of each foreign table."""
    folder = tmp_path_factory.mktemp("drafts")
    for texts in (plain, odd):
        samples = [Sample(table, filled(table, 1, texts)) for table in TABLES]
        (folder / f"designs_{texts.__name__}.py").write_text(draft(samples).source)
    for name, foreign in FOREIGN.items():
        source = draft([Sample(foreign.table, foreign.items)]).source
        (folder / f"{name.replace(' ', '_')}.py").write_text(source)
    return folder


RULES = "B,C4,D1,E,F,I,ICN,N,PERF,PIE,PT,RET,RUF,SIM,TC,UP,W"


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "--isolated", "--select", RULES],
        ["ruff", "format", "--isolated", "--check"],
        ["mypy", "--strict", "--config-file="],
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_a_draft_passes(drafts: Path, command: list[str]) -> None:
    files = sorted(map(str, drafts.glob("*.py")))
    ran = subprocess.run(
        [sys.executable, "-m", *command, *files],
        capture_output=True,
        text=True,
        cwd=drafts,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
