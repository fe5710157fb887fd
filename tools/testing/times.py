"""Show where the tests spend their time: processor seconds by folder and by kind.

`python -m tools.testing.times …` runs the tests with `tools.testing.run` and prints two tables. The
time of programs that a test starts counts too; a fixture counts for the first test that needs it.
With `--write`, the files that take longest are listed in `tools/testing/slow_files.txt`.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest

from tools.testing.run import SLOW_FILES, run_tests

# The folder in which each process writes what it measured.
_FOLDER = "TEST_TIMES"

# Files that take longer than this are started first.
_SLOW_SECONDS = 1.0

# The kinds of tests by parts of their names; the first that fits counts.
_KINDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("peers", ("DynamoDB Local", "dynalite", "moto", "tests/benchmarks")),
    ("typing", ("tests/typing",)),
    ("browser", ("tests/browser",)),
    ("clients", ("tests/clients",)),
    ("conformance", ("tests/conformance",)),
    ("differential", ("tests/differential",)),
    (
        "property",
        ("packages/engine/tests/fuzz", "_machine.py", "test_schemathesis.py", "(property)"),
    ),
    ("docs", ("tests/docs", "tests/house", "examples/")),
    (
        "drills",
        ("tests/drills", "tests/faults", "test_crashes.py", "test_faults.py"),
    ),
    ("pages", ("/pages/",)),
    ("API", ("/api/",)),
    ("service", ("/service/",)),
    ("rules", ("",)),
)


@dataclass(frozen=True, slots=True)
class Measurement:
    """What one test, or the collection of tests, took."""

    name: str
    cpu: float
    wall: float

    @property
    def file(self) -> str:
        """The file of the test."""
        return self.name.partition("::")[0]

    @property
    def folder(self) -> str:
        """The folder of the test; each app is a folder."""
        parts = re.sub("^packages/[^/]+/", "", self.file).split("/")
        return "/".join(parts[: 3 if parts[:2] == ["tests", "apps"] else 2])

    @property
    def kind(self) -> str:
        """The kind of the test."""
        if self.name == "collection":
            return self.name
        return next(kind for kind, parts in _KINDS if any(part in self.name for part in parts))


Group: TypeAlias = Callable[[Measurement], str]


def pytest_configure(config: pytest.Config) -> None:
    """Measure the tests of this process if there is a folder to write to."""
    folder = os.environ.get(_FOLDER)
    if folder:
        config.pluginmanager.register(_Recorder(Path(folder)))


class _Recorder:
    def __init__(self, folder: Path) -> None:
        self._file = (folder / f"{os.getpid()}.jsonl").open("a", buffering=1)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection(self) -> Iterator[None]:
        """Measure how long listing the files takes."""
        yield from self._record("collection")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Iterator[None]:
        """Measure the import of one file."""
        if not isinstance(collector, pytest.File):
            return (yield)
        return (yield from self._record("collection"))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Measure one test with its fixtures."""
        is_property = hasattr(getattr(item, "obj", None), "hypothesis")
        return (yield from self._record(item.nodeid + " (property)" * is_property))

    def _record(self, name: str) -> Iterator[None]:
        cpu, wall = _processor_time(), time.perf_counter()
        result = yield
        row = [name, _processor_time() - cpu, time.perf_counter() - wall]
        self._file.write(json.dumps(row) + "\n")
        return result


def _processor_time() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def format_table(measured: list[Measurement], group: Group) -> str:
    """Return a table of the tests in groups, those that take longest first."""
    groups: dict[str, list[Measurement]] = defaultdict(list)
    for one in measured:
        groups[group(one)].append(one)
        groups["all"].append(one)
    lines = [f"{'':<24}{'tests':>8}{'CPU s':>9}{'wall s':>9}"]
    for name, members in sorted(groups.items(), key=lambda pair: -_seconds(pair[1])):
        wall = sum(one.wall for one in members)
        lines.append(f"{name:<24}{len(members):>8,}{_seconds(members):>9.1f}{wall:>9.1f}")
    return "\n".join(lines)


def slow_files(measured: list[Measurement]) -> list[str]:
    """Return the files that take longer than a second, the slowest first."""
    files: dict[str, list[Measurement]] = defaultdict(list)
    for one in measured:
        files[one.file].append(one)
    ordered = sorted(files, key=lambda name: -sum(one.wall for one in files[name]))
    return [name for name in ordered if sum(one.wall for one in files[name]) > _SLOW_SECONDS]


def _seconds(measured: list[Measurement]) -> float:
    return sum(one.cpu for one in measured)


def main(arguments: list[str]) -> int:
    """Run the tests, print the tables, and return pytest's exit code."""
    write = "--write" in arguments
    with tempfile.TemporaryDirectory() as folder:
        os.environ[_FOLDER] = folder
        chosen = [one for one in arguments if one != "--write"]
        code = run_tests(["-p", "tools.testing.times", *chosen])
        lines = [line for path in Path(folder).iterdir() for line in path.open()]
    measured = [Measurement(*json.loads(line)) for line in lines]
    print(format_table(measured, lambda one: one.folder), end="\n\n")
    print(format_table(measured, lambda one: one.kind))
    if write:
        names = [name for name in slow_files(measured) if name != "collection"]
        SLOW_FILES.write_text("".join(f"{name}\n" for name in names))
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
