"""Nothing points up between houses: not in tests either, which run alone with the houses below."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tools.testing.sources import ROOT, tree_of

# What the sources and tests of each house may import, of our packages.
BELOW = {
    "engine": {"dynamodb_engine"},
    "singletable": {"dynamodb_engine", "singletable"},
    "singletable-design": {"dynamodb_engine", "singletable", "singletable_design"},
    "ranked-ballots": {"ranked_ballots"},
    "singletable-apps": {
        *("dynamodb_engine", "singletable", "singletable_design"),
        *("ranked_ballots", "singletable_apps"),
    },
}
OURS = set().union(*BELOW.values())


def imported_packages(path: Path) -> set[str]:
    """Return which of our packages a file imports."""
    found: set[str] = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add((node.module or "").partition(".")[0])
    return found & OURS


def test_every_package_is_a_house() -> None:
    assert {path.parent.name for path in ROOT.glob("packages/*/pyproject.toml")} == BELOW.keys()


@pytest.mark.parametrize("house", BELOW)
def test_sources_and_tests_import_nothing_of_houses_above(house: str) -> None:
    above = {
        f"{path.relative_to(ROOT)}: {package}"
        for path in (ROOT / "packages" / house).rglob("*.py")
        for package in imported_packages(path) - BELOW[house]
    }
    assert above == set()
