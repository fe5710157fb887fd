"""The type of a member inside a value: where a path such as `Order.address["street"]` leads."""

from __future__ import annotations

import dataclasses
import types
from typing import Annotated, Any, NewType, Union, cast, get_args, get_origin

from typing_extensions import is_typeddict

from singletable.errors import InvalidValue
from singletable.schema.codec.containers import type_hints
from singletable.schema.codec.dynamic import Json
from singletable.schema.codec.field_codec import FieldCodec
from singletable.schema.codec.times import TimeFormat
from singletable.schema.codec.typed_dicts import without_qualifiers
from singletable.schema.codec.unions import without_none


def member_type(annotation: Any, step: str | int, where: str) -> Any:
    """Return the type of a member of a list, map, dataclass or TypedDict; raise InvalidValue.

    A list or map passes on how its values are stored, `TimeFormat` and `Json`; a class does not.
    """
    outer, settings = _bare(annotation)
    for setting in settings:
        if isinstance(setting, FieldCodec) and not isinstance(setting, Json):
            raise InvalidValue(
                f"{where} is stored by {setting!r}, so DynamoDB cannot address its members."
            )
    origin, arguments = get_origin(outer), get_args(outer)
    passed_on = [one for one in settings if isinstance(one, TimeFormat | Json)]
    inner: Any = None
    if outer in (Any, object):
        inner = Any
    elif isinstance(step, int) and (origin in (list, tuple) or outer in (list, tuple)):
        if step < 0:
            raise InvalidValue(f"{where}[{step}]: the index of a stored list starts at 0.")
        inner = arguments[0] if arguments else Any
    elif isinstance(step, str) and (origin is dict or outer is dict):
        inner = arguments[1] if arguments else Any
    if inner is not None:
        return Annotated[(inner, *passed_on)] if passed_on else inner
    if origin in (Union, types.UnionType):
        return _member_of_union(arguments, step, where)
    if isinstance(step, str) and (is_typeddict(outer) or dataclasses.is_dataclass(outer)):
        hints = type_hints(cast(Any, outer))
        if step in hints:
            return without_qualifiers(hints[step])
        raise InvalidValue(f"{where} has no member {step!r}. Members: {', '.join(hints)}.")
    raise InvalidValue(
        f"{where} is not a list, map, dataclass or TypedDict, so it has no member {step!r}."
    )


def _bare(annotation: Any) -> tuple[Any, list[object]]:
    """Return the type without None, names and settings, and its settings."""
    settings: list[object] = []
    while True:
        annotation = without_none(annotation)
        if get_origin(annotation) is Annotated:
            annotation, *extras = get_args(annotation)
            settings += extras
        elif isinstance(annotation, NewType):
            annotation = annotation.__supertype__
        elif hasattr(annotation, "__value__"):
            annotation = annotation.__value__
        else:
            return annotation, settings


def _member_of_union(kinds: tuple[Any, ...], step: str | int, where: str) -> Any:
    """Return the types that the member has in the types of a union that have it."""
    found: list[Any] = []
    for kind in kinds:
        try:
            found.append(member_type(kind, step, where))
        except InvalidValue:
            continue
    if not found:
        names = ", ".join(getattr(kind, "__name__", str(kind)) for kind in kinds)
        raise InvalidValue(f"{where}: none of {names} has a member {step!r}.")
    return Union[tuple(found)]  # noqa: UP007
