"""The list of faults: how many in which area, and how they are chosen."""

from __future__ import annotations

import ast
import hashlib
import re
from collections import defaultdict
from pathlib import Path

from tools.seeded_faults.mutations import Fault, faults
from tools.sync import PAIRS

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
LIST = HERE / "faults.txt"
# Faults that change nothing a user could notice, each below a comment with the reason.
IGNORED = HERE / "ignored.txt"

APP = r"singletable_apps/(elections|games|polls|portfolio|skills)"
# The number of faults in each area; a file belongs to the first area that matches its path.
AREAS = {
    "values, wire, schema": (42, r"singletable/(values|wire|schema)/"),
    "expressions": (20, r"singletable/expressions/"),
    "engine": (44, r"singletable/engine/"),
    "store": (46, r"singletable/store/"),
    "retry, remote": (16, r"singletable/(retry\.py|remote/)"),
    "server": (22, r"singletable/server/"),
    "migration": (22, r"singletable/migration/"),
    "planning, patterns": (22, r"singletable/(planning|patterns|infrastructure)/"),
    "counting": (12, r"singletable_apps/counting/(?!cli|pictures)"),
    "app pages and APIs": (24, rf"{APP}/(api|pages)/"),
    "app rules": (40, rf"{APP}/(?!cli|sample|client|app\.py|migration|history)"),
    "shared": (20, r"singletable_apps/shared/(?!cli|serve)"),
}
GENERATED = {f"src/singletable/{pair.target}" for pair in PAIRS}


def choose() -> list[Fault]:
    """Return one fault in each of the functions that have the lowest hashes of their area."""
    ignored = set(read_list(IGNORED))
    by_area: dict[str | None, list[Fault]] = defaultdict(list)
    for path in sorted((ROOT / "src").rglob("*.py")):
        name = str(path.relative_to(ROOT))
        if name not in GENERATED:
            by_area[area_of(name)] += _one_per_function(name, path.read_text(), ignored)
    return [
        fault
        for area, (number, _) in AREAS.items()
        for fault in sorted(sorted(by_area[area], key=_function_hash)[:number], key=str)
    ]


def _one_per_function(path: str, source: str, ignored: set[Fault]) -> list[Fault]:
    """Choose an operator for each function, then one of the places where it applies."""
    by_function: dict[str, list[Fault]] = defaultdict(list)
    for fault, _ in faults(path, source, ast.parse(source)):
        if fault not in ignored:
            by_function[fault.function].append(fault)
    return [
        min(found, key=lambda one: (_hash(path, one.function, one.operator), _hash(str(one))))
        for found in by_function.values()
    ]


def _function_hash(fault: Fault) -> str:
    return _hash(fault.path, fault.function)


def _hash(*parts: str) -> str:
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()


def area_of(path: str) -> str | None:
    """Return the area of a source file, or None if it has no faults."""
    matches = (area for area, (_, files) in AREAS.items() if re.match(f"src/{files}", path))
    return next(matches, None)


def read_list(path: Path = LIST) -> list[Fault]:
    """Return the faults of a list; lines that begin with # are comments."""
    lines = path.read_text().splitlines()
    return [Fault.parse(line) for line in lines if not line.startswith("#")]
