"""Advice about reads: filters, scans, large queries, strong consistency, separate gets."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, cast

from singletable.patterns import Rate, ReadPattern, ScanPattern
from singletable.patterns.estimate import READ_BLOCK, read_units
from singletable.schema import Selection, Table, model_of
from singletable_design.planning.advice.advice import (
    FILTER_FACTOR,
    MANY_ITEMS,
    PAGE_BYTES,
    PAGE_ITEMS,
    RARE_PER_SECOND,
    Advice,
    calls_text,
    list_text,
    rate_text,
)
from singletable_design.planning.advice.design_facts import (
    Design,
    RatedPart,
    codes,
    declared_parts,
    is_query,
    key_text,
    tuple_text,
    with_items,
    without_consistency,
    without_filter,
)
from singletable_design.planning.formats import format_bytes, format_number
from singletable_design.planning.plan import PatternPlan
from singletable_design.planning.workload import KeySpace


def advise_filters(design: Design) -> Iterator[Advice]:
    """Yield advice on queries whose filters drop most of the items."""
    for plan, pattern, rate in _rated_reads(design):
        expected = pattern.expected
        scanned = expected.items_read
        if not _is_wasteful(pattern):
            continue
        less = _read_units(design, without_filter(pattern))
        saved = (plan.estimate.typical_read - less) * rate.per_second
        entity = pattern.accesses[0].entity
        # An index for the filter has an entry for each item that is written.
        items, stored, blocks = design.new_entries(entity)
        if not design.is_worth(design.dollars(saved, -items * blocks, -stored)):
            continue
        yield design.advice(
            "filter-waste",
            "medium",
            pattern.id,
            f"{pattern.id} reads {scanned:,} {entity.__name__} items a call, and its filter keeps "
            f"{expected.items:,}: the others cost {rate_text(saved, 'read')}.",
            "Put the field that the filter tests into a sort key, before the others: "
            f"{_filtered_key(pattern)}, or make an index sparse with it: .on(index, when=…).",
            f"{calls_text(rate.per_second)} × "
            f"({format_number(plan.estimate.typical_read)} − {format_number(less)}) read units; "
            f"{_entries_text(items, blocks)}",
            read=saved,
            write=-items * blocks,
            stored=-stored,
        )


def _entries_text(items: float, blocks: int) -> str:
    """Return the cost of an index that contains all items of an entity."""
    units = f"{blocks:,} unit{'' if blocks == 1 else 's'}"
    return f"{format_number(items)} written items a second × at most {units} for an entry"


def _filtered_key(pattern: ReadPattern[Any, Any]) -> str:
    """Return the key of the pattern with the filtered field as the first one of the sort key."""
    access = cast("Selection[Any]", pattern.sample).access
    parts = declared_parts(access.sk)
    fields = [at for at, part in enumerate(parts) if not part.startswith('"')]
    parts.insert(fields[0] if fields else len(parts), "filtered")
    pk = tuple_text(declared_parts(access.pk), access.pk)
    return f"Key(pk={pk}, sk={tuple_text(parts, access.sk)})"


def _is_wasteful(pattern: ReadPattern[Any, Any]) -> bool:
    """Return whether a filter drops most of the items that the pattern reads."""
    expected = pattern.expected
    dropped = (expected.scanned or 0) >= FILTER_FACTOR * max(expected.items, 1)
    return dropped and is_query(pattern)


def advise_scans(design: Design) -> Iterator[Advice]:
    """Yield advice on scans that are frequent, or a large part of the bill."""
    for plan in design.plan.patterns:
        pattern, rate = plan.pattern, plan.rate
        if not isinstance(pattern, ScanPattern) or rate is None:
            continue
        entity, table = pattern.accesses[0].entity, pattern.tables[0]
        units = plan.read.average
        is_frequent = rate.per_second > RARE_PER_SECOND
        if not is_frequent and not design.is_worth(design.dollars(units), question=True):
            continue
        share = _share_of_table(design, table, entity)
        saved, (items, stored, blocks) = units * (1 - share), design.new_entries(entity)
        written = items * blocks
        if share < 1 and design.is_worth(design.dollars(saved, -written, -stored)):
            change = (
                f"Give {entity.__name__} a key in an index, all_items = Key(pk=…).on(index), and "
                f"query it: that reads only the {entity.__name__} items, {share:.0%} of "
                f"{table.name}."
            )
            how = (
                f"{format_number(units)} read units a second × (1 − {share:.3g}); "
                f"{_entries_text(items, blocks)}"
            )
        else:
            saved = written = stored = 0.0
            change = (
                "Follow the changes instead of reading everything again: "
                f"patterns.feed(…, {entity.__name__}); or scan less often, or export the table "
                "to S3."
            )
            how = plan.estimate.parts[0].how
        yield design.advice(
            "scan",
            "medium",
            pattern.id,
            f"{pattern.id} scans {table.name} {rate}, each time with "
            f"{format_number(plan.estimate.typical_read)} read units; on average that is "
            f"{rate_text(units, 'read')}.",
            change,
            how,
            read=saved,
            write=-written,
            stored=-stored,
        )


def _share_of_table(design: Design, table: Table, entity: type) -> float:
    """Return the share of a table's bytes that are items of an entity; 1 if it is not known."""
    sizes = {
        one: count * design.size_of(one)
        for one in table.entities
        if (count := design.count_of(one)) is not None
    }
    total = sum(sizes.values())
    return sizes[entity] / total if total and entity in sizes else 1.0


