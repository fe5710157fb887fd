"""Code that both type checkers must accept, and code that both must reject.

Files in `right` have no errors. In `wrong` each line that ends in
`# error: arg-type | reportArgumentType` is rejected by mypy and by pyright for one of the named
rules, first mypy's and then pyright's, and no other line is.
"""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.typing.files import FILES, HERE
from tools.testing.sources import ROOT

MARK = re.compile(r"# error: (?P<mypy>[\w, -]+) \| (?P<pyright>[\w, ]+)$")
MYPY_LINE = re.compile(r"(?P<file>.+?):(?P<line>\d+): error: .*\[(?P<rule>[\w-]+)\]$")

# The violated rules, by file and line.
Errors: TypeAlias = dict[tuple[str, int], set[str]]


@pytest.fixture(scope="module")
def mypy_errors() -> Errors:
    command = [sys.executable, "-m", "mypy", "--strict", *map(str, FILES)]
    environment = {**os.environ, "MYPYPATH": str(HERE.parents[1])}
    process = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert process.returncode in (0, 1), process.stdout + process.stderr
    errors: Errors = {}
    for line in process.stdout.splitlines():
        if match := MYPY_LINE.match(line):
            location = str((ROOT / match["file"]).relative_to(HERE)), int(match["line"])
            errors.setdefault(location, set()).add(match["rule"])
    return errors


@pytest.fixture(scope="module")
def pyright_errors(pyright_diagnostics: dict[Path, list[dict[str, Any]]]) -> Errors:
    errors: Errors = {}
    for path in FILES:
        for one in pyright_diagnostics[path]:
            location = str(path.relative_to(HERE)), one["range"]["start"]["line"] + 1
            errors.setdefault(location, set()).add(one["rule"])
    return errors


def test_mypy_rejects_exactly_the_marked_lines(mypy_errors: Errors) -> None:
    assert _differences(_marked("mypy"), mypy_errors) == []


def test_pyright_rejects_exactly_the_marked_lines(pyright_errors: Errors) -> None:
    assert _differences(_marked("pyright"), pyright_errors) == []


# A misspelled mark would leave a wrong line that is not expected to be rejected.
def test_every_wrong_file_has_valid_marks() -> None:
    for path in FILES:
        marks = [line for line in path.read_text().splitlines() if "# error" in line]
        assert bool(marks) == (path.parent.name == "wrong"), path
        assert all(MARK.search(line) for line in marks), path


# Code that type checkers accept must not be rejected at run time.
@pytest.mark.parametrize("path", sorted(HERE.glob("right/*.py")), ids=lambda path: path.stem)
def test_right_files_run(path: Path) -> None:
    runpy.run_path(str(path))


def _marked(checker: str) -> Errors:
    marked: Errors = {}
    for path in FILES:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if match := MARK.search(line):
                marked[str(path.relative_to(HERE)), number] = set(match[checker].split(", "))
    return marked


def _differences(marked: Errors, errors: Errors) -> list[str]:
    """Return the lines whose errors differ from their marks."""
    differences: list[str] = []
    for location in sorted(marked.keys() | errors.keys()):
        expected, actual = marked.get(location, set[str]()), errors.get(location, set[str]())
        if not expected or not actual or not actual <= expected:
            file, number = location
            line = (HERE / file).read_text().splitlines()[number - 1]
            differences.append(
                f"{file}:{number}: expected {expected or None}, got {actual or None}: {line}"
            )
    return differences
