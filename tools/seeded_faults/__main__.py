"""Map which test files run which functions, and run the tests on each fault.

    python -m tools.seeded_faults map [FOLDER…] [--part quick|rest]
    python -m tools.seeded_faults run [--part quick|rest] [--only 3,17]

Maps and results are in `.seeded_faults` of the checkout. `map` and `run` go on where they stopped.
To compare two checkouts, run the faults that both can have on each:

    python -m tools.seeded_faults run --also OTHER
    python -m tools.seeded_faults run --checkout OTHER --also .
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
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tools.seeded_faults.choice import AREAS, HERE, ROOT, area_of, choose

PARTS = {"all": (), "quick": ("--part=quick",), "rest": ("--part=rest",)}
# Tests that measure, check sources, or drive other programs: they take long and find little more.
UNMAPPED = re.compile(r"tests/(benchmarks|browser|clients|drills|house|typing)\b")
# Tests may take 20 seconds, plus 3 times their usual time, of the processor; 10 times that in all.
GRACE, SLOWER, WAIT = 20, 3, 10


def _house_of(root: Path, name: str) -> Path:
    """Return the folder from which a test file runs: that of its package, or the checkout."""
    house = root.joinpath(*Path(name).parts[:2])
    return house if (house / "conftest.py").exists() else root


def _pytest(root: Path, house: Path, arguments: list[str], **variables: str) -> tuple[int, str]:
    """Return the exit code of pytest and its output."""
    environment = {**os.environ, "SEEDED_CHECKOUT": str(root), **variables}
    inside = "" if house == root else f"{house.relative_to(root)}/"
    environment["SEEDED_HOUSE"] = inside
    folders = [HERE / "startup", house, root, *root.glob("packages/*/src"), root / "src"]
    environment["PYTHONPATH"] = ":".join(map(str, folders))
    arguments = [
        re.sub(rf"^(--deselect=)?{re.escape(inside)}", r"\1", argument) for argument in arguments
    ]
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    plugins = ["-p", "no:cacheprovider", "-p", "sitecustomize"]
    if not any("schemathesis" in argument for argument in arguments):
        plugins += ["-p", "no:schemathesis"]
    command = [sys.executable, "-m", "pytest", *plugins, *arguments]
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            command,
            cwd=house,
            env=environment,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            process.wait(WAIT * float(variables.get("SEEDED_SECONDS", "inf")))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(0)
        text = output.read()
        return process.returncode, re.sub(
            r"^((?:FAILED|ERROR) )(?=tests/)", rf"\1{inside}", text, flags=re.M
        )


def record(root: Path, names: list[str], part: str) -> None:
    """Run the tests of each folder in a process of its own and record which functions they run."""
    files = [
        path for name in names or ["tests", "packages"] for path in (root / name).rglob("test_*.py")
    ]
    (root / ".seeded_faults/map").mkdir(parents=True, exist_ok=True)
    for folder in sorted({str(path.parent.relative_to(root)) for path in files}):
        target = root / ".seeded_faults/map" / f"{folder.replace('/', '.')}.json.gz"
        if UNMAPPED.match(folder) or (target.exists() and not names):
            continue
        inside = sorted(str(path.relative_to(root)) for path in (root / folder).glob("test_*.py"))
        house = _house_of(root, folder)
        code, _ = _pytest(root, house, [*PARTS[part], *inside], SEEDED_RECORD=str(target))
        print(f"{folder}: exit code {code}", flush=True)


def files_for(fault: str, files: dict[str, Any]) -> list[str]:
    """Return the test files that run the function of a fault, the most likely to find it first."""
    path, function = fault.split(" | ")[:2]
    label, words = f"{path} {function}", set(re.findall("[a-z]+", path))
    order = {  # similar names first, then those that run few functions
        name: (label not in ran, -len(words & set(re.findall("[a-z]+", name))), len(ran))
        for name, file in files.items()
        for ran in [file["functions"]]
        if label in ran or label in file["imports"]
    }
    return sorted(order, key=order.__getitem__)


def run_fault(root: Path, fault: str, files: dict[str, Any], options: argparse.Namespace) -> str:
    """Return the test that finds the fault, or an empty string."""
    pending, size, left = files_for(fault, files), 3, options.seconds
    while pending and left > 0:
        batch, size = pending[:size], size * 2
        while len(batch) > 1 and sum(files[name]["seconds"] for name in batch) > left:
            batch.pop()
        pending = pending[len(batch) :]
        usual = sum(files[name]["seconds"] for name in batch)
        left -= usual
        failing = [f"--deselect={test}" for name in batch for test in files[name]["failed"]]
        limit = str(round(GRACE + SLOWER * usual))
        for house in dict.fromkeys(_house_of(root, name) for name in batch):
            own = [name for name in batch if _house_of(root, name) == house]
            arguments = ["-x", *PARTS[options.part], *failing, *own]
            code, output = _pytest(root, house, arguments, SEEDED_FAULT=fault, SEEDED_SECONDS=limit)
            if code == -signal.SIGKILL:
                return "time limit"
            is_unusable = code == 4 and "ImportError while loading conftest" not in output
            if is_unusable or code == -signal.SIGTERM:
                raise SystemExit(output)
            if code not in (0, 5):  # 5: no test is selected
                test = re.search(r"^(?:FAILED|ERROR) (\S*tests.+?)(?: - |$)", output, re.MULTILINE)
                return test[1] if test else f"exit code {code}"
    return ""


def run(root: Path, options: argparse.Namespace) -> None:
    """Run the tests on each fault that has no result yet, or on those of `--only`."""
    path = root / f".seeded_faults/results-{options.part}.jsonl"
    path.touch()
    results = dict(map(json.loads, path.read_text().splitlines()))
    chosen = dict(enumerate(choose(root, options.also), 1))
    maps = (root / ".seeded_faults/map").iterdir()
    parts = [json.loads(gzip.decompress(one.read_bytes())).items() for one in maps]
    tests = {name: file for part in parts for name, file in part if (root / name).exists()}
    pending = [number for number, fault in chosen.items() if fault not in results]
    if options.only:
        pending = [int(number) for number in options.only.split(",")]

    def run_one(number: int) -> None:
        fault = chosen[number]
        results[fault] = run_fault(root, fault, tests, options)
        print(f"{number:>4} {results[fault] or 'NOT FOUND'}: {fault}", flush=True)
        with path.open("a") as file:
            file.write(json.dumps([fault, results[fault]]) + "\n")

    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(run_one, pending))
    ran = {number: fault for number, fault in chosen.items() if fault in results}
    for area in ["", *AREAS]:
        found = [bool(results[one]) for one in ran.values() if area in ("", area_of(one))]
        print(f"{area or 'all':<24}{sum(found):>4} of {len(found)}")
    for number, fault in ran.items():
        if not results[fault]:
            print(f"{number:>4} not found: {fault}")


def main() -> None:
    """Run a command."""
    parser = argparse.ArgumentParser(prog="python -m tools.seeded_faults")
    parser.add_argument("command", choices=["map", "run"])
    parser.add_argument("folders", nargs="*", help="folders of tests to map again")
    parser.add_argument("--part", choices=PARTS, default="all", help="the part of the tests")
    parser.add_argument("--only", default="", help="numbers of faults: 3,17")
    parser.add_argument("--seconds", type=float, default=120, help="processor time per fault")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--checkout", type=Path, default=ROOT, help="whose tests and sources")
    parser.add_argument("--also", type=Path, help="another checkout that can have the faults, too")
    options = parser.parse_intermixed_args()
    root = options.checkout.resolve()
    if options.command == "map":
        record(root, options.folders, options.part)
    else:
        run(root, options)


if __name__ == "__main__":
    main()
