"""The list of faults: how many in which area, and how they are chosen."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable
from hashlib import sha256
from itertools import chain, zip_longest
from pathlib import Path

from tools.seeded_faults.mutations import faults
from tools.sync import PAIRS

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
LIST = HERE / "faults.txt"
# Faults that no user could notice, each below a comment with the reason.
IGNORED = HERE / "ignored.txt"

APP = r"singletable_apps/(elections|games|polls|portfolio|skills)"
# The number of faults in each area; a file belongs to the first area that matches its path.
AREAS = {
    "values, wire, schema": (42, r"singletable/(values|wire|schema)/"),
    "expressions": (20, r"dynamodb_engine/expressions/"),
    "engine": (44, r"dynamodb_engine/engine/"),
    "store": (46, r"singletable/store/"),
    "retry, remote": (16, r"singletable/(retry\.py|remote/)"),
    "server": (22, r"dynamodb_engine/server/"),
    "migration": (22, r"singletable/migration/"),
    "planning, patterns": (
        22,
        r"(singletable/patterns|singletable_design/(planning|infrastructure))/",
    ),
    "counting": (12, r"ranked_ballots/(?!cli|pictures)"),
    "app pages and APIs": (24, rf"{APP}/(api|pages)/"),
    "app rules": (40, rf"{APP}/(?!cli|commands|sample|client|app\.py|migration|history)"),
    "shared": (20, r"singletable_apps/shared/(?!cli|serve)"),
}
GENERATED = {f"packages/singletable/src/singletable/{pair.target}" for pair in PAIRS}


def choose() -> list[str]:
    """Return the faults of each area: the same number for each operator, in random functions."""
    ignored = set(read_list(IGNORED))
    operators: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted(
        path for folder in ROOT.glob("packages/*/src") for path in folder.rglob("*.py")
    ):
        name, source = str(path.relative_to(ROOT)), path.read_text()
        for fault, _ in faults(name, source, ast.parse(source)):
            if name not in GENERATED and fault not in ignored:
                operators[area_of(name)][fault.split(" | ")[2].split()[0]].append(fault)
    return [
        fault
        for area, (number, _) in AREAS.items()
        for fault in sorted(_one_per_function(operators[area].values(), number))
    ]


def _one_per_function(operators: Iterable[list[str]], number: int) -> Iterable[str]:
    shuffled = [sorted(found, key=lambda one: sha256(one.encode()).digest()) for found in operators]
    chosen: dict[tuple[str, ...], str] = {}
    for fault in filter(None, chain.from_iterable(zip_longest(*shuffled))):
        if len(chosen) < number:
            chosen.setdefault(tuple(fault.split(" | ")[:2]), fault)
    return chosen.values()


def area_of(path: str) -> str:
    """Return the area of a source file or of a fault; empty if the file has no faults."""
    return next(
        (area for area, (_, part) in AREAS.items() if re.match(f"packages/[^/]+/src/{part}", path)),
        "",
    )


def read_list(path: Path = LIST) -> list[str]:
    """Return the faults of a list; lines that begin with # are comments."""
    return [line for line in path.read_text().splitlines() if not line.startswith("#")]
