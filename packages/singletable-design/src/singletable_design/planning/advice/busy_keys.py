"""Advice about busy keys: hot partitions, items where transactions conflict, full collections."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator

from singletable.patterns import Distribution, Pattern, UnitCost
from singletable.patterns.estimate import DEFAULT_ITEM_SIZE, items_read, sharded_blocks
from singletable.schema import Model, ResolvedKey, model_of
from singletable.schema.key_parts import MAX_SHARDS
from singletable_design.planning.advice.advice import (
    ALMOST_ALL,
    CONFLICT_SHARE,
    MANY_CONFLICTS_SHARE,
    MAX_COLLECTION_BYTES,
    NEAR_LIMIT,
    TARGET_SHARE,
    TRANSACTION_SECONDS,
    Advice,
    Severity,
    list_text,
    rate_text,
    verb,
)
from singletable_design.planning.advice.design_facts import (
    Design,
    RatedPart,
    declared_parts,
    resource_name,
    tuple_text,
)
from singletable_design.planning.formats import format_bytes, format_number
from singletable_design.planning.hot_keys import HotKey, hot_keys
from singletable_design.planning.workload import (
    READ_LIMIT,
    STORAGE_OVERHEAD,
    WRITE_LIMIT,
    KeySpace,
)


def advise_hot_keys(design: Design) -> Iterator[Advice]:
    """Yield advice on partition keys that are near or above a partition's limit at peak."""
    for key in hot_keys(design.workload):
        for load, limit, rule in (
            (key.write, WRITE_LIMIT, _advise_hot_writes),
            (key.read, READ_LIMIT, _advise_hot_reads),
        ):
            # DynamoDB spreads keys with many sort keys itself, which takes some minutes.
            least = 1.0 if key.divisible else NEAR_LIMIT
            if load / limit >= least:
                is_over = load >= limit and not key.divisible
                yield rule(design, key, "high" if is_over else "medium")


def _advise_hot_writes(design: Design, key: HotKey, severity: Severity) -> Advice:
    keys = sorted(_keys_of(design, key), key=lambda one: -_written(design, *one))
    shards = math.ceil(key.write * key.key.shards / (WRITE_LIMIT * TARGET_SHARE))
    shards = min(max(shards, 2), MAX_SHARDS)
    change, fan_out, how = _shard_change(design, key, keys, shards)
    return design.advice(
        "hot-key-write",
        severity,
        key.resource,
        f"The partition key {key.text} of {key.resource} receives {_peak(key.write, 'write')}, "
        f"but a partition accepts {WRITE_LIMIT:,}{_divisible(key)}.",
        change,
        f"{_how(key, 'write')}. Shards: {format_number(key.write * key.key.shards)} ÷ "
        f"({WRITE_LIMIT:,} × {TARGET_SHARE:g}) = {shards}{how}",
        read=-fan_out,
    )


def _shard_change(
    design: Design, key: HotKey, keys: list[tuple[Model, ResolvedKey]], shards: int
) -> tuple[str, float, str]:
    """Return what to declare, and the read units per second that queries of all shards cost."""
    model, access = keys[0]
    if not access.sk_fields and access.index is None:
        return (
            f"These are writes of one item. Spread the {model.name} over {shards} items, with a "
            f"number from 1 to {shards} in their key, and add them up when you read; or collect "
            "changes and write them less often.",
            0.0,
            "",
        )
    # A field of the primary key, by which an entry stays in its shard if the item is put again.
    fields = access.sk_fields if access.index is None else model.key.fields
    by = next((f", by={one}" for one in fields if one not in access.pk_fields), "")
    parts = [*declared_parts(access.pk), f"Shards({shards}{by})"]
    more = f"{shards} instead of {key.key.shards}" if key.key.shards > 1 else f"{shards}"
    pk = tuple_text(parts, access.pk)
    text = f"Spread {access} over {more} partitions: {access.name} = Key(pk={pk}, …)."
    if access.index is not None and not any(design.readers(other) for _, other in keys):
        text = f"No pattern reads {access}: remove it. If you need it, s{text[1:]}"
    fan_out, texts = 0.0, list[str]()
    for _, other in keys:
        for plan in design.readers(other):
            part = next(one for one in plan.estimate.parts if one.request.action == "Query")
            after = _units_of_shards(design, part, plan.pattern, shards)
            if plan.rate is not None and after > part.units:
                fan_out += (after - part.units) * plan.rate.per_second
                texts.append(
                    f"{plan.pattern.id} then costs {format_number(after)} instead of "
                    f"{format_number(part.units)} read units a call"
                )
    if texts:
        text += f" A query reads all {shards} shards: {list_text(texts)}."
    return text, fan_out, "".join(f"; {one}" for one in texts)


