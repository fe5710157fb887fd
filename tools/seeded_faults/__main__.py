"""Choose the faults, map which test files run which functions, and run the tests on each fault.

    python -m tools.seeded_faults choose
    python -m tools.seeded_faults map [FOLDER…]
    python -m tools.seeded_faults run [--part quick|rest] [--only 3,17]

Maps and results are in `.seeded_faults` of the checkout. `map` and `run` go on where they stopped.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.seeded_faults.choice import AREAS, HERE, LIST, ROOT, area_of, choose, read_list
from tools.seeded_faults.mutations import Fault

# The options of pytest that select a part of the tests.
PARTS: dict[str, list[str]] = {"all": [], "quick": ["--part=quick"], "rest": ["--part=rest"]}
# Tests that measure, check sources, or drive other programs: they take long and find little more.
UNMAPPED = re.compile(r"tests/(benchmarks|browser|clients|drills|house|typing)\b")
# Tests get this many seconds, and this many times their usual time, before they count as endless.
GRACE, SLOWER = 60, 6


@dataclass(frozen=True)
class Checkout:
    """A checkout of the project, whose tests run on its own sources."""

    root: Path

    @property
    def state(self) -> Path:
        """Return the folder of maps and results."""
        return self.root / ".seeded_faults"

    def pytest(
        self, arguments: list[str], limit: float | None = None, **variables: str
    ) -> tuple[int | None, str]:
        """Return the exit code of pytest, None if it was too slow, and what it printed."""
        environment = {**os.environ, "SEEDED_CHECKOUT": str(self.root), **variables}
        environment["PYTHONPATH"] = f"{HERE / 'startup'}:{self.root / 'src'}"
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        plugins = ["-p", "no:cacheprovider", "-p", "sitecustomize"]
        if not any("schemathesis" in argument for argument in arguments):
            plugins += ["-p", "no:schemathesis"]
        command = [sys.executable, "-m", "pytest", *plugins, *arguments]
        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen(
                command,
                cwd=self.root,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                code: int | None = process.wait(limit)
            except subprocess.TimeoutExpired:
                code = None
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            output.seek(0)
            return code, output.read()


def record(checkout: Checkout, names: list[str]) -> None:
    """Run the tests of each folder in a process of its own and record which functions they run."""
    tops = [checkout.root / name for name in names or ["tests"]]
    files = [path.relative_to(checkout.root) for top in tops for path in top.rglob("test_*.py")]
    (checkout.state / "map").mkdir(parents=True, exist_ok=True)
    for folder in sorted({str(path.parent) for path in files}):
        target = checkout.state / "map" / f"{folder.replace('/', '.')}.json.gz"
        if UNMAPPED.match(folder) or (target.exists() and not names):
            continue
        inside = [str(path) for path in sorted(files) if str(path.parent) == folder]
        _, output = checkout.pytest(inside, SEEDED_RECORD=str(target))
        print(f"{folder}: {output.splitlines()[-1]}", flush=True)


class TestMap:
    """Which test files run which functions."""

    def __init__(self, state: Path) -> None:
        self._folders: list[dict[str, Any]] = []
        for path in sorted((state / "map").iterdir()):
            with gzip.open(path, "rt") as file:
                self._folders.append(json.load(file))
        self.files = {name: one for part in self._folders for name, one in part["files"].items()}
        # Tests that fail without any fault find nothing.
        self.failed = [name for part in self._folders for name in part["failed"]]

    def files_for(self, fault: Fault) -> list[str]:
        """Return the files that run the function of the fault, the most specific ones first."""
        name = f"{fault.path} {fault.function}"
        run = [file for file, one in self.files.items() if name in one["functions"]]
        imported = [
            file for one in self._folders if name in one["imports"] for file in one["files"]
        ]
        rest = set(imported) - set(run)
        return sorted(run, key=self._specificity) + sorted(rest, key=self._specificity)

    def _specificity(self, file: str) -> tuple[int, float]:
        return len(self.files[file]["functions"]), self.files[file]["seconds"]

    def batches(self, fault: Fault, seconds: float) -> Iterator[tuple[list[str], float]]:
        """Yield three files, then ever more, until their usual time is used up."""
        files, size = self.files_for(fault), 3
        while files and seconds > 0:
            batch, files, size = files[:size], files[size:], size * 2
            usual = sum(self.files[file]["seconds"] for file in batch)
            yield batch, usual
            seconds -= usual


def run_fault(checkout: Checkout, tests: TestMap, fault: Fault, options: argparse.Namespace) -> str:
    """Return the test that finds the fault, or an empty string."""
    deselected = [f"--deselect={name}" for name in tests.failed]
    for files, usual in tests.batches(fault, options.seconds):
        arguments = ["-x", *PARTS[options.part], *deselected, *files]
        limit = GRACE + SLOWER * usual
        code, output = checkout.pytest(arguments, limit, SEEDED_FAULT=str(fault))
        if code is None:
            return "time limit"
        if code == 4 and "ImportError while loading conftest" not in output:
            raise SystemExit(output)
        if code not in (0, 5):  # 5: no test was selected
            found = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", output, re.MULTILINE)
            return found[1] if found else f"exit code {code}"
    return ""


def run(checkout: Checkout, options: argparse.Namespace) -> None:
    """Run the tests on each fault that has no result yet, or on those of `--only`."""
    results_file = checkout.state / f"results-{options.part}.jsonl"
    results = _read_results(results_file)
    chosen = list(enumerate(read_list(), 1))
    only = {int(number) for number in options.only.split(",")} if options.only else set()
    pending = [(n, one) for n, one in chosen if (n in only if only else str(one) not in results)]
    tests = TestMap(checkout.state)

    def run_one(number: int, fault: Fault) -> None:
        found = run_fault(checkout, tests, fault, options)
        print(f"{number:>4} {found or 'NOT FOUND'}: {fault}", flush=True)
        with results_file.open("a") as file:
            file.write(json.dumps({"fault": str(fault), "found": found}) + "\n")

    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(lambda pair: run_one(*pair), pending))
    _print_table(_read_results(results_file), chosen)


def _read_results(path: Path) -> dict[str, str]:
    lines = path.read_text().splitlines() if path.exists() else []
    return {one["fault"]: one["found"] for one in map(json.loads, lines)}


def _print_table(results: dict[str, str], chosen: list[tuple[int, Fault]]) -> None:
    ran = [(number, fault) for number, fault in chosen if str(fault) in results]
    everything = Counter(area_of(fault.path) for _, fault in ran)
    found = Counter(area_of(fault.path) for _, fault in ran if results[str(fault)])
    for area in AREAS:
        print(f"{area:<24}{found[area]:>5} of {everything[area]}")
    print(f"{'':<24}{found.total():>5} of {everything.total()}")
    for number, fault in ran:
        if not results[str(fault)]:
            print(f"{number:>4} not found: {fault}")


def main() -> None:
    """Run a command."""
    parser = argparse.ArgumentParser(prog="python -m tools.seeded_faults")
    parser.add_argument("command", choices=["choose", "map", "run"])
    parser.add_argument("folders", nargs="*", help="folders of tests to map again")
    parser.add_argument("--part", choices=PARTS, default="all", help="the part of the tests")
    parser.add_argument("--only", default="", help="numbers of faults: 3,17")
    parser.add_argument("--seconds", type=float, default=120, help="processor time per fault")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--checkout", type=Path, default=ROOT, help="whose tests and sources")
    options = parser.parse_args()
    checkout = Checkout(options.checkout.resolve())
    if options.command == "choose":
        LIST.write_text("".join(f"{fault}\n" for fault in choose()))
    elif options.command == "map":
        record(checkout, options.folders)
    else:
        run(checkout, options)


if __name__ == "__main__":
    main()
