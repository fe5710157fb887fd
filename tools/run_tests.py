"""Run pytest in several processes that take test files from one queue, and sum up at the end.

`python -m tools.run_tests [--jobs N] FOLDER…` starts one pytest per core with all arguments. Each
imports and runs only the files that no other has taken, so all end at nearly the same time.
The files that take longest come first: `tools.test_times --write` lists them in SLOW_FILES.
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

SLOW_FILES = Path("tests/slow_files.txt")

# The folder in which processes mark the files that they have taken.
_QUEUE = "TEST_QUEUE"
_REPORT_INTERVAL = 60
# Without percentages: no process knows how many tests there are.
_STYLE = ("-o", "console_output_style=classic")


def pytest_configure(config: pytest.Config) -> None:
    """Take files from the queue if there is one."""
    folder = os.environ.get(_QUEUE)
    if folder:
        config.pluginmanager.register(_Queue(Path(folder)))


class _Queue:
    """The files of all tests, of which each process takes some."""

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
        self._files[collector.nodeid] = collector
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
        slow = (session.config.rootpath / SLOW_FILES).read_text().split()
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
    parser = argparse.ArgumentParser(prog="python -m tools.run_tests")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options, arguments = parser.parse_known_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pytest", "-p", "tools.run_tests", *_STYLE, *arguments]
        outputs = [Path(folder) / f"output {number}" for number in range(options.jobs)]
        queue = Path(folder) / "queue"
        queue.mkdir()
        processes = [_start(command, output, {_QUEUE: str(queue)}) for output in outputs]
        _wait(processes, queue)
        codes = [process.returncode for process in processes]
        texts = [output.read_text(errors="replace") for output in outputs]
    for code, text in zip(codes, texts, strict=True):
        if code not in (0, pytest.ExitCode.NO_TESTS_COLLECTED):
            print(_without_progress(text))
    for text in texts:
        print((text.strip() or "no output").rpartition("\n")[-1])
    return max((code for code in codes if code != pytest.ExitCode.NO_TESTS_COLLECTED), default=5)


def _start(command: list[str], output: Path, more: dict[str, str]) -> subprocess.Popen[bytes]:
    with output.open("wb") as file:
        environment = {**os.environ, **more}
        return subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, env=environment)


def _wait(processes: list[subprocess.Popen[bytes]], queue: Path) -> None:
    """Wait for all, and say every minute how many files have been taken."""
    start = reported = time.monotonic()
    while any(process.poll() is None for process in processes):
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