def _units_of_shards(design: Design, part: UnitCost, pattern: Pattern, shards: int) -> float:
    """Return the units of a query of some shards, each rounded up."""
    step = 1.0 if pattern.expected.consistent else 0.5
    items = items_read(pattern, design.catalog_of(pattern).counts)
    returned = pattern.expected.items
    size = part.bytes_returned / returned if returned else DEFAULT_ITEM_SIZE
    return step * sharded_blocks(items, size, shards)


def _advise_hot_reads(design: Design, key: HotKey, severity: Severity) -> Advice:
    hit_rate = 1 - min(1.0, READ_LIMIT * TARGET_SHARE / key.read)
    reads = [load for load in key.loads if load.kind == "read"]
    patterns = list(dict.fromkeys(load.pattern for load in reads))
    saved = hit_rate * sum(load.average for load in reads)
    shown = f"{hit_rate:.0%}" if hit_rate < ALMOST_ALL else f"{hit_rate:.2%}"
    return design.advice(
        "hot-key-read",
        severity,
        key.resource,
        f"The partition key {key.text} of {key.resource} is read with {_peak(key.read, 'read')}, "
        f"but a partition accepts {READ_LIMIT:,}{_divisible(key)}.",
        f"Cache what {list_text(patterns, 3)} {verb(patterns, 'read')}: a hit rate of {shown} "
        "leaves half of the limit free. For an item that everyone reads, a cache of one second in "
        "each process is enough.",
        f"{_how(key, 'read')}. Hit rate: 1 − {READ_LIMIT:,} × {TARGET_SHARE:g} ÷ "
        f"{format_number(key.read)} = {shown}",
        read=saved,
    )


def _peak(units: float, kind: str) -> str:
    return f"{rate_text(units, kind)} at peak"


def _how(key: HotKey, kind: str) -> str:
    """Return how most of the load was computed."""
    texts = [load.how for load in key.loads if load.kind == kind]
    rest = f"; and {len(texts) - 4} more" if len(texts) > 4 else ""
    return "; ".join(texts[:4]) + rest


def _written(design: Design, _: Model, access: ResolvedKey) -> float:
    return sum(
        one.units for one in design.parts if one.part.access is access and one.part.kind == "write"
    )


def _divisible(key: HotKey) -> str:
    if not key.divisible:
        return ""
    return "; DynamoDB divides such a key by its sort keys, but throttles requests until then"


def _keys_of(design: Design, key: HotKey) -> list[tuple[Model, ResolvedKey]]:
    """Return the declared keys that have a kind of partition key; the primary keys first."""
    return [
        (model, access)
        for model in design.models
        for access in (
            model.key,
            *model.indexes.values(),
            *(unique.access for unique in model.uniques.values()),
        )
        if resource_name(model.table, access.index) == key.resource
        and design.domains.key_space(model, access) == key.key
    ]


