"""Run every benchmark, or those that are named: python -m benchmarks [NAME…].

A benchmark is a file in this folder with a `CLAIM`, one sentence, and a `measure()` that gives
tables. Nothing is registered: a new file is a new benchmark. What they share is in the folders.
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
from benchmarks.measuring.document import PAGE, with_block
from benchmarks.measuring.machine import machine
from benchmarks.measuring.missing import Missing
from benchmarks.measuring.scale import Scale
from benchmarks.measuring.scratch import HOME
from benchmarks.measuring.table import Table

_KEPT = HOME / "performance.md"


class Benchmark(Protocol):
    """What a file in this folder has."""

    CLAIM: str

    def measure(self, scale: Scale) -> Iterable[Table]:
        """What was measured, and its ratio to the peer's; each table as soon as it is there."""
        ...


def names() -> list[str]:
    """The benchmarks there are, by file name."""
    found = pkgutil.iter_modules(benchmarks.__path__)
    return sorted(
        module.name for module in found if not module.ispkg and not module.name.startswith("_")
    )


def benchmark(name: str) -> Benchmark:
    """The benchmark in a file."""
    # A module has no static type; its file's first lines say that it is one of these.
    return cast(Benchmark, importlib.import_module(f"benchmarks.{name}"))


def run(name: str, scale: Scale) -> str:
    """Measure and print; the tables as the documentation has them."""
    chosen = benchmark(name)
    print(f"\n{name}: {chosen.CLAIM}", flush=True)
    tables: list[str] = []
    try:
        for table in chosen.measure(scale):
            print(f"\n{table.text()}", flush=True)
            tables.append(table.markdown())
    except Missing as reason:
        print(f"\nNot measured: {reason}", flush=True)
        tables.append(f"Not measured: {reason}")
    return "\n\n".join(tables)


def main(arguments: Sequence[str]) -> int:
    """Run what is wanted, all if nothing is; the exit code."""
    asked = _asked(arguments)
    wanted = cast("list[str]", asked.names)
    unknown = [name for name in wanted if name not in names()]
    if unknown:
        print(
            f"no benchmark {', '.join(unknown)}; there are: {', '.join(names())}", file=sys.stderr
        )
        return 2
    begun = time.monotonic()
    blocks = {"machine": f"Measured on: {machine()}."}
    print(blocks["machine"])
    for name in wanted or names():
        blocks[name] = run(name, Scale(seconds=cast(float, asked.seconds)))
        # At once, so that a benchmark that breaks takes nothing with it.
        _write(blocks, to_page=cast(bool, asked.write))
    print(f"\nAll of it took {time.monotonic() - begun:,.0f} seconds.")
    print(f"The tables as Markdown are in {_KEPT.relative_to(HOME.parent)}.")
    return 0


def _asked(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--seconds", type=float, default=Scale().seconds, help="for each figure")
    parser.add_argument("--write", action="store_true", help=f"also into {PAGE.name}")
    return parser.parse_args(arguments)


def _write(blocks: dict[str, str], *, to_page: bool) -> None:
    """Keep the tables as Markdown, and put them into the documentation if that is wanted."""
    HOME.mkdir(exist_ok=True)
    _KEPT.write_text("\n\n".join(blocks.values()) + "\n")
    if to_page:
        page = PAGE.read_text()
        for name, block in blocks.items():
            page = with_block(page, name, block)
        PAGE.write_text(page)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
