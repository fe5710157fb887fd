"""ARCHITECTURE.md shows the layers that the import contracts enforce, and the files that exist."""

from __future__ import annotations

import re
import tomllib

import pytest

from tools.testing.sources import ROOT

PAGE = (ROOT / "ARCHITECTURE.md").read_text()
APPS = ROOT / "packages/singletable-apps/src/singletable_apps"


def contract_layers(house: str) -> list[set[str]]:
    """Return the layers of the import contract, from top to bottom."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    contracts = tools["importlinter"]["contracts"]
    (contract,) = (one for one in contracts if one.get("containers") == [house])
    return [set(layer.split(" | ")) for layer in contract["layers"]]


def drawn_lines(house: str) -> list[set[str]]:
    """Return the packages on each line of the picture, from top to bottom."""
    picture = PAGE.partition(f"─ {house}, from top to bottom\n")[2]
    picture = re.split("\n(?:\n|```)", picture)[0]
    columns = [re.split(r" {2,}", line.strip())[0] for line in picture.splitlines()]
    return [set(column.split(" · ")) for column in columns]


# A layer may take several lines of the picture.
@pytest.mark.parametrize("house", ["singletable", "singletable_design", "dynamodb_engine"])
def test_picture_shows_the_layers_of_the_contract(house: str) -> None:
    lines = drawn_lines(house)
    for layer in contract_layers(house):
        shown: set[str] = set()
        while lines and lines[0] <= layer:
            shown |= lines.pop(0)
        assert shown == layer
    assert lines == []


# A name on the page may be relative to the folder that its row or section is about.
def test_files_on_the_page_exist() -> None:
    paths = [ROOT / folder for folder in ("docs", "drills", "packages", "tests", "tools")]
    existing = [f"/{path.relative_to(ROOT)}" for top in paths for path in [top, *top.rglob("*")]]
    named = {name.rstrip("/") for name in re.findall(r"`(\w[\w/.]*(?:\.py|\.md|/[\w/]*))`", PAGE)}
    assert [name for name in sorted(named) if not _is_suffix(name, existing)] == []


def _is_suffix(name: str, paths: list[str]) -> bool:
    return any(path.endswith(f"/{name}") for path in paths)


# An app is found by its folder, so that a new one is checked without being listed anywhere.
def test_apps_never_import_each_other() -> None:
    names = {path.parent.name for path in APPS.glob("*/app.py")} - {"home"}
    imported = [
        (path, other)
        for name in names
        for path in (APPS / name).rglob("*.py")
        for other in re.findall(r"(?:from|import) singletable_apps\.(\w+)", path.read_text())
        if other in names | {"home"} and other != name
    ]
    assert imported == []
