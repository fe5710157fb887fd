"""The values of some fields, as an item holds them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from singletable.schema import Model
from singletable.values import Item

NOTHING: Mapping[str, object] = {}


def held(
    model: Model, item: Item, names: Iterable[str], key: Mapping[str, object] = NOTHING
) -> dict[str, object]:
    """The values of these fields; what stands in the key alone is in `key`, or is read from it."""
    values: dict[str, object] = {}
    parsed: Mapping[str, object] | None = key or None
    for name in names:
        field = model.fields[name]
        value = item.get(field.attribute)
        if not field.stored:
            parsed = model.key.parse(item) or NOTHING if parsed is None else parsed
            values[name] = parsed[name]
        elif value is not None:
            values[name] = field.codec().decode(value)
        elif field.role == "version":
            values[name] = 0
        else:
            values[name] = None if field.default is None else field.default()
    return values
