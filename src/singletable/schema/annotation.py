"""What a type annotation says about the inside of a value."""

from __future__ import annotations

import dataclasses
import types
from typing import Union, get_args, get_origin, get_type_hints

from singletable.errors import InvalidValue


def without_none(annotation: object) -> object:
    """The type itself, where it or None is allowed."""
    if get_origin(annotation) in (Union, types.UnionType):
        rest = [one for one in get_args(annotation) if one is not type(None)]
        return rest[0] if len(rest) == 1 else annotation
    return annotation


def inner_type(annotation: object, step: str | int, where: str) -> object:
    """The type of a member or an element of such a value."""
    outer = without_none(annotation)
    origin, arguments = get_origin(outer), get_args(outer)
    if origin in (list, tuple) and isinstance(step, int):
        if step < 0:
            raise InvalidValue(f"{where}[{step}]: elements of a stored list are counted from 0 on.")
        return arguments[0]
    if origin is dict and isinstance(step, str):
        return arguments[1]
    if isinstance(outer, type) and dataclasses.is_dataclass(outer) and isinstance(step, str):
        hints = get_type_hints(outer)
        if step in hints:
            return hints[step]
        raise InvalidValue(f"{where} has no member {step!r}; there are {', '.join(hints)}.")
    raise InvalidValue(f"{where} is no list, map or dataclass: {step!r} cannot be inside it.")