def advise_contention(design: Design) -> Iterator[Advice]:
    """Yield advice on items that many transactions write or check at the same time."""
    meeting: dict[tuple[type, ResolvedKey], list[tuple[RatedPart, float]]] = defaultdict(list)
    for one in design.parts:
        request = one.request
        is_new = request.action == "PutItem" and not request.edited_fields
        if one.part.kind == "read" or one.part.index is not None or is_new or not one.part.units:
            continue
        if request.in_transaction and request.subject == request.entity.__name__:
            skew = one.pattern.expected.skew
            share = _item_share(design, model_of(request.entity), request.access, skew)
            meeting[request.entity, request.access].append((one, one.peak_calls * share))
    for (entity, _), parts in meeting.items():
        calls = sum(rate for _, rate in parts)
        conflicts = 1 - math.exp(-calls * TRANSACTION_SECONDS)
        if conflicts < CONFLICT_SHARE:
            continue
        patterns = list(dict.fromkeys(one.pattern.id for one, _ in parts))
        name = entity.__name__
        yield design.advice(
            "contended-item",
            "high" if conflicts >= MANY_CONFLICTS_SHARE else "medium",
            name,
            f"At peak, {format_number(calls)} transactions a second of {list_text(patterns, 4)} "
            f"write or check the same {name} item, so {_share_text(conflicts)} of them meet "
            "another one and are canceled or retried.",
            _avoid_conflicts(entity, [one for one, _ in parts]),
            f"1 − e^(−{format_number(calls)} × {TRANSACTION_SECONDS:g} s) = {conflicts:.1%}, if a "
            f"transaction holds its items for {TRANSACTION_SECONDS * 1000:.0f} ms",
        )


def _share_text(share: float) -> str:
    return f"about {share:.0%}" if share < ALMOST_ALL else "almost all"


def _avoid_conflicts(entity: type, parts: list[RatedPart]) -> str:
    """Return what to change; a declared count is not in the accesses of its pattern."""
    is_counted = not any(
        access.entity is entity for one in parts for access in one.pattern.accesses
    )
    if is_counted:
        return (
            f"Count without the transaction: remove the Count of {entity.__name__} and add up from "
            "the change feed, or spread the number over several items and add them when you read."
        )
    return (
        f"Change the {entity.__name__} outside the transaction, from the change feed, or make "
        "several calls in one transaction. One process that waits for each transaction avoids "
        f"conflicts, but makes at most {1 / TRANSACTION_SECONDS:.0f} a second."
    )


def _item_share(design: Design, model: Model, access: ResolvedKey, skew: float | None) -> float:
    """Return the share of calls that are about the most frequent item."""
    names = dict.fromkeys((*access.pk_fields, *access.sk_fields))
    domains = {design.domains.domain(model, name) for name in names}
    values = [domain.distribution for domain in domains]
    if skew is not None and values:
        return Distribution(math.prod(one.values for one in values), skew).share(1)
    return math.prod(one.share(1) for one in values)


def advise_collections(design: Design) -> Iterator[Advice]:
    """Yield advice on item collections near 10 GB, the limit of tables with a local index."""
    for table in design.tables:
        local = [index for index in table.indexes if index.local]
        if not local:
            continue
        sizes: dict[KeySpace, float] = defaultdict(float)
        texts: dict[KeySpace, list[str]] = defaultdict(list)
        for entity in table.entities:
            model, count = model_of(entity), design.count_of(entity)
            if count is None:
                continue
            space = design.domains.key_space(model, model.key)
            share = math.prod(one.distribution.share(1) for one in space.domains) / space.shards
            copies = 1 + sum(key.index in local for key in model.indexes.values())
            size = (design.size_of(entity) + STORAGE_OVERHEAD) * copies
            sizes[space] += count * share * size
            texts[space].append(f"{count:,.0f} {model.name} × {share:.3g} × {size:,} bytes")
        for space, stored in sizes.items():
            if stored < NEAR_LIMIT * MAX_COLLECTION_BYTES:
                continue
            text = space.text([1] * len(space.domains))
            yield design.advice(
                "large-collection",
                "high" if stored >= MAX_COLLECTION_BYTES else "medium",
                table.name,
                f"The items under {text} have {format_bytes(stored)}, and {table.name} has a local "
                "index, with which DynamoDB rejects writes above 10 GB for one partition key.",
                f"Use a global index instead of {list_text([index.name for index in local])}, or "
                "add a value to the partition key, such as the year or Shards(…, by=…).",
                " + ".join(texts[space]),
            )


RULES = (advise_hot_keys, advise_contention, advise_collections)
