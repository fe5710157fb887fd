"""Apply hints: names of entities and templates of keys that are known before introspection."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dynamodb_engine.values import AttributeValue, Item
from singletable.schema import Table
from singletable.schema.key_template import SEPARATOR
from singletable_design.introspection.item_groups import ItemGroup, KeyShape, split_key
from singletable_design.introspection.names import snake_case
from singletable_design.introspection.sample import EntityHint, TableSample

_VALUE = re.compile(r"[{<]([^{}<>]*)[}>]")
# For each DynamoDB type, a value from which no narrower Python type is inferred.
_PLACEHOLDERS: dict[str, AttributeValue] = {
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


def hinted_groups(sample: TableSample, tag: str | None) -> list[ItemGroup]:
    """Return a group for each hint with templates that match all its items, or without items."""
    return [
        group
        for hint in sample.hints
        for group in [_group(sample.table, hint, tag)]
        if group is not None
    ]


def apply_hint_names(sample: TableSample, groups: Sequence[ItemGroup]) -> None:
    """Name each group after the smallest hint that contains all items of the group."""
    for group in groups:
        fitting = [
            hint
            for hint in sample.hints
            if hint.items and all(item in hint.items for item in group.items)
        ]
        if fitting:
            group.name = min(fitting, key=lambda hint: len(hint.items)).name


def unresolved_hints(sample: TableSample, groups: Sequence[ItemGroup]) -> list[str]:
    """Return a note for each hint that has neither items nor templates."""
    known = {group.name for group in groups}
    return [
        f"{hint.name!r} has no sample data and no key templates, so it is not declared."
        + (
            f" Its attributes are {', '.join(map(repr, hint.attributes))}."
            if hint.attributes
            else ""
        )
        for hint in sample.hints
        if not hint.items and hint.name not in known
    ]


def _group(table: Table, hint: EntityHint, tag: str | None) -> ItemGroup | None:
    templates = [hint.pk, *([] if table.sk is None else [hint.sk])]
    shapes = [_key_shape(text) for text in templates if text]
    if len(shapes) < len(table.key_attributes) or any(
        one.type != "S" for one in table.key_attributes
    ):
        return None
    pk, sk = shapes[0], shapes[1] if len(shapes) > 1 else ()
    value_names = {
        (attribute.name, at): snake_case(match[1])
        for attribute, text in zip(table.key_attributes, templates, strict=True)
        for at, part in enumerate((text or "").split(SEPARATOR))
        if (match := _VALUE.fullmatch(part)) is not None and snake_case(match[1]).isidentifier()
    }
    if not hint.items:
        # An alias without a value, such as `PK`, is a heading, not a template.
        if not value_names:
            return None
        return ItemGroup(
            None,
            pk,
            sk,
            [_placeholder_item(table, hint, value_names)],
            hint.name,
            value_names,
            is_placeholder=True,
        )
    if not all(_fits(table, item, pk, sk) for item in hint.items):
        return None
    tags = {item.get(tag, {}).get("S") if tag is not None else None for item in hint.items}
    if len(tags) != 1:
        return None
    return ItemGroup(tags.pop(), pk, sk, list(hint.items), hint.name, value_names)


def _key_shape(text: str) -> KeyShape:
    return tuple(None if _VALUE.fullmatch(part) else part for part in text.split(SEPARATOR))


def _fits(table: Table, item: Item, pk: KeyShape, sk: KeyShape) -> bool:
    for attribute, shape in zip(table.key_attributes, (pk, sk), strict=False):
        parts = split_key(item, attribute.name)
        if len(parts) != len(shape):
            return False
        if any(fixed not in (None, part) for fixed, part in zip(shape, parts, strict=True)):
            return False
    return True


def _placeholder_item(
    table: Table, hint: EntityHint, value_names: dict[tuple[str, int], str]
) -> Item:
    """Return a made-up item with a different value for each field in its keys."""
    item: Item = {name: _PLACEHOLDERS[kind] for name, kind in hint.attributes.items()}
    texts = {name: f"text{at}" for at, name in enumerate(dict.fromkeys(value_names.values()))}
    for name, kind in hint.attributes.items():
        if kind == "S" and snake_case(name) in texts:
            item[name] = {"S": texts[snake_case(name)]}
    for attribute, template in zip(table.key_attributes, (hint.pk, hint.sk), strict=False):
        parts = [
            texts[value_names[attribute.name, at]] if (attribute.name, at) in value_names else part
            for at, part in enumerate((template or "").split(SEPARATOR))
        ]
        item[attribute.name] = {"S": SEPARATOR.join(parts)}
    return item
