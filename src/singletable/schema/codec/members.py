"""Fields at rest: what stands under a name in an item, or in a map inside of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from singletable.errors import ItemMismatch
from singletable.schema.codec.codec import Codec, inside
from singletable.schema.codec.source import Source
from singletable.values import Item


@dataclass(frozen=True, slots=True)
class Stored:
    """One field at rest.

    `default` makes what a missing attribute stands for, anew each time; without one, the attribute
    is required, unless the type says what its absence means. `check` is the declarer's own: it
    raises ValueError, or returns False for no.
    """

    field: str
    attribute: str
    codec: Codec
    default: Callable[[], object] | None = None
    check: Callable[[Any], object] | None = None

    @property
    def missing(self) -> Callable[[], object] | None:
        """What makes the value of an attribute that is not there; None if it must be there."""
        return self.codec.absent if self.default is None else self.default


def decode_member(stored: Stored, item: Item, place: str) -> object:
    """The field's value in the item, or in the map; ItemMismatch says what is wrong with it."""
    held = item.get(stored.attribute)
    if held is not None:
        try:
            return stored.codec.decode(held)
        except ItemMismatch as problem:
            raise inside(problem, place) from None
    if stored.missing is None:
        raise ItemMismatch(
            f"expected {stored.codec.says}, but there is no {stored.attribute!r}, and the field "
            "has no default. Write it to the item, or give the field a default.",
            place,
        )
    return stored.missing()


@dataclass(frozen=True, slots=True)
class Reading:
    """Source that gives a member's value, and source that is true if it was there."""

    value: str
    there: str


def read_member(source: Source, stored: Stored, item: str) -> Reading:
    """How a member is read from the mapping that the variable `item` holds."""
    if stored.missing is None:
        return Reading(stored.codec.reading(source, f"{item}[{stored.attribute!r}]"), "True")
    held = source.variable("held")
    read = stored.codec.reading(source, held)
    missing = "None"
    if stored.default is not None or not stored.codec.optional:
        missing = f"{source.name(stored.missing, f'default_{stored.field}')}()"
    there = f"({held} := {item}.get({stored.attribute!r})) is not None"
    return Reading(f"({read}) if {there} else {missing}", f"({held} is not None)")
