"""What an app does with items: an action, by the table's key or by an index's."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from singletable.errors import DeclarationError
from singletable.schema import Access, Model, Table, model_of

# A transaction has no action of its own: it needs those of its parts, checks among them.
READS = ("GetItem", "BatchGetItem", "Query")
WRITES = ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "ConditionCheckItem")
SCAN = "Scan"
# What a table's stream is read with.
STREAM = ("DescribeStream", "GetRecords", "GetShardIterator")
ALL_ACTIONS = (*READS, *WRITES, SCAN)


@dataclass(frozen=True, slots=True)
class Use:
    """One action of IAM, without its `dynamodb:`, on the items that a key reaches."""

    action: str
    table: Table
    access: Access

    @property
    def part(self) -> str:
        """What of the table is asked: nothing but the table, an index, or its streams."""
        if self.action in STREAM:
            return "/stream/*"
        return "" if self.access.index is None else f"/index/{self.access.index.name}"

    @property
    def has_keys(self) -> bool:
        """Whether IAM is told the partition keys that it is about: not of all there are."""
        return self.action != SCAN and self.action not in STREAM


def uses_of(entities: Iterable[type], actions: Collection[str]) -> list[Use]:
    """Everything that a store can do with these entities by these actions.

    Indexes are queried. Markers of unique values and counts in other items are written along.
    """
    for action in actions:
        if action not in ALL_ACTIONS:
            raise DeclarationError(
                f"{action!r} is no action on items (there are: {', '.join(ALL_ACTIONS)})."
            )
    uses: list[Use] = []
    for entity in entities:
        uses += _of_model(model_of(entity), actions)
    return uses


def _of_model(model: Model, actions: Collection[str]) -> list[Use]:
    table = model.table
    uses = [Use(action, table, model.key) for action in ALL_ACTIONS if action in actions]
    if "Query" in actions:
        uses += [Use("Query", table, access) for access in model.indexes.values()]
    for marker in model.uniques.values():
        uses += [
            Use(action, table, marker.access)
            for action in ALL_ACTIONS
            if action in actions and action not in ("Query", SCAN)
        ]
    if any(action in actions for action in WRITES):
        for counted in model.counts.values():
            other = model_of(counted.entity)
            uses.append(Use("UpdateItem", other.table, other.key))
    return uses
