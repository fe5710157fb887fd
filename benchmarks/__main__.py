"""Run all benchmarks, or the named ones: python -m benchmarks [NAME…].

A benchmark is a file in this folder with a `CLAIM`, one sentence, and a function `measure` that
yields tables. A new file is a new benchmark; the folders contain what they share. One that takes
many minutes and gigabytes, `sql_growth`, runs only if it is named.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
import time
from collections.abc import Iterable, Sequence
from typing import Protocol, cast

import benchmarks
from benchmarks.harness.measurement import HOME, Missing, Scale
from benchmarks.harness.report import PAGE, ReportTable, describe_machine, replace_block

_REPORT = HOME / "performance.md"
_LARGE = frozenset(["sql_growth"])


class Benchmark(Protocol):
    """The contents of a benchmark file."""

    CLAIM: str

    def measure(self, scale: Scale) -> Iterable[ReportTable]:
        """Measure, and yield each table as soon as it is complete."""
        ...


def names() -> list[str]:
    """Return the names of all benchmarks."""
    modules = pkgutil.iter_modules(benchmarks.__path__)
    return sorted(
        module.name for module in modules if not module.ispkg and not module.name.startswith("_")
    )


def benchmark(name: str) -> Benchmark:
    """Import a benchmark."""
    return cast(Benchmark, importlib.import_module(f"benchmarks.{name}"))


def run(name: str, scale: Scale) -> str:
    """Run a benchmark and print its tables; return them as Markdown."""
    module = benchmark(name)
    print(f"\n{name}: {module.CLAIM}", flush=True)
    tables: list[str] = []
    try:
        for table in module.measure(scale):
            print(f"\n{table.text()}", flush=True)
            tables.append(table.markdown())
    except Missing as reason:
        print(f"\nNot measured: {reason}", flush=True)
        tables.append(f"Not measured: {reason}")
    return "\n\n".join(tables)


def main(arguments: Sequence[str]) -> int:
    """Run the named benchmarks, or all; return the exit code."""
    options = _parse(arguments)
    selected = cast("list[str]", options.names)
    unknown = [name for name in selected if name not in names()]
    if unknown:
        print(
            f"unknown benchmark {', '.join(unknown)}; choose from: {', '.join(names())}",
            file=sys.stderr,
        )
        return 2
    started = time.monotonic()
    blocks = {"machine": f"Measured on: {describe_machine()}."}
    print(blocks["machine"])
    for name in selected or [name for name in names() if name not in _LARGE]:
        blocks[name] = run(name, Scale(seconds=cast(float, options.seconds)))
        # Write after each, so that a failing benchmark loses no results.
        _write(blocks, to_page=cast(bool, options.write))
    print(f"\nTotal time: {time.monotonic() - started:,.0f} seconds.")
    print(f"The tables as Markdown are in {_REPORT.relative_to(HOME.parent)}.")
    return 0


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument(
        "--seconds", type=float, default=Scale().seconds, help="time for each figure"
    )
    parser.add_argument("--write", action="store_true", help=f"also write to {PAGE.name}")
    return parser.parse_args(arguments)


def _write(blocks: dict[str, str], *, to_page: bool) -> None:
    """Write the tables as Markdown, and into the documentation if requested."""
    HOME.mkdir(exist_ok=True)
    _REPORT.write_text("\n\n".join(blocks.values()) + "\n")
    if to_page:
        page = PAGE.read_text()
        for name, block in blocks.items():
            page = replace_block(page, name, block)
        PAGE.write_text(page)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
