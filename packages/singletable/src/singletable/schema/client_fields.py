"""Which fields the clients of an API may set; the pydantic schema of an entity applies it.

Rule 1. The store sets version, created and updated, it counts and numbers: a client that sends such
        a value back, or makes one up, changes nothing.
Rule 2. Counters are looked up when a body is validated, because the entity that is counted may be
        declared after the one with the number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast, get_origin

from singletable.schema.codec.members import member_type
from singletable.schema.codec.unions import without_none
from singletable.schema.count import counters_of
from singletable.schema.fields import Attr, NestedPath
from singletable.schema.model import Model


def is_accepted(field: Attr[Any]) -> bool:
    """Return whether a request body may set the field; counters are not known here."""
    set_by_store = field.role in ("version", "created", "updated", "sequence")
    return not (set_by_store or field.read_only or field.hidden)


def counter_steps(entity: type) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    """Yield the field of each counter of an entity, and the steps inside its value, if any."""
    for path in counters_of(entity):
        yield path.field, path.steps if isinstance(path, NestedPath) else ()


def reset_counters(model: Model, body: object) -> object:
    """Return the request body with initial values for the counters of its entity."""
    if not isinstance(body, Mapping):
        return body
    values = dict(cast("Mapping[str, object]", body))
    for name, steps in counter_steps(model.entity):
        field = model.fields[name]
        if steps:
            if name in values:
                values[name] = _reset(values[name], field.annotation, steps)
        elif field.default is None and not field.codec().optional:
            values[name] = 0
        else:
            values.pop(name, None)
    return values


def _reset(value: object, annotation: object, steps: tuple[str | int, ...]) -> object:
    """Return the value with zero at a path inside it, or without it where a map may lack it."""
    step, rest = steps[0], steps[1:]
    inner = member_type(annotation, step, "")
    if isinstance(step, int):
        if not isinstance(value, list) or step >= len(cast("list[object]", value)):
            return value  # pyright: ignore[reportUnknownVariableType]
        values = [*cast("list[object]", value)]
        values[step] = _reset(values[step], inner, rest) if rest else 0
        return values
    if not isinstance(value, Mapping):
        return value
    members = dict(cast("Mapping[str, object]", value))
    if rest:
        if step in members:
            members[step] = _reset(members[step], inner, rest)
    elif get_origin(without_none(annotation)) is dict:
        members.pop(step, None)
    else:
        members[step] = 0
    return members
