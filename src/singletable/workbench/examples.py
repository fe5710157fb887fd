"""Values to show what an entity looks like, made up from the types of its fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from singletable.errors import InvalidValue
from singletable.schema import Model
from singletable.schema.examples import example_value
from singletable.schema.key_template import FieldSegment, FixedSegment
from singletable.schema.resolved_key import TextColumn
from singletable.values import Item

# Two show what differs, and a third which fields may be absent.
HOW_MANY = 3


def example_items(model: Model) -> list[Item]:
    """Some items of an entity; none if its fields allow nothing that could be made up."""
    words = dict(_words(model))
    found: list[Item] = []
    keys = [one.name for one in model.table.key_attributes]
    for number in range(1, HOW_MANY + 1):
        try:
            values = _values(model, words, number)
            model.codec.check(
                {name: one for name, one in values.items() if name not in model.key_only_fields}
            )
            item = model.item(values)
        except (InvalidValue, TypeError, ValueError, RecursionError):
            continue
        if all(any(item[key] != other[key] for key in keys) for other in found):
            found.append(item)
    return found


def _values(model: Model, words: Mapping[str, str], number: int) -> dict[str, object]:
    """A value for each field; the last example has none where there may be none."""
    values: dict[str, object] = {}
    for name, field in model.fields.items():
        absent = number == HOW_MANY and field.codec().optional
        made = None if absent else example_value(field.annotation, words.get(name, name), number)
        values[name] = made
    return values


def _words(model: Model) -> Iterator[tuple[str, str]]:
    """The fields of the key with the words before them: one word has one value everywhere."""
    for column in model.key.columns:
        word = ""
        for segment in column.template.segments if isinstance(column, TextColumn) else ():
            match segment:
                case FixedSegment(text):
                    word = text.lower()
                case FieldSegment(field) if word:
                    yield field, word
                    word = ""
                case _:
                    word = ""
