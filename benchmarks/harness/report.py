"""Tables of figures with targets, for the terminal and for docs/performance.md."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import apsw

PAGE = Path(__file__).resolve().parents[2] / "docs" / "performance.md"


@dataclass(frozen=True, slots=True)
class Target:
    """A figure must be at least `at_least`, or at most `at_most`."""

    at_least: float | None = None
    at_most: float | None = None
    unit: str = "×"

    def verdict(self, figure: float) -> str:
        """Return the target and whether the figure meets it."""
        if self.at_least is not None:
            words, met = f"at least {self.at_least:g}{self.unit}", figure >= self.at_least
        else:
            assert self.at_most is not None
            words, met = f"at most {self.at_most:g}{self.unit}", figure <= self.at_most
        return f"{words}: {'met' if met else '**missed**'}"


@dataclass(frozen=True, slots=True)
class ReportTable:
    """Rows of cells under a title; the first cell names the row."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    def markdown(self) -> str:
        """Return the table for the documentation."""
        header = f"| {' | '.join(self.columns)} |"
        rule = f"|---|{'---:|' * (len(self.columns) - 1)}"
        rows = [f"| {' | '.join(row)} |" for row in self.rows]
        notes = [f"\n{note}" for note in self.notes]
        return "\n".join([f"**{self.title}**", "", header, rule, *rows, *notes])

    def text(self) -> str:
        """Return the table for the terminal, with aligned columns."""
        lines = [self.columns, *self.rows]
        widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
        aligned = [
            "  ".join(
                cell.rjust(width) if number else cell.ljust(width)
                for number, (cell, width) in enumerate(zip(line, widths, strict=True))
            )
            for line in lines
        ]
        return "\n".join([self.title, *(f"  {line.rstrip()}" for line in aligned), *self.notes])


def replace_block(page: str, name: str, block: str) -> str:
    """Return the page with the text between the markers of a benchmark replaced."""
    start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    between = re.compile(f"{re.escape(start)}\n.*?{re.escape(end)}", re.DOTALL)
    replaced, count = between.subn(lambda _: f"{start}\n{block}\n{end}", page)
    if count != 1:
        raise ValueError(
            f"Expected one block from '{start}' to '{end}', but the page has {count} blocks. "
            "Add the two lines where the tables belong."
        )
    return replaced


def describe_machine() -> str:
    """Return processor, cores, memory and versions in one line."""
    parts = [
        f"{_processor()}, {os.cpu_count()} cores",
        f"{_memory() / 2**30:.0f} GiB of memory",
        f"Linux {platform.release().partition('-')[0]}",
        f"Python {platform.python_version()}",
        f"SQLite {apsw.sqlite_lib_version()}",
    ]
    return ", ".join(parts)


def _processor() -> str:
    if shutil.which("lscpu") is not None:
        output = subprocess.run(["lscpu"], capture_output=True, text=True, check=True).stdout
        for line in output.splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "Model name":
                return f"{value.strip()} ({platform.machine()})"
    return platform.machine()


def _memory() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemTotal:"):
            return int(line.split()[1]) * 1024
    raise ValueError("/proc/meminfo has no line that starts with MemTotal:")


def format_rate(per_second: float) -> str:
    """Format a rate per second."""
    return f"{_digits(per_second)}/s"


def format_ratio(ratio: float) -> str:
    """Format a ratio: 2.5×."""
    return f"{_digits(ratio)}×"


def format_milliseconds(seconds: float) -> str:
    """Format a duration in milliseconds, without the unit."""
    return _digits(seconds * 1_000)


def format_microseconds(seconds: float) -> str:
    """Format a duration in microseconds."""
    return f"{_digits(seconds * 1_000_000)} µs"


def format_megabytes(size: float) -> str:
    """Format a size in bytes."""
    return f"{size / 1_000_000:,.0f} MB"


def _digits(figure: float) -> str:
    if figure >= 10:
        return f"{figure:,.0f}"
    return f"{figure:.1f}" if figure >= 1 else f"{figure:.2g}"
