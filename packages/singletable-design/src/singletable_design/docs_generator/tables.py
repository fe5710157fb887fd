"""Tables of generated documentation: entities, fields, access patterns and their cost."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from singletable import patterns, schema
from singletable.patterns.estimate import DEFAULT_ITEM_SIZE, items_read
from singletable.patterns.requests import key_template
from singletable.schema.resolved_key import Column
from singletable_design.docs_generator.markdown import (
    code,
    condition_text,
    escape,
    join_lines,
    table,
    type_text,
)

_ROLES = {
    "version": "optimistic locking: a write fails if the item has changed since it was read",
    "created": "set when the item is created",
    "updated": "set on every write",
    "expires": "TTL: expired items are not returned",
    "sequence": "assigned when the item is created: the next number of its parent",
}


def entity_table(declared: schema.Table) -> str:
    """Return a table of the entities, with their primary keys and their keys in indexes."""
    titles = ["entity", *(code(key.name) for key in declared.key_attributes)]
    titles += [_index_title(index) for index in declared.indexes]
    rows: list[list[str]] = []
    models = [schema.model_of(entity) for entity in declared.entities]
    for model in models:
        cells = [f"**{escape(model.name)}**", *_columns(model.key.columns)]
        rows.append(cells + [_index_cell(model, index) for index in declared.indexes])
    for model in models:
        for marker in model.uniques.values():
            name = f"marker of {code(f'{model.name}.{marker.name}')}"
            cells = [name, *_columns(marker.access.columns)]
            rows.append(cells + ["" for _ in declared.indexes])
    return table(titles, rows)


def field_table(model: schema.Model) -> str:
    """Return a table of an entity's fields: attribute, types and purpose."""
    rows: list[list[str]] = []
    for name, field in model.fields.items():
        codec = field.codec()
        kind = type_text(field.annotation) + (" | None" if codec.optional else "")
        stored = " or ".join(sorted(codec.types - {"NULL"})) if field.stored else "in the key only"
        attribute = code(field.attribute) if field.stored else ""
        rows.append(
            [code(name), attribute, code(kind), stored, join_lines(_notes(model, name, field))]
        )
    return table(["field", "attribute", "type", "stored as", ""], rows)


def _notes(model: schema.Model, name: str, field: schema.Attr[Any]) -> Iterator[str]:
    if name in model.key.fields:
        yield "primary key"
    for access in model.indexes.values():
        if name in access.fields:
            yield f"key {code(access.name)}"
    for marker in model.uniques.values():
        if name in marker.fields:
            with_ = [code(other) for other in marker.fields if other != name]
            together = f" together with {', '.join(with_)}" if with_ else ""
            yield f"unique{together} ({code(marker.name)})"
    if field.codec().opaque is not None:
        yield str(field.codec().opaque)
    if field.role is not None:
        yield _ROLES[field.role]
    yield from _count_notes(model, name)
    if field.default is not None and field.constant:
        default = field.default()
        if default is not None:
            yield f"default {code(repr(default))}"


def _count_notes(model: schema.Model, name: str) -> Iterator[str]:
    """Yield the entities that a field counts or numbers."""
    for other in map(schema.model_of, model.table.entities):
        for count in other.counts.values():
            if count.entity is model.entity and count.path.field == name:
                yield f"counts {escape(other.name)} ({code(f'{other.name}.{count.name}')})"
        last = other.sequence
        if last is not None and last.entity is model.entity and last.path.field == name:
            yield f"last number of {escape(other.name)} ({code(f'{other.name}.{last.name}')})"


def _index_cell(model: schema.Model, index: schema.Index) -> str:
    keys = [access for access in model.indexes.values() if access.index is index]
    return join_lines(line for key in keys for line in _key_lines(key))


def _key_lines(access: schema.ResolvedKey) -> Iterator[str]:
    sides = (access.pk, access.sk)
    keys = (", ".join(code(key_template(column)) for column in side) for side in sides if side)
    yield f"{' / '.join(keys)} ({code(access.name)})"
    if access.condition is not None:
        yield f"only if {code(condition_text(access.condition))}"


def _columns(columns: Sequence[Column]) -> list[str]:
    return [code(key_template(column)) for column in columns]


def _index_title(index: schema.Index) -> str:
    sides = (", ".join(escape(key.name) for key in side) for side in (index.pk, index.sk) if side)
    return f"{code(index.name)}: {' / '.join(sides)}"


# The boundary between conditions on two key attributes.
_CLAUSE = re.compile(r" and (?=\S+ (?:=|<|>|≤|≥|begins with|between) )")


def pattern_table(catalog: patterns.PatternCatalog, names: Mapping[str, str]) -> str:
    """Return a table of the requests of each pattern; `names` are its Python names by id."""
    titles = ["", "pattern", "operation", "index", "key condition", "mode"]
    rows = [row for pattern in catalog for row in _request_rows(pattern, names.get(pattern.id))]
    return table(titles, rows)


def cost_table(catalog: patterns.PatternCatalog) -> str:
    """Return a table of the capacity units that each pattern consumes per call and per second."""
    titles = ["", "items", "bytes each", "reads per call", "writes per call", "rate"]
    titles += ["reads per second", "writes per second"]
    priced = [pattern for pattern in catalog if not isinstance(pattern, patterns.FeedPattern)]
    costs = [patterns.estimate(pattern, catalog.sizes, catalog.counts) for pattern in priced]
    rows = [_cost_row(pattern, cost, catalog) for pattern, cost in zip(priced, costs, strict=True)]
    units = [_units_per_second(pattern, cost) for pattern, cost in zip(priced, costs, strict=True)]
    totals = sum(read for read, _ in units), sum(write for _, write in units)
    if any(totals):
        cells = (f"**{_units(total, '')}**" if total else "" for total in totals)
        rows.append(["**all**", "", "", "", "", "", *cells])
    return table(titles, rows, right=range(1, len(titles)))


