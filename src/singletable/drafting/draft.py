"""A declaration drafted from samples of tables, and proven on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from singletable.drafting.dividers import other_divider
from singletable.drafting.drafted import DraftEntity, DraftTable, Unplaced, is_whole
from singletable.drafting.entities import draft_entities
from singletable.drafting.expiry import looks_like_expiry
from singletable.drafting.grouping import Group, grouped
from singletable.drafting.kinds import Records
from singletable.drafting.markers import left_alone, take_markers, with_unique
from singletable.drafting.merging import merged
from singletable.drafting.proof import makes_markers, run, why_not
from singletable.drafting.sample import Sample
from singletable.drafting.source import (
    comment,
    docstring,
    entity_source,
    imports,
    record_source,
    table_names,
    table_source,
)
from singletable.drafting.tags import find_tag
from singletable.drafting.told import name_groups, told_groups, unknown_names
from singletable.errors import DeclarationError


@dataclass(frozen=True, slots=True)
class Draft:
    """Python source that declares tables, and what it was made of."""

    source: str
    tables: Sequence[DraftTable]


def draft(samples: Sequence[Sample]) -> Draft:
    """Python source that declares the tables and the entities found in them.

    Every item of the samples is read and written again by what was drafted; items for which that
    does not hold are told in words instead.
    """
    taken: set[str] = set()
    tables: list[DraftTable] = []
    bodies: list[str] = []
    for sample in samples:
        drafted = _drafted(sample, taken)
        bodies.append(_body(drafted, taken))
        table, indexes = table_names(drafted, taken)
        taken |= {table, *indexes.values()}
        taken |= {entity.name for entity in drafted.entities}
        taken |= {record.name for record in drafted.records}
        tables.append(drafted)
    code = "\n\n".join(bodies)
    gap = "\n\n" if code.startswith("@") else "\n"
    return Draft(f"{_heading(samples, tables)}\n{imports(code)}{gap}{code}", tables)


def _drafted(sample: Sample, taken: set[str]) -> DraftTable:
    """The table with entities that hold: whatever fails is drafted again more simply, or left."""
    tag = find_tag(sample.table, sample.items)
    groups = _groups(sample, tag)
    markers = take_markers(sample.table, groups)
    unplaced: list[Unplaced] = []
    while True:
        records = Records({*taken})
        entities = draft_entities(sample.table, groups, tag, records)
        drafted = DraftTable(sample.table, entities, unplaced, list(records.found.values()))
        wrong = _first_wrong(drafted)
        if wrong is None:
            drafted = _with_uniques(drafted, markers)
            drafted.notes += other_divider(sample.table, groups)
            drafted.notes += unknown_names(sample, groups)
            drafted.notes += looks_like_expiry(sample.table, sample.items)
            return drafted
        at, why = wrong
        if groups[at].raw is None and not isinstance(why, DeclarationError):
            groups[at].raw = str(why)
        else:
            unplaced.append(_left(groups.pop(at), entities[at], why))


def _groups(sample: Sample, tag: str | None) -> list[Group]:
    """What somebody has told of comes first; the rest is told by its looks."""
    told = told_groups(sample, tag)
    known = [item for group in told for item in group.items]
    rest = [item for item in sample.items if item not in known]
    groups = merged(sample.table, grouped(sample.table, rest, tag))
    name_groups(sample, groups)
    return [*told, *groups]


def _with_uniques(drafted: DraftTable, markers: Sequence[Group]) -> DraftTable:
    """The draft with the unique values whose markers were found; the other markers are told of."""
    for group in markers:
        made = with_unique(drafted, group)
        if made is not None and _makes(made, group):
            drafted = made
        else:
            drafted.unplaced.append(left_alone(group))
    return drafted


def _makes(drafted: DraftTable, group: Group) -> bool:
    """Whether the entity with the newest unique value makes the markers of the group."""
    body, names = _body(drafted, ()), dict[str, Any]()
    try:
        run(f"{imports(body)}\n{body}", names)
    except DeclarationError:
        return False
    owners = [entity for entity in drafted.entities if entity.uniques]
    return any(makes_markers(names[one.name], one.items, group.items) for one in owners)


def _first_wrong(drafted: DraftTable) -> tuple[int, str | DeclarationError] | None:
    """The first entity that is refused or does not hold its items, and why."""
    names: dict[str, Any] = {}
    table, indexes = table_names(drafted)
    everything = _body(drafted, ())
    run(imports(everything), names)
    for record in drafted.records:
        run(record_source(record), names)
    run(table_source(drafted.table, table, indexes), names)
    # What is kept as it is could be any text, so all others come first.
    order = sorted(enumerate(drafted.entities), key=lambda one: is_whole(drafted.table, one[1]))
    for at, entity in order:
        try:
            run(entity_source(entity, table, indexes), names)
        except DeclarationError as refusal:
            return at, refusal
    # Only when all are there is it known how their keys stand beside each other.
    for at, entity in enumerate(drafted.entities):
        why = why_not(names[entity.name], entity.items)
        if why is not None:
            return at, why
    return None


def _left(group: Group, entity: DraftEntity, why: str | DeclarationError) -> Unplaced:
    return Unplaced(group.shape, group.items, " ".join([*entity.notes, str(why)]))


def _body(drafted: DraftTable, taken: Iterable[str]) -> str:
    table, indexes = table_names(drafted, taken)
    pieces = [record_source(record) for record in drafted.records]
    pieces.append(table_source(drafted.table, table, indexes))
    pieces += [entity_source(entity, table, indexes) for entity in _in_families(drafted.entities)]
    return "\n\n".join(pieces)


def _in_families(entities: Sequence[DraftEntity]) -> list[DraftEntity]:
    """The entities of one kind of partition together; first those whose keys need few values."""
    families = [entity.key.pk[0] for entity in entities]

    def place(entity: DraftEntity) -> tuple[int, int, str]:
        values = [
            part for part in (*entity.key.pk, *(entity.key.sk or ())) if not isinstance(part, str)
        ]
        return families.index(entity.key.pk[0]), len(values), entity.name

    return sorted(entities, key=place)


def _heading(samples: Sequence[Sample], tables: Sequence[DraftTable]) -> str:
    what = f"the table {samples[0].table.name}" if len(samples) == 1 else f"{len(samples)} tables"
    lines = f"{docstring(f'Drafted from {what}.')}\n"
    for sample, drafted in zip(samples, tables, strict=True):
        said = [*drafted.notes, *map(_words, drafted.unplaced)]
        if not sample.items:
            said.append(f"{sample.table.name!r} holds no items, so there is nothing to tell from.")
        elif not sample.whole:
            said.append(
                f"{len(sample.items)} items of {sample.table.name!r} were read, and there are more."
            )
        lines += "".join(
            f"#\n{comment(one)}" if at else f"\n{comment(one)}" for at, one in enumerate(said)
        )
    return lines


def _words(left: Unplaced) -> str:
    items = "1 item is" if len(left.items) == 1 else f"{len(left.items)} items are"
    return f"NOT PLACED: {items} held by no entity below, of the shape {left.shape}. {left.why}"
