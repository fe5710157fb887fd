"""The planned load of a design, as alarms need it.

CloudWatch counts the units of local indexes with their table, so they are part of it here, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from singletable.patterns import FeedPattern, Pattern, ScanPattern
from singletable.patterns.requests import PlannedRequest, planned_requests

if TYPE_CHECKING:
    from singletable.patterns.estimate import UnitCost
    from singletable.schema import Table
    from singletable_design.planning import PatternPlan, Plan

Direction: TypeAlias = Literal["Read", "Write"]

# In the order in which alarms are listed. A scan and a stream may take long, so they have no alarm.
_OPERATIONS = (
    "GetItem",
    "BatchGetItem",
    "Query",
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "BatchWriteItem",
    "TransactWriteItems",
)

_PERIODS = ((60, "a minute"), (3600, "an hour"), (86400, "a day"))

DIRECTIONS: tuple[Direction, Direction] = ("Read", "Write")


@dataclass(frozen=True, slots=True)
class PlannedUse:
    """Units and requests per second of a table or global index, at the busiest moment.

    `bulk_read_units` and `bulk_write_units` are the units of one call of each bulk pattern: a scan
    consumes a day's units within minutes.
    """

    read_units: float = 0.0
    write_units: float = 0.0
    reads: float = 0.0
    writes: float = 0.0
    bulk_read_units: float = 0.0
    bulk_write_units: float = 0.0

    def __add__(self, other: PlannedUse) -> PlannedUse:
        return PlannedUse(
            self.read_units + other.read_units,
            self.write_units + other.write_units,
            self.reads + other.reads,
            self.writes + other.writes,
            self.bulk_read_units + other.bulk_read_units,
            self.bulk_write_units + other.bulk_write_units,
        )

    def units(self, direction: Direction) -> float:
        """Return the units per second of reads or of writes."""
        return self.read_units if direction == "Read" else self.write_units

    def bulk_units(self, direction: Direction) -> float:
        """Return the units that one call of each bulk pattern reads or writes."""
        return self.bulk_read_units if direction == "Read" else self.bulk_write_units

    def requests(self, direction: Direction) -> float:
        """Return the requests per second that read or write."""
        return self.reads if direction == "Read" else self.writes


@dataclass(frozen=True, slots=True)
class PlannedLoad:
    """The planned load of tables.

    `uses` has the planned use by table and index (None is the table itself), and `operations` the
    DynamoDB operations by table, both by the declared name of the table.
    """

    uses: Mapping[tuple[str, str | None], PlannedUse]
    operations: Mapping[str, tuple[str, ...]]

    @property
    def requests(self) -> float:
        """Requests per second to all tables, at the busiest moment."""
        return sum(
            use.reads + use.writes for (_, index), use in self.uses.items() if index is None
        ) + sum(use.reads for (_, index), use in self.uses.items() if index is not None)

    def covers(self, table: str) -> bool:
        """Return whether a pattern catalog is about the table."""
        return table in self.operations

    def use(self, table: str, index: str | None) -> PlannedUse:
        """Return the planned use of a table or index; zero if no pattern uses it."""
        return self.uses.get((table, index), PlannedUse())


def table_sides(table: Table) -> list[tuple[Direction, str | None]]:
    """Return the reads and the writes of a table (None) and of each global index."""
    indexes = (None, *(index.name for index in table.indexes if not index.local))
    return [(direction, index) for index in indexes for direction in DIRECTIONS]


def planned_load(plan: Plan) -> PlannedLoad:
    """Return the load of a plan by table, index and operation."""
    uses: dict[tuple[str, str | None], PlannedUse] = {}
    for pattern in plan.patterns:
        for part in pattern.estimate.parts:
            index = part.index
            name = None if index is None or index.local else index.name
            place = part.request.table.name, name
            uses[place] = uses.get(place, PlannedUse()) + _use(pattern, part)
    tables = {one.table.name for one in plan.resources}
    return PlannedLoad(uses, {name: _operations(plan, name) for name in tables})


def _use(plan: PatternPlan, part: UnitCost) -> PlannedUse:
    calls = 0.0 if plan.rate is None or not part.units else plan.rate.peak_per_second
    # DynamoDB counts a throttled batch or transaction by its items, but a query as one.
    by_item = part.request.action not in ("Query", "Scan", "GetRecords")
    requests = calls * (plan.pattern.expected.items if by_item else 1)
    units, bulk = calls * part.units, part.units if _is_bulk(plan.pattern) else 0.0
    if part.kind == "read":
        return PlannedUse(read_units=units, reads=requests, bulk_read_units=bulk)
    return PlannedUse(write_units=units, writes=requests, bulk_write_units=bulk)


def _is_bulk(pattern: Pattern) -> bool:
    return isinstance(pattern, ScanPattern | FeedPattern) or any(
        access.kind in ("load", "clear") for access in pattern.accesses
    )


def _operations(plan: Plan, table: str) -> tuple[str, ...]:
    """Return the operations that the patterns send to a table."""
    sent: set[str] = set()
    for one in plan.patterns:
        requests = planned_requests(one.pattern)
        writes = [request for request in requests if not request.is_read and request.likely]
        sent.update(
            _operation(request, alone=writes == [request])
            for request in requests
            if request.table.name == table
        )
    return tuple(operation for operation in _OPERATIONS if operation in sent)


def _operation(request: PlannedRequest, *, alone: bool) -> str:
    in_transaction = request.in_transaction and not alone
    if in_transaction or request.action == "ConditionCheckItem":
        return "TransactWriteItems"
    return request.action


def format_rate(per_second: float, noun: str) -> str:
    """Format a rate in a period that suits it: 1,200 read units a second, 1 call a day."""
    count, period = per_second, "a second"
    for seconds, name in _PERIODS:
        if count >= 1 or not per_second:
            break
        count, period = per_second * seconds, name
    number = f"{count:,.0f}" if count >= 100 else f"{count:.3g}"
    return f"{number} {noun if number == '1' else noun + 's'} {period}"
