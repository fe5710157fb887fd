"""What both type checkers must take, and what both must refuse.

Files in `right` are right to the last line. In `wrong` each line that ends in
`# error: arg-type | reportArgumentType` is refused by mypy and by pyright for one of the reasons
named, first mypy's and then pyright's, and no other line is.
"""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import TypeAlias

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FILES = sorted([HERE / "declared.py", *HERE.glob("right/*.py"), *HERE.glob("wrong/*.py")])
MARK = re.compile(r"# error: (?P<mypy>[\w, -]+) \| (?P<pyright>[\w, ]+)$")
MYPY_LINE = re.compile(r"(?P<file>.+?):(?P<line>\d+): error: .*\[(?P<rule>[\w-]+)\]$")

# The reasons for which lines are refused, by file and line.
Refused: TypeAlias = dict[tuple[str, int], set[str]]


@pytest.fixture(scope="module")
def refused_by_mypy() -> Refused:
    command = [sys.executable, "-m", "mypy", "--strict", *map(str, FILES)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode in (0, 1), ran.stdout + ran.stderr
    refused: Refused = {}
    for line in ran.stdout.splitlines():
        if found := MYPY_LINE.match(line):
            place = str((ROOT / found["file"]).relative_to(HERE)), int(found["line"])
            refused.setdefault(place, set()).add(found["rule"])
    return refused


@pytest.fixture(scope="module")
def refused_by_pyright() -> Refused:
    command = [sys.executable, "-m", "pyright", "--project", str(HERE), "--outputjson"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode in (0, 1), ran.stdout + ran.stderr
    answer = json.loads(ran.stdout)
    assert answer["summary"]["filesAnalyzed"] == len(FILES)
    refused: Refused = {}
    for one in answer["generalDiagnostics"]:
        place = str(Path(one["file"]).relative_to(HERE)), one["range"]["start"]["line"] + 1
        refused.setdefault(place, set()).add(one["rule"])
    return refused


def test_mypy_refuses_what_is_marked_and_nothing_else(refused_by_mypy: Refused) -> None:
    assert _unlike(_marked("mypy"), refused_by_mypy) == []


def test_pyright_refuses_what_is_marked_and_nothing_else(refused_by_pyright: Refused) -> None:
    assert _unlike(_marked("pyright"), refused_by_pyright) == []


# A mark that is misspelt would be a wrong line that nobody expects to be refused.
def test_every_wrong_file_is_marked() -> None:
    for path in FILES:
        marks = [line for line in path.read_text().splitlines() if "# error" in line]
        assert bool(marks) == (path.parent.name == "wrong"), path
        assert all(MARK.search(line) for line in marks), path


# What checkers take must not be refused when it runs.
@pytest.mark.parametrize("path", sorted(HERE.glob("right/*.py")), ids=lambda path: path.stem)
def test_right_files_run(path: Path) -> None:
    runpy.run_path(str(path))


def _marked(checker: str) -> Refused:
    marked: Refused = {}
    for path in FILES:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if found := MARK.search(line):
                marked[str(path.relative_to(HERE)), number] = set(found[checker].split(", "))
    return marked


def _unlike(marked: Refused, refused: Refused) -> list[str]:
    """What was marked and not refused, refused and not marked, or refused for other reasons."""
    said: list[str] = []
    for place in sorted(marked.keys() | refused.keys()):
        expected, came = marked.get(place, set[str]()), refused.get(place, set[str]())
        if not expected or not came or not came <= expected:
            file, number = place
            line = (HERE / file).read_text().splitlines()[number - 1]
            said.append(f"{file}:{number}: expected {expected or None}, got {came or None}: {line}")
    return said
