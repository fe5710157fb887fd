"""Run the tests of one or all houses, in several processes that take test files from one queue.

`python -m tools.testing.run [--jobs N] [HOUSE | FOLDER | FILE]… [OPTIONS OF PYTEST]` starts one
process per core. Without a house it runs all: the packages, and `tests` of what concerns them all.
Each house is run from its own folder, with its own package `tests`. A process imports and runs
only the files that no other has taken, and goes on with the next house when all are taken, so that
all end at nearly the same time. The files that take longest come first in their house:
`tools.testing.times --write` lists them in SLOW_FILES.
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SLOW_FILES = ROOT / "tools/testing/slow_files.txt"
# The houses, and the root, whose tests are of all of them.
HOUSES = [*sorted(path.parent for path in ROOT.glob("packages/*/pyproject.toml")), ROOT]

# The folder in which processes mark the files that they have taken.
_QUEUE = "TEST_QUEUE"
_REPORT_INTERVAL = 60
# Without percentages: no process knows how many tests there are.
_STYLE = ("-o", "console_output_style=classic")
_NOTHING = pytest.ExitCode.NO_TESTS_COLLECTED


def pytest_configure(config: pytest.Config) -> None:
    """Take files from the queue if there is one."""
    folder = os.environ.get(_QUEUE)
    if folder:
        config.pluginmanager.register(_Queue(Path(folder)))


class _Queue:
    """The files of the tests of a house, of which each process takes some."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, pytest.Collector] = {}
        self._is_listed = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> pytest.CollectReport | None:
        """List the files while pytest collects, without importing them."""
        if self._is_listed or not isinstance(collector, pytest.File):
            return None
        self._files[str(collector.path.relative_to(ROOT))] = collector
        return pytest.CollectReport(collector.nodeid, "passed", None, [])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Run tests as pytest does, but only those of files that no other process has taken."""
        if session.testsfailed:
            return None  # pytest reports errors of the collection
        self._is_listed = True
        items: Iterable[pytest.Item | None] = itertools.chain(self._take(session), [None])
        for item, following in itertools.pairwise(items):
            assert item is not None
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.shouldfail:
                raise session.Failed(session.shouldfail)
            if session.shouldstop:
                raise session.Interrupted(session.shouldstop)
        return True

    def _take(self, session: pytest.Session) -> Iterator[pytest.Item]:
        """Import one file after the other, the slowest first, and yield its tests."""
        slow = SLOW_FILES.read_text().split()
        ordered = [name for name in slow if name in self._files]
        for name in dict.fromkeys([*ordered, *self._files]):
            try:
                (self._folder / name.replace("/", " ")).open("x").close()
            except FileExistsError:
                continue
            items = list(session.genitems(self._files[name]))
            session.config.hook.pytest_collection_modifyitems(
                session=session, config=session.config, items=items
            )
            session.testscollected += len(items)
            yield from items


def run_tests(arguments: list[str]) -> int:
    """Run the tests, print what failed and one line per process, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.testing.run")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options, arguments = parser.parse_known_args(arguments)
    paths = [word for word in arguments if (ROOT / word).exists()]
    arguments = [word for word in arguments if word not in paths]
    work = _by_house(paths)
    with tempfile.TemporaryDirectory() as folder:
        queue = Path(folder) / "queue"
        queue.mkdir()

        def work_through(number: int) -> list[tuple[Path, int, str]]:
            """Run the tests of all houses that no other process has taken."""
            return [
                (house, *_run(house, inside, arguments, queue, Path(folder) / f"output {number}"))
                for house, inside in work.items()
            ]

        with ThreadPoolExecutor(options.jobs) as pool:
            done = [pool.submit(work_through, number) for number in range(options.jobs)]
            _report_progress(done, queue)
            results = [result for one in done for result in one.result()]
    for _, code, text in results:
        if code not in (0, _NOTHING):
            print(_without_progress(text))
    for house, _, text in sorted(results, key=lambda result: result[0].name):
        line = (text.strip() or "no output").rpartition("\n")[-1]
        print(f"{house.name if house != ROOT else 'tests'}: {line}")
    return max((code for _, code, _ in results if code != _NOTHING), default=5)


def _by_house(paths: list[str]) -> dict[Path, list[str]]:
    """Return the paths by house, relative to it; without paths all tests of all houses."""
    if not paths:
        return {house: ["tests"] for house in HOUSES if (house / "tests").exists()}
    work: dict[Path, list[str]] = {}
    for path in (ROOT / name for name in paths):
        house = next(one for one in HOUSES if path.is_relative_to(one))
        work.setdefault(house, []).append(
            "tests" if path == house else str(path.relative_to(house))
        )
    return work


def _run(
    house: Path, paths: list[str], arguments: list[str], queue: Path, output: Path
) -> tuple[int, str]:
    """Run the files of a house that no other process has taken; return the code and the output."""
    command = [sys.executable, "-m", "pytest", "-p", "tools.testing.run", *_STYLE]
    environment = {**os.environ, _QUEUE: str(queue), "PYTHONPATH": f"{house}:{ROOT}"}
    with output.open("wb") as file:
        done = subprocess.run(
            [*command, *arguments, *paths],
            cwd=house,
            stdout=file,
            stderr=subprocess.STDOUT,
            env=environment,
            check=False,
        )
    return done.returncode, output.read_text(errors="replace")


def _report_progress(running: Sequence[Future[list[tuple[Path, int, str]]]], queue: Path) -> None:
    """Wait for all, and say every minute how many files have been taken."""
    start = reported = time.monotonic()
    while not all(one.done() for one in running):
        time.sleep(0.2)
        if time.monotonic() - reported > _REPORT_INTERVAL:
            reported = time.monotonic()
            taken = sum(1 for _ in queue.iterdir())
            print(f"{taken:,} test files after {reported - start:.0f} s", flush=True)


def _without_progress(text: str) -> str:
    """Return pytest's output from its first heading on, or all of it."""
    lines = text.splitlines()
    heading = next((number for number, line in enumerate(lines) if line.startswith("===")), 0)
    return "\n".join(lines[heading:])


if __name__ == "__main__":
    sys.exit(run_tests(sys.argv[1:]))
