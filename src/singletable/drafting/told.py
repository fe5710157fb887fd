"""What somebody has said of items beforehand: names of entities, and templates of keys."""

from __future__ import annotations

import re
from collections.abc import Sequence

from singletable.drafting.grouping import Column, Group, parts_of
from singletable.drafting.names import snake
from singletable.drafting.sample import Sample, Told
from singletable.schema import Table
from singletable.schema.key_template import DIVIDER
from singletable.values import AttributeValue, Item

_VALUE = re.compile(r"[{<]([^{}<>]*)[}>]")
# A value for each type, from which just that type is told.
_IMAGINED: dict[str, AttributeValue] = {
    "S": {"S": "text"},
    "N": {"N": "0.5"},
    "B": {"B": "AA=="},
    "BOOL": {"BOOL": True},
    "NULL": {"NULL": True},
    "M": {"M": {}},
    "L": {"L": []},
    "SS": {"SS": ["text"]},
    "NS": {"NS": ["0.5"]},
    "BS": {"BS": ["AA=="]},
}


def told_groups(sample: Sample, tag: str | None) -> list[Group]:
    """A group for each name whose templates fit all of its items, or that has templates alone."""
    return [
        group
        for told in sample.told
        for group in [_group(sample.table, told, tag)]
        if group is not None
    ]


def name_groups(sample: Sample, groups: Sequence[Group]) -> None:
    """Give each group the name of the smallest set of items that holds all of its own."""
    for group in groups:
        fitting = [
            told
            for told in sample.told
            if told.items and all(item in told.items for item in group.items)
        ]
        if fitting:
            group.name = min(fitting, key=lambda told: len(told.items)).name


def unknown_names(sample: Sample, groups: Sequence[Group]) -> list[str]:
    """What is said of names of which neither items nor templates are known."""
    known = {group.name for group in groups}
    return [
        f"{told.name!r} has no sample data, and its keys are not known, so it is not drafted."
        + (
            f" Its attributes are {', '.join(map(repr, told.attributes))}."
            if told.attributes
            else ""
        )
        for told in sample.told
        if not told.items and told.name not in known
    ]


def _group(table: Table, told: Told, tag: str | None) -> Group | None:
    said = [told.pk, *([] if table.sk is None else [told.sk])]
    columns = [_column(text) for text in said if text]
    if len(columns) < len(table.key_attributes) or any(
        one.type != "S" for one in table.key_attributes
    ):
        return None
    pk, sk = columns[0], columns[1] if len(columns) > 1 else ()
    called = {
        (attribute.name, at): snake(match[1])
        for attribute, text in zip(table.key_attributes, said, strict=True)
        for at, part in enumerate((text or "").split(DIVIDER))
        if (match := _VALUE.fullmatch(part)) is not None and snake(match[1]).isidentifier()
    }
    if not told.items:
        # Without a value in it an alias is a heading like any other: `PK`.
        if not called:
            return None
        return Group(
            None, pk, sk, [_imagined(table, told, called)], told.name, called, imagined=True
        )
    if not all(_fits(table, item, pk, sk) for item in told.items):
        return None
    tags = {item.get(tag, {}).get("S") if tag is not None else None for item in told.items}
    if len(tags) != 1:
        return None
    return Group(tags.pop(), pk, sk, list(told.items), told.name, called)


def _column(text: str) -> Column:
    return tuple(None if _VALUE.fullmatch(part) else part for part in text.split(DIVIDER))


def _fits(table: Table, item: Item, pk: Column, sk: Column) -> bool:
    for attribute, column in zip(table.key_attributes, (pk, sk), strict=False):
        parts = parts_of(item, attribute.name)
        if len(parts) != len(column):
            return False
        if any(fixed not in (None, part) for fixed, part in zip(column, parts, strict=True)):
            return False
    return True


def _imagined(table: Table, told: Told, called: dict[tuple[str, int], str]) -> Item:
    """An item that could be, with a value of its own in each place of the keys."""
    item: Item = {name: _IMAGINED[kind] for name, kind in told.attributes.items()}
    texts = {name: f"text{at}" for at, name in enumerate(dict.fromkeys(called.values()))}
    for name, kind in told.attributes.items():
        if kind == "S" and snake(name) in texts:
            item[name] = {"S": texts[snake(name)]}
    for attribute, template in zip(table.key_attributes, (told.pk, told.sk), strict=False):
        parts = [
            texts[called[attribute.name, at]] if (attribute.name, at) in called else part
            for at, part in enumerate((template or "").split(DIVIDER))
        ]
        item[attribute.name] = {"S": DIVIDER.join(parts)}
    return item
