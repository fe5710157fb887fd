"""Which requests AWS still answers in the older form."""

from __future__ import annotations

from msgspec import Struct

# Measured from outside: an item nested 61 maps deep (125 levels of JSON) is answered in the newer
# form, one nested 63 deep (129) in the older, an expression value of a transaction at 128 too.
DEEPEST_JSON = 127


def answered_of_old(operation: Struct) -> bool:
    """Whether the request is nested too deeply for AWS's newer checks, so that the older answer."""
    level: list[object] = [operation]
    depth = 0
    while level:
        inner: list[object] = []
        for value in level:
            inner += _content(value)
        level = [value for value in inner if isinstance(value, dict | list | Struct)]
        depth += 1
        if depth > DEEPEST_JSON:
            return True
    return False


def _content(value: object) -> list[object]:
    match value:
        case Struct():
            return [getattr(value, name) for name in value.__struct_fields__]
        case dict():
            return list(value.values())  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
        case list():
            return value  # pyright: ignore[reportUnknownVariableType]
        case _:
            return []
