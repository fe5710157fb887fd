"""Advice about indexes: unused, not sparse, too large, too small, with keys that change often."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any, Literal, cast

from singletable.patterns import PlannedRequest, ReadPattern
from singletable.patterns.sample_items import entry_size
from singletable.schema import Index, Model, ResolvedKey, Selection, Table
from singletable.store.decoder import missing_fields
from singletable_design.planning.advice.advice import (
    WIDE_ENTRY_BYTES,
    Advice,
    calls_text,
    list_text,
    rate_text,
    verb,
)
from singletable_design.planning.advice.design_facts import (
    Design,
    RatedPart,
    action_units,
    codes,
    resource_name,
    with_projection,
)
from singletable_design.planning.formats import format_bytes, format_number
from singletable_design.planning.plan import PatternPlan
from singletable_design.planning.workload import STORAGE_OVERHEAD


def advise_unused(design: Design) -> Iterator[Advice]:
    """Yield advice on indexes, and keys of entities in indexes, that no pattern reads."""
    for table in design.tables:
        for index in table.indexes:
            keys = _keys_on(design, table, index)
            unread = [(model, key) for model, key in keys if not _is_read(design, key)]
            if not unread:
                continue
            if len(unread) == len(keys):
                yield _unused_index(design, table, index, keys)
                continue
            for model, key in unread:
                read, write, stored = design.savings([_without_keys(model, [key])])
                if not design.is_worth(design.dollars(read, write, stored)):
                    continue
                units = sum(one.units for one in design.written_entries(key))
                yield design.advice(
                    "unused-key",
                    "medium",
                    resource_name(table, index),
                    f"No pattern reads {key}, but its entries in {index.name} cost "
                    f"{rate_text(units, 'write')}.",
                    f"Remove the key {key}, or declare the pattern that reads it.",
                    _how_written(design.written_entries(key)),
                    read=read,
                    write=write,
                    stored=stored,
                )


def _without_keys(model: Model, keys: Sequence[ResolvedKey]) -> Model:
    """Return a model of the entity without some keys in indexes."""
    kept = {name: key for name, key in model.indexes.items() if key not in keys}
    return replace(model, indexes=kept)


def _is_read(design: Design, key: ResolvedKey) -> bool:
    """Return whether a pattern reads by a key; a pattern without a rate may."""
    rates = [one.pattern.expected.rate for one in design.readers(key)]
    return any(rate is None or rate.calls > 0 for rate in rates)


def _unused_index(
    design: Design, table: Table, index: Index, keys: list[tuple[Model, ResolvedKey]]
) -> Advice:
    resource = next(
        one for one in design.plan.resources if one.table is table and one.index is index
    )
    reasons = [one.unused[index] for one in design.plan.catalogs if index in one.unused]
    models = {id(model): model for model, _ in keys}.values()
    removed = [key for _, key in keys]
    read, write, _ = design.savings([_without_keys(model, removed) for model in models])
    stored = resource.stored.bytes
    size = f" and stores {format_bytes(stored)}" if stored else ""
    kept = f" It is kept because of: {reasons[0]}." if reasons else ""
    return design.advice(
        "unused-index",
        "low" if reasons else "medium",
        resource.name,
        f"No pattern reads the index {index.name} of {table.name}, which costs "
        f"{rate_text(resource.write.average, 'write')}{size}.{kept}",
        f"Remove the index and the keys in it ({list_text([str(key) for key in removed])}), or "
        "declare the pattern that reads it.",
        _how_written([one for key in removed for one in design.written_entries(key)]),
        read=read,
        write=write,
        stored=stored,
    )


def _how_written(parts: list[RatedPart]) -> str:
    return "; ".join(
        f"{one.pattern.id}: {calls_text(one.calls)} × {format_number(one.part.units)} write units"
        for one in parts
        if one.units
    )


def _keys_on(design: Design, table: Table, index: Index) -> list[tuple[Model, ResolvedKey]]:
    return [
        (model, key)
        for model in design.models
        if model.table is table
        for key in model.indexes.values()
        if key.index is index
    ]


def advise_sparse(design: Design) -> Iterator[Advice]:
    """Yield advice on keys that all patterns query with the same values, such as "open"."""
    for model in design.models:
        for key in model.indexes.values():
            if key.when is not None or len(key.pk_fields) != 1:
                continue
            (name,) = key.pk_fields
            values = _asked_values(design, key, name)
            domain = design.domains.domain(model, name)
            possible = domain.distribution.values
            # Nothing is known about the values that are not asked for.
            if domain.name in design.domains.assumed or not 0 < len(values) < possible:
                continue
            asked = len(values) / possible
            parts = design.written_entries(key)
            default = model.fields[name].default
            is_asked_first = (
                model.fields[name].constant and default is not None and default() in values
            )
            # New items have the default value, so all of them are in the index if it is asked for.
            saved = sum(
                one.units * (1 - asked)
                for one in parts
                if not (is_asked_first and _is_new(one.request))
            )
            size = entry_size(model.entity, key.index, design.size_of(model.entity))
            stored = design.entries_of(model, key) * (size + STORAGE_OVERHEAD) * (1 - asked)
            if not design.is_worth(design.dollars(write=saved, stored=stored)):
                continue
            shown = sorted(str(one) if isinstance(one, Enum) else repr(one) for one in values)
            test = f" == {shown[0]}" if len(values) == 1 else f".in_({', '.join(shown)})"
            yield design.advice(
                "sparse-index",
                "medium",
                str(key),
                f"All patterns that read {key} ask for {list_text(shown)}, but its entries have "
                f"{possible:,} different values of {name}, which cost "
                f"{rate_text(sum(one.units for one in parts), 'write')}.",
                f"Make the index sparse: Key(…).on({key.index and key.index.name}, "
                f"when={name}{test}).",
                f"{len(values)} of {possible:,} values, assumed to be equally frequent: "
                f"{format_number(saved)} write units a second less",
                write=saved,
                stored=stored,
            )


def _is_new(request: PlannedRequest) -> bool:
    return request.action == "PutItem" and not request.edited_fields


def _asked_values(design: Design, key: ResolvedKey, name: str) -> set[object]:
    """Return the values by which patterns read a key, or an empty set if callers choose them."""
    values: set[object] = set()
    for plan in design.readers(key):
        pattern = cast("ReadPattern[Any, Any]", plan.pattern)
        selection = cast("Selection[Any]", pattern.sample)
        value = selection.values[name]
        if any(parameter.example == value for parameter in pattern.parameters):
            return set()
        values.add(value)
    return values


def advise_projections(design: Design) -> Iterator[Advice]:
    """Yield advice on indexes that project more attributes than patterns read, or too few."""
    for table in design.tables:
        for index in table.indexes:
            keys = _keys_on(design, table, index)
            readers = [plan for _, key in keys for plan in design.readers(key)]
            always = [plan.pattern.expected.hydrate is True for plan in readers]
            if not readers or not any(_is_read(design, key) for _, key in keys):
                continue
            if index.projection != "KEYS_ONLY" and all(always):
                yield from _smaller(design, table, index, readers)
            elif index.projection == "ALL" and not any(always):
                if any(design.size_of(model.entity) >= WIDE_ENTRY_BYTES for model, _ in keys):
                    yield from _question(design, table, index, readers)
            elif any(missing_fields(model, index) for model, _ in keys):
                yield from _larger(design, table, index)


def _smaller(
    design: Design, table: Table, index: Index, readers: list[PatternPlan]
) -> Iterator[Advice]:
    read, write, stored = _difference(design, table, index, "KEYS_ONLY")
    if design.is_worth(design.dollars(read, write, stored)):
        yield design.advice(
            "smaller-projection",
            "medium",
            resource_name(table, index),
            f"All patterns that read {index.name} ({list_text(codes(readers), 4)}) get the whole "
            "items from the table, but the index has copies of their attributes.",
            f'Keep only keys in the index: Index("{index.name}", …, projection="KEYS_ONLY").',
            "Entries are smaller, and do not change with attributes that are in no key",
            read=read,
            write=write,
            stored=stored,
        )


def _question(
    design: Design, table: Table, index: Index, readers: list[PatternPlan]
) -> Iterator[Advice]:
    read, write, stored = _difference(design, table, index, "KEYS_ONLY")
    if design.is_worth(design.dollars(read, write, stored), question=True):
        resource = next(one for one in design.plan.resources_of(table) if one.index is index)
        yield design.advice(
            "smaller-projection",
            "low",
            resource.name,
            f"The index {index.name} contains whole items, so that it costs "
            f"{rate_text(resource.write.average, 'write')} and "
            f"{rate_text(resource.read.average, 'read')}.",
            f"Are all fields shown by {list_text(codes(readers), 4)}? If not, let the index have "
            f'only those that are: Index("{index.name}", …, projection=["…"]), with hydrate=False '
            "in the patterns.",
            "At most, if keys are enough: entries are smaller, and do not change with attributes "
            "that are not in the index",
            read=read,
            write=write,
            stored=stored,
        )


def _larger(design: Design, table: Table, index: Index) -> Iterator[Advice]:
    plans = [plan for plan in design.plan.patterns if _gets_after(plan, index)]
    read, write, stored = _difference(design, table, index, "ALL", without_gets=plans)
    if not plans or not design.is_worth(design.dollars(read, write, stored)):
        return
    gets = sum(action_units(plan, "BatchGetItem") for plan in plans)
    yield design.advice(
        "larger-projection",
        "medium",
        resource_name(table, index),
        f"{list_text(codes(plans), 4)} {verb(codes(plans), 'get')} each item that is found "
        f"in {index.name} from the table, which costs {rate_text(gets, 'read')}.",
        f'Let the index contain the items: Index("{index.name}", …, projection="ALL"), or the '
        "attributes that you show, with hydrate=False in the patterns.",
        f"Without BatchGetItem, {format_number(gets)} read units a second less; larger entries "
        f"cost {format_number(gets - read)} read units more in queries and {format_number(-write)} "
        "write units more",
        read=read,
        write=write,
        stored=stored,
    )


def _gets_after(plan: PatternPlan, index: Index) -> bool:
    """Return whether a pattern gets items from the table that it found in an index."""
    finds = any(part.index is index for part in plan.estimate.parts if part.kind == "read")
    return finds and action_units(plan, "BatchGetItem") > 0


def _difference(
    design: Design,
    table: Table,
    index: Index,
    projection: Literal["ALL", "KEYS_ONLY"],
    without_gets: Sequence[PatternPlan] = (),
) -> tuple[float, float, float]:
    """Return the read and write units per second, and the bytes, that a projection saves."""
    other = with_projection(index, projection)
    read = sum(action_units(plan, "BatchGetItem") for plan in without_gets)
    write = stored = 0.0
    for plan in design.plan.patterns:
        if plan.rate is not None and table in plan.pattern.tables:
            after = design.estimate(plan.pattern, instead={index: other})
            read += plan.rate.per_second * (plan.estimate.typical_read - after.typical_read)
            write += plan.rate.per_second * (plan.estimate.typical_write - after.typical_write)
    for model, key in _keys_on(design, table, index):
        size = design.size_of(model.entity)
        before, after_ = (entry_size(model.entity, one, size) for one in (index, other))
        stored += design.entries_of(model, key) * (before - after_)
    return read, write, stored


def advise_moving_keys(design: Design) -> Iterator[Advice]:
    """Yield a question about index keys that change often, which costs two writes each time."""
    for model in design.models:
        for key in model.indexes.values():
            if not _is_read(design, key):  # there is advice to remove it
                continue
            moved = [
                one
                for one in design.written_entries(key)
                if one.request.action == "UpdateItem"
                and (one.request.edited_fields - set(model.key.fields)) & set(key.fields)
                and one.units
            ]
            fields = sorted(
                {name for one in moved for name in one.request.edited_fields} & set(key.fields)
            )
            patterns = codes(one.plan for one in moved)
            units = sum(one.units for one in moved)
            if not design.is_worth(design.dollars(write=units / 2), question=True):
                continue
            yield design.advice(
                "moving-key",
                "low",
                str(key),
                f"{list_text(patterns, 4)} {verb(patterns, 'change')} "
                f"{list_text(fields)}, which is in the key of {key}: each time the old entry is "
                f"deleted and a new one written, together {rate_text(units, 'write')}.",
                f"Does the order by {list_text(fields)} have to be exact? Without it in the key "
                "(sort what you have read), or with a coarser value, an entry is written once or "
                "not at all.",
                f"{_how_written(moved)}; half of it with entries that stay",
                write=units / 2,
            )


RULES = (advise_unused, advise_sparse, advise_projections, advise_moving_keys)
