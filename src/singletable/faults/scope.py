"""Which operations, and which of their parts, a fault can strike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from singletable.faults.description import Faults, Kind
from singletable.faults.surface import (
    ON_ITEMS,
    OPERATIONS,
    SPECS,
    Part,
    Tables,
    parts_of,
    table_name,
)
from singletable.operations import Operation
from singletable.operations.registry import SpecificFault


def _struck_by(fault: SpecificFault) -> tuple[str, ...]:
    return tuple(name for name, spec in SPECS.items() if fault in spec.faults)


# The operations that each fault can strike at AWS.
STRIKES: dict[Kind, tuple[str, ...]] = {
    "throttle": OPERATIONS,
    "unavailable": OPERATIONS,
    "internal": OPERATIONS,
    "internal_after": tuple(name for name, spec in SPECS.items() if spec.writes),
    "in_progress": _struck_by("in_progress"),
    "conflict": _struck_by("conflict"),
    "unprocessed": _struck_by("unprocessed"),
    "stale": _struck_by("stale"),
}


@dataclass(frozen=True, slots=True)
class Occasion:
    """An operation as faults see it: its name and what it touches."""

    name: str
    parts: tuple[Part, ...]
    has_token: bool = False


def occasion_of(operation: Operation[Any], tables: Tables) -> Occasion:
    """The operation as faults see it, with what is known of its tables."""
    has_token = getattr(operation, "client_request_token", None) is not None
    return Occasion(type(operation).__name__, parts_of(operation, tables), has_token)


def is_named(operation: Operation[Any], faults: Faults) -> bool:
    """Whether faults are for operations of this name; our own operations never are."""
    return type(operation).__name__ in (faults.operations or ON_ITEMS)


def parts_in_scope(occasion: Occasion, faults: Faults) -> tuple[Part, ...] | None:
    """The parts that faults may be about; None if the operation is out of their scope."""
    if occasion.name not in (faults.operations or ON_ITEMS):
        return None
    parts = tuple(part for part in occasion.parts if _in_scope(part, faults))
    restricted = faults.tables or faults.indexes or faults.keys
    return None if restricted and not parts else parts


def may_be_struck(occasion: Occasion, faults: Faults, kind: Kind) -> tuple[Part, ...] | None:
    """The parts that a fault of this kind may be about; None if it cannot strike."""
    parts = parts_in_scope(occasion, faults)
    if parts is None or occasion.name not in STRIKES[kind]:
        return None
    if faults.indexes and kind != "throttle":
        # An index that cannot keep up throttles writes to its table; else a write is no index's.
        parts = tuple(part for part in parts if not part.writes)
    match kind:
        case "stale":
            parts = tuple(part for part in parts if not part.consistent)
        case "unprocessed" if len(occasion.parts) < 2:
            return None
        case "in_progress" if not occasion.has_token:
            return None
        case _:
            pass
    # An operation without a table to name, such as ListTables, can only fail as a whole.
    return parts if parts or occasion.name not in ON_ITEMS else None


def _in_scope(part: Part, faults: Faults) -> bool:
    tables = tuple(table_name(name) for name in faults.tables)
    if tables and part.table not in tables:
        return False
    if faults.indexes and not {part.index, *part.feeds}.intersection(faults.indexes):
        return False
    return not faults.keys or bool(set(part.partition).intersection(faults.keys))