def _request_rows(pattern: patterns.Pattern, name: str | None) -> Iterator[list[str]]:
    """Yield a row for each request; equal requests share a row."""
    description = [escape(pattern.description)]
    if name is not None:
        description.append(code(_signature(pattern, name)))
    first = [f"**{escape(pattern.code)}**", join_lines(description)]
    for request, count in Counter(patterns.planned_requests(pattern)).items():
        times = f"{count} × " if count > 1 else ""
        subject = escape(_subject(pattern, request))
        operation = f"{times}{request.action} {subject}{_variations(request)}".rstrip()
        index = "" if request.index is None else code(request.index.name)
        yield [*first, operation, index, _condition(pattern, request), _read_mode(pattern, request)]
        first = ["", ""]


def _variations(request: patterns.PlannedRequest) -> str:
    """Return whether the request is sent to each shard, and whether it depends on the values."""
    shards = request.access.shards if request.action == "Query" else None
    spread = "" if shards is None else f", in each of {shards.count} shards"
    return f"{spread}{', if needed' if request.conditional else ''}"


def _subject(pattern: patterns.Pattern, request: patterns.PlannedRequest) -> str:
    """Return the subject of a request: an entity, or a whole collection."""
    if isinstance(pattern, patterns.ReadPattern) and pattern.collection is not None:
        return pattern.collection.__name__
    return "" if isinstance(pattern, patterns.FeedPattern) else request.subject


def _condition(pattern: patterns.Pattern, request: patterns.PlannedRequest) -> str:
    if isinstance(pattern, patterns.ScanPattern):
        return f"everything: {escape(pattern.reason)}"
    if request.action == "GetRecords":
        return escape(request.condition)
    return join_lines(code(part) for part in _CLAUSE.split(request.condition))


def _read_mode(pattern: patterns.Pattern, request: patterns.PlannedRequest) -> str:
    """Return the consistency of a read, and whether a write is part of a transaction."""
    if request.action == "GetRecords":
        return ""
    if not request.is_read:
        return "transaction" if request.in_transaction else ""
    fresh = "consistent" if pattern.expected.consistent or request.consistent else "eventual"
    return f"{fresh}, skips others" if _skips_others(pattern, request) else fresh


def _skips_others(pattern: patterns.Pattern, request: patterns.PlannedRequest) -> bool:
    """Return whether a query may read items of other entities, which it does not return."""
    if not isinstance(pattern, patterns.ReadPattern) or request.action != "Query":
        return False
    return pattern.collection is None and schema.has_overlapping_range(
        request.access, schema.model_of(request.entity)
    )


def _signature(pattern: patterns.Pattern, name: str) -> str:
    if not isinstance(pattern, patterns.ReadPattern):
        return name
    parameters = ", ".join(f"{p.name}: {type_text(p.type)}" for p in pattern.parameters)
    result = "" if pattern.collection is None else f" → {pattern.collection.__name__}"
    return f"{name}({parameters}){result}"


def _cost_row(
    pattern: patterns.Pattern, cost: patterns.Estimate, catalog: patterns.PatternCatalog
) -> list[str]:
    rate = pattern.expected.rate
    about = "~" if cost.assumed else ""
    read, write = _units_per_second(pattern, cost)
    return [
        f"**{escape(pattern.code)}**",
        f"{max(pattern.expected.items, _scanned(pattern, catalog)):,}",
        _size(pattern, catalog),
        _units(cost.typical_read, about, cost.read),
        _units(cost.typical_write, about, cost.write),
        "" if rate is None else str(rate).replace(" ", "&nbsp;"),
        "" if rate is None else _units(read, about),
        "" if rate is None else _units(write, about),
    ]


def _scanned(pattern: patterns.Pattern, catalog: patterns.PatternCatalog) -> int:
    """Return the items that a scan reads, 0 for other patterns."""
    return items_read(pattern, catalog.counts) if isinstance(pattern, patterns.ScanPattern) else 0


def _size(pattern: patterns.Pattern, catalog: patterns.PatternCatalog) -> str:
    if pattern.expected.size is not None:
        return f"{pattern.expected.size:,}"
    entities = dict.fromkeys(touch.entity for touch in pattern.accesses)
    sizes = [catalog.sizes.get(entity, DEFAULT_ITEM_SIZE) for entity in entities]
    about = "" if all(entity in catalog.sizes for entity in entities) else "~"
    low, high = min(sizes), max(sizes)
    return f"{about}{low:,}" if low == high else f"{about}{low:,}–{high:,}"


def _units_per_second(pattern: patterns.Pattern, cost: patterns.Estimate) -> tuple[float, float]:
    rate = pattern.expected.rate
    calls = 0.0 if rate is None else rate.per_second
    return cost.typical_read * calls, cost.typical_write * calls


def _units(units: float, mark: str, most: float = 0.0) -> str:
    """Format units with three significant digits, and the most units if they are more."""
    if not units and not most:
        return ""
    bound = f" (≤&nbsp;{_digits(most)})" if most > units else ""
    return f"{mark}{_digits(units)}{bound}"


def _digits(units: float) -> str:
    return f"{units:,.0f}" if units >= 100 else f"{units:,.3g}"
