"""Which faults are seeded: how many in which area, chosen from the sources as they are.

The choice depends on the faults alone, so it changes little when sources change, and nothing has to
be updated with them.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import chain, zip_longest
from pathlib import Path

from tools.seeded_faults.mutations import faults
from tools.sync import PAIRS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Faults that no user could notice, each below a comment with the reason.
IGNORED = HERE / "ignored.txt"

LIBRARY = "(singletable|dynamodb_engine)"  # one house until the engine got its own
APP = r"singletable_apps/(elections|games|polls|portfolio|skills)"
# The number of faults in each area; a file belongs to the first area that matches its path.
AREAS = {
    "values, wire, schema": (42, rf"{LIBRARY}/(values|wire|schema)/"),
    "expressions": (20, rf"{LIBRARY}/expressions/"),
    "engine": (44, rf"{LIBRARY}/engine/"),
    "store": (46, rf"{LIBRARY}/store/"),
    "retry, remote": (16, rf"{LIBRARY}/(retry\.py|remote/)"),
    "server": (22, rf"{LIBRARY}/server/"),
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


def choose(root: Path, also: Path | None = None) -> list[str]:
    """Return the faults of each area: the same number for each operator, in various functions.

    With `also`, only faults that the sources of both checkouts can have.
    """
    shared = None if also is None else {key_of(fault) for fault in possible_faults(also)}
    operators: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for fault in possible_faults(root):
        if shared is None or key_of(fault) in shared:
            operators[area_of(fault)][fault.split(" | ")[2].split()[0]].append(fault)
    return [
        fault
        for area, (number, _) in AREAS.items()
        for fault in sorted(_one_per_function(operators[area].values(), number))
    ]


def possible_faults(root: Path) -> Iterator[str]:
    """Yield every fault that the sources can have and that a user could notice."""
    ignored = {key_of(fault) for fault in read_list(IGNORED)}
    for path in sorted(
        path for folder in root.glob("packages/*/src") for path in folder.rglob("*.py")
    ):
        name, source = str(path.relative_to(root)), path.read_text()
        for fault, _ in faults(name, source, ast.parse(source)):
            if name not in GENERATED and key_of(fault) not in ignored:
                yield fault


def key_of(fault: str) -> str:
    """Return the fault with the path below its package, which a move of the package keeps."""
    return re.sub(r"^packages/[^/]+/src/[^/]+/", "", fault)


def _one_per_function(operators: Iterable[list[str]], number: int) -> Iterable[str]:
    shuffled = [
        sorted(found, key=lambda one: sha256(key_of(one).encode()).digest()) for found in operators
    ]
    shuffled.sort(key=lambda found: found[0].split(" | ")[2])
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


def read_list(path: Path) -> list[str]:
    """Return the faults of a list; lines that begin with # are comments."""
    return [line for line in path.read_text().splitlines() if not line.startswith("#")]
