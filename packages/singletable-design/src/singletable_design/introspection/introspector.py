"""Introspect tables: infer entities from sampled items, render Python source, and verify it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dynamodb_engine.values import Item
from singletable.errors import DeclarationError
from singletable.schema import Table
from singletable.schema.source import docstring, render_comment, render_table
from singletable_design.introspection import source
from singletable_design.introspection.entities import TTL_NAMES, build_entities
from singletable_design.introspection.field_types import DataclassRegistry
from singletable_design.introspection.item_groups import (
    ItemGroup,
    KeySplitter,
    find_type_tag,
    group_items,
    merge_groups,
)
from singletable_design.introspection.markers import (
    add_unique,
    pop_marker_groups,
    unmatched_markers,
)
from singletable_design.introspection.names import snake_case
from singletable_design.introspection.roundtrip import find_mismatch, produces_markers, run_source
from singletable_design.introspection.sample import TableSample
from singletable_design.introspection.spec import EntitySpec, TableSpec, UnmatchedItems, is_verbatim


@dataclass(frozen=True, slots=True)
class Introspection:
    """Python source that declares tables, and the specifications it was rendered from."""

    source: str
    tables: Sequence[TableSpec]


def introspect(samples: Sequence[TableSample]) -> Introspection:
    """Infer the entities of the sampled tables and return Python source that declares them.

    The source is executed, and every sampled item is decoded and encoded with it. Items that do
    not survive the round trip are left out of the entities and listed in a comment at the top.
    """
    taken: set[str] = set()
    tables: list[TableSpec] = []
    bodies: list[str] = []
    for sample in samples:
        spec = _introspect_table(sample, taken)
        bodies.append(_render_body(spec, taken))
        table, indexes = source.variable_names(spec, taken)
        taken |= {table, *indexes.values()}
        taken |= {entity.name for entity in spec.entities}
        taken |= {record.name for record in spec.dataclasses}
        tables.append(spec)
    code = "\n\n".join(bodies)
    gap = "\n\n" if code.startswith("@") else "\n"
    heading = _render_heading(samples, tables)
    return Introspection(f"{heading}\n{source.imports_of(code)}{gap}{code}", tables)


def _introspect_table(sample: TableSample, taken: set[str]) -> TableSpec:
    """Build entities until all of them pass the round trip.

    A group that fails is built again with concat(), together with the groups whose keys begin
    alike, and then with its keys as fields. If it fails again, its items are reported as unmatched.
    """
    names = [one.name for one in sample.table.key_attributes]
    splitter = KeySplitter.of(names, sample.items)
    tag = find_type_tag(sample.table, sample.items, splitter)
    groups = merge_groups(sample.table, group_items(sample.table, sample.items, tag, splitter))
    markers = pop_marker_groups(sample.table, groups)
    unmatched: list[UnmatchedItems] = []
    while True:
        records = DataclassRegistry({*taken})
        entities = build_entities(sample.table, groups, tag, records)
        spec = TableSpec(sample.table, entities, unmatched, list(records.specs.values()))
        failure = _first_failure(spec)
        if failure is None:
            spec = _with_uniques(spec, markers)
            spec.notes += _note_undeclared_ttl(sample.table, sample.items)
            return spec
        number, reason = failure
        group = groups[number]
        is_new = not group.is_tried
        for one in groups:
            if one.pk[:1] == group.pk[:1]:
                one.concatenated = is_new
        if is_new:
            group.is_tried = True
        elif group.raw_reason is None and not isinstance(reason, DeclarationError):
            group.raw_reason = str(reason)
        else:
            groups.pop(number)
            why = " ".join([*entities[number].notes, str(reason)])
            unmatched.append(UnmatchedItems(group.shape, group.items, why))


def _with_uniques(spec: TableSpec, markers: Sequence[ItemGroup]) -> TableSpec:
    """Add the unique constraints that explain the markers; report unmatched markers."""
    for group in markers:
        extended = add_unique(spec, group)
        if extended is not None and _produces(extended, group):
            spec = extended
        else:
            spec.unmatched.append(unmatched_markers(group))
    return spec


def _produces(spec: TableSpec, group: ItemGroup) -> bool:
    """Return whether the entity with the newest unique constraint writes the group's markers."""
    body, names = _render_body(spec, ()), dict[str, Any]()
    try:
        run_source(f"{source.imports_of(body)}\n{body}", names)
    except DeclarationError:
        return False
    owners = [entity for entity in spec.entities if entity.uniques]
    return any(produces_markers(names[owner.name], owner.items, group.items) for owner in owners)


