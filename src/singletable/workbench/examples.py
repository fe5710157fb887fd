"""Values to show what an entity looks like, made up from the types of its fields."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.errors import InvalidValue
from singletable.schema import Model
from singletable.schema.column import TextColumn
from singletable.schema.example import example
from singletable.schema.template import Fixed, Value
from singletable.values import Item

# Two show what differs, and a third which fields may be absent.
HOW_MANY = 3


def example_items(model: Model) -> list[Item]:
    """Some items of an entity; none if its fields allow nothing that could be made up."""
    words = dict(_words(model))
    found: list[Item] = []
    for number in range(1, HOW_MANY + 1):
        values: dict[str, object] = {}
        for name, field in model.fields.items():
            absent = number == HOW_MANY and field.codec().optional
            kind = field.annotation
            value = None if absent else example(kind, words.get(name, name), number)
            values[name] = value
        try:
            model.codec.check({n: v for n, v in values.items() if n not in model.in_key_only})
            item = model.item(values)
        except (InvalidValue, TypeError, ValueError):
            continue
        keys = [one.name for one in model.table.key_attributes]
        if all(any(item[key] != other[key] for key in keys) for other in found):
            found.append(item)
    return found


def _words(model: Model) -> Iterator[tuple[str, str]]:
    """The fields of the key with the words before them: one word has one value everywhere."""
    for column in model.key.columns:
        word = ""
        for segment in column.template.segments if isinstance(column, TextColumn) else ():
            match segment:
                case Fixed(text):
                    word = text.lower()
                case Value(field) if word:
                    yield field, word
                    word = ""
                case _:
                    word = ""
