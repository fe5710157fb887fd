"""A design's load as plain values: which units each call consumes, and under which keys.

Nothing here refers to entities or templates, so that a simulator or a chart needs to know nothing
of declarations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from singletable.patterns import Distribution, Rate
from singletable.schema import Provisioned

SortKeys: TypeAlias = Literal["one", "many", "growing"]


@dataclass(frozen=True, slots=True)
class Domain:
    """The values of a key field, such as all user names; fields of several entities may share one.

    A call draws one value of each domain, so that all its requests are about the same user.
    """

    name: str
    distribution: Distribution

    def value(self, rank: int) -> str:
        """Return the value of this rank; the most frequent one has rank 1."""
        return f"{self.name}-{rank}"


@dataclass(frozen=True, slots=True)
class KeySpace:
    """All partition keys of one template, such as SKILL#{skill}; it may have no domain at all.

    `shards` is the number of partition keys over which the items of one value are spread.
    """

    template: str
    domains: tuple[Domain, ...] = ()
    shards: int = 1

    def text(self, ranks: Sequence[int]) -> str:
        """Return the partition key for the ranks of its values."""
        values = {
            domain.name: domain.value(rank)
            for domain, rank in zip(self.domains, ranks, strict=True)
        }
        text = self.template
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", value)
        return text


@dataclass(frozen=True, slots=True)
class PlacedUnits:
    """Units that one call consumes on a table, or on an index, under one partition key.

    A request that is spread over `partitions` keys, such as a batch, consumes `units` under each.
    A write consumes units on the indexes of its table, too; these have the same `request` number.
    `sort_keys` says where its items are within the partition key: at one sort key, at many, or
    always at the end, as items with growing numbers or times are. DynamoDB can divide a busy
    partition key only if there are many; a table with a local index counts as one.
    """

    table: str
    index: str | None
    kind: Literal["read", "write"]
    units: float
    key: KeySpace
    request: int = 0
    partitions: int = 1
    in_transaction: bool = False
    sort_keys: SortKeys = "one"

    @property
    def resource(self) -> str:
        """The table, or the table and the index: `shop` or `shop/GSI1`."""
        return self.table if self.index is None else f"{self.table}/{self.index}"


@dataclass(frozen=True, slots=True)
class PatternLoad:
    """The load of one access pattern: how often it is called, and what a call consumes."""

    id: str
    description: str
    rate: Rate
    units: tuple[PlacedUnits, ...]
    # The exponent by which its calls spread over keys; None leaves it to the domains.
    skew: float | None = None


@dataclass(frozen=True, slots=True)
class Workload:
    """The load of all patterns with a rate, and the capacity of their tables.

    `capacity` has the provisioned units by table; a table without an entry is on demand. `bytes`
    has the stored bytes by resource. `unrated` lists the patterns without a rate.
    """

    patterns: tuple[PatternLoad, ...]
    capacity: Mapping[str, Provisioned] = field(default_factory=dict[str, Provisioned])
    bytes: Mapping[str, float] = field(default_factory=dict[str, float])
    unrated: tuple[str, ...] = ()
