"""The uses that an app's access patterns make of its tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from singletable.infrastructure.iam.use import STREAM, Use
from singletable.patterns import Pattern, ReadPattern, Request, requests_of
from singletable.schema import model_of

# What a batch of them needs. It reaches no other items, so that patterns do not tell them apart.
_IN_BATCHES = {"put": "BatchWriteItem", "delete": "BatchWriteItem"}


def uses_of_patterns(patterns: Iterable[Pattern]) -> list[Use]:
    """Everything that the patterns do, whether one item at a time or in batches."""
    uses: dict[tuple[str, int], Use] = {}
    for pattern in patterns:
        for use in _uses(pattern):
            uses.setdefault((use.action, id(use.access)), use)
    return list(uses.values())


def _uses(pattern: Pattern) -> Iterator[Use]:
    for request in requests_of(pattern):
        for action in STREAM if request.action == "GetRecords" else (request.action,):
            yield Use(action, request.table, request.access)
        if isinstance(pattern, ReadPattern):
            yield from _batched_reads(request)
    for touch in pattern.touches:
        model = model_of(touch.entity)
        batch = _IN_BATCHES.get(touch.kind)
        # A batch keeps no unique values and no counts, and is refused for entities that have some.
        if batch is not None and not model.uniques and not model.counts:
            yield Use(batch, model.table, model.key)


def _batched_reads(request: Request) -> Iterator[Use]:
    """A look-up of many keys, which is also how items are fetched that an index holds in part."""
    index = request.index
    if request.action == "GetItem":
        yield Use("BatchGetItem", request.table, request.access)
    elif request.action == "Query" and index is not None and index.projection != "ALL":
        yield Use("BatchGetItem", request.table, model_of(request.entity).key)
