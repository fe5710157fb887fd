"""Run every benchmark, or those that are named: python -m benchmarks [NAME…].

A benchmark is a file in this folder with a `CLAIM`, one sentence, and a `measure()` that gives
lines to print. Nothing is registered: a new file is a new benchmark.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Iterable, Sequence
from typing import Protocol, cast

import benchmarks


class Benchmark(Protocol):
    """What a file in this folder has."""

    CLAIM: str

    def measure(self) -> Iterable[str]:
        """Lines to print: what was measured, and its ratio to the peer's."""
        ...


def names() -> list[str]:
    """The benchmarks there are, by file name."""
    found = (module.name for module in pkgutil.iter_modules(benchmarks.__path__))
    return sorted(name for name in found if not name.startswith("_"))


def main(wanted: Sequence[str]) -> int:
    """Run what is wanted, all if nothing is; the exit code."""
    unknown = [name for name in wanted if name not in names()]
    if unknown:
        print(
            f"no benchmark {', '.join(unknown)}; there are: {', '.join(names())}", file=sys.stderr
        )
        return 2
    for name in wanted or names():
        # A module has no static type; its file's first lines say that it is one of these.
        benchmark = cast(Benchmark, importlib.import_module(f"benchmarks.{name}"))
        print(f"{name}: {benchmark.CLAIM}", flush=True)
        for line in benchmark.measure():
            print(f"  {line}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
