"""Values of an Enum or a Literal in a key: their own texts, or their places in an order."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Literal, get_args, get_origin

from singletable.errors import DeclarationError
from singletable.schema.form import Form, digit_shape, name_of, wrong


def ordered_of(annotation: object, order: Sequence[object] | None) -> Form:
    """The place of a value in a stated order; without one, in the order of the declaration."""
    options = options_of(annotation)
    if options is None:
        raise DeclarationError(
            f"ordered() is for Enum and Literal types, not for {name_of(annotation)}."
        )
    listed = list(order) if order is not None else list(options.values())
    if len(listed) != len(options) or any(one not in listed for one in options.values()):
        raise DeclarationError(
            f"ordered(): the order must name each of {', '.join(options)} once, and it names "
            f"{', '.join(str(one.value if isinstance(one, Enum) else one) for one in listed)}."
        )
    width = len(str(len(listed) - 1))

    def write(value: object) -> str:
        if value not in listed:
            raise wrong(f"one of {', '.join(options)}", value)
        return f"{listed.index(value):0{width}d}"

    return Form(
        f"ordered {listed}",
        write,
        lambda text: listed[int(text)],
        digit_shape(f"d{{{width}}}"),
        turns=True,
    )


def options_of(annotation: object) -> dict[str, object] | None:
    """The values that a type allows, by their texts; None if it is not of that kind."""
    if get_origin(annotation) is Literal:
        some = [one for one in get_args(annotation) if one is not None]
        return _never_empty(str(annotation), {str(one): one for one in some})
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return _never_empty(annotation.__name__, {str(one.value): one for one in annotation})
    return None


def _never_empty(name: str, options: Mapping[str, object]) -> dict[str, object]:
    if "" in options:
        raise DeclarationError(
            f"one of the values of {name} is empty, and a value in a key never is. Give it a text."
        )
    return dict(options)


def one_of(options: dict[str, object]) -> Form:
    """One of some values, by its text; they have no order."""

    def write(value: object) -> str:
        for text, option in options.items():
            if option is value or option == value:
                return text
        raise wrong(f"one of {', '.join(options)}", value)

    shape = re.compile("|".join(re.escape(text) for text in options))
    return Form(f"one of {', '.join(options)}", write, options.__getitem__, shape, ordered=False)