def _first_failure(spec: TableSpec) -> tuple[int, str | DeclarationError] | None:
    """Return the first entity that is rejected or fails the round trip, and the reason."""
    names: dict[str, Any] = {}
    table, indexes = source.variable_names(spec)
    run_source(source.imports_of(_render_body(spec, ())), names)
    for record in spec.dataclasses:
        run_source(source.render_dataclass(record), names)
    run_source(render_table(spec.table, table, indexes), names)
    # A verbatim key matches any text and would be blamed for every overlap, so it comes last.
    order = sorted(enumerate(spec.entities), key=lambda pair: is_verbatim(spec.table, pair[1]))
    for number, entity in order:
        try:
            run_source(source.render_entity(entity, table, indexes), names)
        except DeclarationError as error:
            return number, error
    # Items can be matched only when all entities, whose keys may overlap, are declared.
    for number, entity in enumerate(spec.entities):
        mismatch = find_mismatch(names[entity.name], entity.items)
        if mismatch is not None:
            return number, mismatch
    return None


def _render_body(spec: TableSpec, taken: Iterable[str]) -> str:
    table, indexes = source.variable_names(spec, taken)
    pieces = [source.render_dataclass(record) for record in spec.dataclasses]
    pieces.append(render_table(spec.table, table, indexes))
    pieces += [source.render_entity(entity, table, indexes) for entity in _in_order(spec.entities)]
    return "\n\n".join(pieces)


def _in_order(entities: Sequence[EntitySpec]) -> list[EntitySpec]:
    """Sort entities so that those of one partition are adjacent, the simplest key first."""
    partitions = [entity.key.pk[0] for entity in entities]

    def rank(entity: EntitySpec) -> tuple[int, int, str]:
        values = [
            part for part in (*entity.key.pk, *(entity.key.sk or ())) if not isinstance(part, str)
        ]
        return partitions.index(entity.key.pk[0]), len(values), entity.name

    return sorted(entities, key=rank)


def _render_heading(samples: Sequence[TableSample], tables: Sequence[TableSpec]) -> str:
    subject = (
        f"the table {samples[0].table.name}" if len(samples) == 1 else f"{len(samples)} tables"
    )
    lines = f"{docstring(f'Introspected from {subject}.')}\n"
    for sample, spec in zip(samples, tables, strict=True):
        notes = [*spec.notes, *map(_describe_unmatched, spec.unmatched)]
        name = sample.table.name
        if not sample.items:
            notes.append(f"{name!r} is empty, so no entities could be inferred.")
        elif not sample.complete:
            notes.append(f"Only {len(sample.items)} items of {name!r} were read; there are more.")
        lines += "".join(
            f"#\n{render_comment(note)}" if at else f"\n{render_comment(note)}"
            for at, note in enumerate(notes)
        )
    return lines


def _describe_unmatched(group: UnmatchedItems) -> str:
    items = "1 item matches" if len(group.items) == 1 else f"{len(group.items)} items match"
    return f"UNMATCHED: {items} no entity below. Key shape: {group.shape}. {group.reason}"


def _note_undeclared_ttl(table: Table, items: Sequence[Item]) -> list[str]:
    """Return a note if a table without TTL has an attribute that looks like a TTL attribute."""
    if table.ttl is not None:
        return []
    for name in dict.fromkeys(name for item in items for name in item):
        values = [item[name] for item in items if name in item]
        if snake_case(name) in TTL_NAMES and all("N" in v and v["N"].isdigit() for v in values):
            return [
                f"{name!r} looks like a TTL attribute, but TTL does not seem to be enabled for "
                f"{table.name!r}. If items expire by it, declare Table(…, ttl={name!r}) and use "
                "expires() for the field."
            ]
    return []