def advise_large_queries(design: Design) -> Iterator[Advice]:
    """Yield advice on queries that read very many items in one call."""
    for plan, pattern, rate in _rated_reads(design):
        queries = [one for one in plan.estimate.parts if one.request.action == "Query"]
        items = pattern.expected.items_read
        if not queries or rate.per_second <= RARE_PER_SECOND or _is_wasteful(pattern):
            continue
        # A unit is 4 KB, or half of it is.
        step = 1.0 if pattern.expected.consistent else 0.5
        size = queries[0].units / step * READ_BLOCK
        if items < MANY_ITEMS and size < PAGE_BYTES:
            continue
        less = _read_units(design, with_items(pattern, min(items, PAGE_ITEMS)))
        saved = (plan.estimate.typical_read - less) * rate.per_second
        if not design.is_worth(design.dollars(saved)):
            continue
        pages = math.ceil(size / PAGE_BYTES)
        requests = f" in {pages} requests, one after another" if pages > 1 else ""
        yield design.advice(
            "large-query",
            "medium",
            pattern.id,
            f"A call of {pattern.id} reads {items:,} items, {format_bytes(size)}{requests}.",
            f"Read a page at a time: store.page(…, {PAGE_ITEMS}), and continue with its cursor; or "
            "keep the total that you compute from the items in an item of its own.",
            f"{calls_text(rate.per_second)} × "
            f"({format_number(plan.estimate.typical_read)} − {format_number(less)}) read units, if "
            f"the first {PAGE_ITEMS} items are enough",
            read=saved,
        )


def advise_consistency(design: Design) -> Iterator[Advice]:
    """Yield one question about the reads of each catalog that are strongly consistent."""
    for catalog in design.plan.catalogs:
        plans = [
            plan
            for plan, pattern, _ in _rated_reads(design)
            if pattern.catalog == catalog.name and pattern.expected.consistent
        ]
        plans.sort(key=lambda plan: -plan.read.average)
        units = sum(plan.read.average for plan in plans)
        after = sum(
            rate.per_second * _read_units(design, without_consistency(pattern))
            for plan, pattern, rate in _rated_reads(design)
            if plan in plans
        )
        if not design.is_worth(design.dollars(units - after), question=True):
            continue
        noun = "pattern reads" if len(plans) == 1 else "patterns read"
        yield design.advice(
            "consistent-read",
            "low",
            catalog.name,
            f"{len(plans)} {noun} with strong consistency, which costs twice as much: "
            f"{list_text(codes(plans), 4)}, together {rate_text(units, 'read')}.",
            "Does each of them have to see the latest write? Where a second-old answer will do, "
            "leave out consistent=True.",
            f"{format_number(units)} − {format_number(after)} read units a second",
            read=units - after,
        )


def advise_joined_reads(design: Design) -> Iterator[Advice]:
    """Yield a question about gets of the same partition at the same rate: one query reads all."""
    groups: dict[tuple[Table, KeySpace, Rate, bool], list[RatedPart]] = defaultdict(list)
    for one in design.parts:
        pattern, request = one.pattern, one.request
        if isinstance(pattern, ReadPattern) and request.action == "GetItem" and one.units:
            if request.access is not model_of(request.entity).key or one.plan.rate is None:
                continue
            space = design.domains.key_space(model_of(request.entity), request.access)
            consistent = pattern.expected.consistent
            groups[request.table, space, one.plan.rate, consistent].append(one)
    for (table, space, rate, consistent), parts in groups.items():
        size = _partition_bytes(design, table, space)
        if len({one.request.entity for one in parts}) < 2 or size is None:
            continue
        after = read_units(math.ceil(size)) * (1.0 if consistent else 0.5)
        before = sum(one.part.units for one in parts)
        saved = (before - after) * rate.per_second
        if not design.is_worth(design.dollars(saved), question=True):
            continue
        names = [one.pattern.id for one in parts]
        yield design.advice(
            "joined-reads",
            "low",
            table.name,
            f"{list_text(names)} get items of one partition, {key_text(parts[0].request.access)}, "
            f"at the same rate, with {format_number(before)} read units together.",
            "Are they called for the same page? Then read them with one query: "
            f"patterns.read(…, {parts[0].request.entity.__name__}.key.partition, collection=…).",
            f"{calls_text(rate.per_second)} × ({format_number(before)} − "
            f"{format_number(after)}) read units for a partition of {format_bytes(size)}",
            read=saved,
        )


def _partition_bytes(design: Design, table: Table, space: KeySpace) -> float | None:
    """Return the bytes under the most frequent key, or None if an entity in it has no count."""
    total = 0.0
    for entity in table.entities:
        model = model_of(entity)
        if design.domains.key_space(model, model.key) != space:
            continue
        count = design.count_of(entity)
        if count is None:
            return None
        share = math.prod(one.distribution.share(1) for one in space.domains)
        total += max(1.0, count * share) * design.size_of(entity)
    return total


def _rated_reads(design: Design) -> Iterator[tuple[PatternPlan, ReadPattern[Any, Any], Rate]]:
    for plan in design.plan.patterns:
        if isinstance(plan.pattern, ReadPattern) and plan.rate is not None:
            yield plan, plan.pattern, plan.rate


def _read_units(design: Design, pattern: ReadPattern[Any, Any]) -> float:
    return design.estimate(pattern).typical_read


RULES = (
    advise_filters,
    advise_scans,
    advise_large_queries,
    advise_consistency,
    advise_joined_reads,
)
