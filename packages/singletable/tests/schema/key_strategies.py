"""Strategies for random tables, keys and values, with texts that could forge a separator."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal
from uuid import UUID

from hypothesis import strategies as st

from singletable import DeclarationError
from singletable.schema import (
    Attr,
    Entity,
    Key,
    Model,
    Partition,
    Table,
    attr,
    concat,
    descending,
    model_of,
    ordered,
    padded,
)


class Stage(Enum):
    """A status whose order is not alphabetical."""

    OPEN = "open"
    CLOSED = "closed"
    ARCHIVED = "archived"


# The separator, the escape, characters below both, texts that look like an escape, other scripts.
HOSTILE = st.text(alphabet="#$|: !\"%&'0123AZab~\0\t\n\x7fé✓😀", min_size=1, max_size=6)
TEXT = HOSTILE | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
DATETIME = st.datetimes(datetime(1970, 1, 1), datetime(5000, 1, 1), timezones=st.just(UTC))


def plain(field: Any) -> Any:
    """Return the field, with the encoding of its type."""
    return field


@dataclass(frozen=True)
class Kind:
    """A type of values in keys: how it is declared, and a strategy for its values."""

    name: str
    annotation: Any
    values: st.SearchStrategy[Any]
    shape: Callable[[Any], Any] = plain


KINDS = (
    Kind("text", str, TEXT),
    Kind("int", int, st.integers(-(10**19) + 1, 10**19 - 1) | st.integers(-12, 12)),
    Kind("digits", int, st.integers(0, 9999), lambda field: padded(field, 4)),
    Kind("price", Decimal, st.decimals(0, 999, places=2), lambda field: padded(field, 3, 2)),
    Kind("datetime", datetime, DATETIME),
    Kind("day", date, st.dates()),
    Kind("identifier", UUID, st.uuids()),
    Kind("yes or no", bool, st.booleans()),
    Kind("stage", Stage, st.sampled_from(Stage), ordered),
    Kind("choice", Literal["a#b", "a", "$"], st.sampled_from(["a#b", "a", "$"])),
    Kind("descending int", int, st.integers(-12, 12), descending),
    Kind(
        "descending digits", int, st.integers(0, 9999), lambda field: descending(padded(field, 4))
    ),
    Kind("descending datetime", datetime, DATETIME, descending),
    Kind("descending day", date, st.dates(), descending),
    Kind(
        "descending stage", Stage, st.sampled_from(Stage), lambda field: descending(ordered(field))
    ),
)
TEXTS = st.sampled_from(["A", "AB", "B", "A#B", "true", "a", "0000", "open"])
# The texts of concat(), with separators of one and more characters that start like each other.
VERBATIM = st.sampled_from(["A|", "|", "|A|", "::", ":", "A#", "#a_", "$a", "a-", "0", "aa"])


@dataclass(frozen=True)
class Sketch:
    """A key that might be declared: texts, and kinds of values between them."""

    pk: tuple[str | Kind, ...]
    sk: tuple[str | Kind, ...]
    # Whether the parts are passed to concat().
    verbatim: bool = False

    @property
    def kinds(self) -> list[Kind]:
        """The kinds of its values, from left to right."""
        return [one for one in (*self.pk, *self.sk) if isinstance(one, Kind)]


def declare(table: Table, sketch: Sketch) -> Model | None:
    """Declare an entity with this key, or return None if it is rejected."""
    # A class of the same name would replace the first one.
    name = f"Thing{len(table.entities)}"
    fields = {f"f{at}": kind for at, kind in enumerate(sketch.kinds)}
    attrs: dict[str, Any] = {field: attr() for field in fields}
    left = iter(fields.items())

    def parts(spec: Sequence[str | Kind]) -> tuple[Any, ...]:
        found: list[Any] = []
        for one in spec:
            if isinstance(one, str):
                found.append(one)
            else:
                field, kind = next(left)
                found.append(kind.shape(attrs[field]))
        return concat(*found) if sketch.verbatim else tuple(found)

    make: Any = Key
    key = make(pk=parts(sketch.pk), sk=parts(sketch.sk))
    generic: Any = Attr
    hints = {field: generic[kind.annotation] for field, kind in fields.items()}
    body = {**attrs, "key": key, "__annotations__": hints, "__module__": __name__}
    try:
        return model_of(
            types.new_class(name, (Entity,), {"table": table}, lambda space: space.update(body))
        )
    except DeclarationError:
        return None


def partition_of(model: Model, *values: Any) -> Any:
    """Return the entity's items in a partition; its types are only known when it is drawn."""
    return Partition[Any].of(model.entity, model.key, values)


def rank(kind: Kind, value: Any) -> Any:
    """Return what values of a kind are sorted by: strings by UTF-8, stages by declaration."""
    if isinstance(value, Stage):
        return list(Stage).index(value)
    return value.encode() if kind.annotation is str else value


_KINDS = st.just(KINDS[0]) | st.sampled_from(KINDS)
_SIDES = st.lists(TEXTS | _KINDS, min_size=1, max_size=4).map(tuple)
# Texts and values in turn.
_VERBATIM_SIDES = st.lists(st.tuples(VERBATIM, _KINDS), min_size=1, max_size=3).flatmap(
    lambda pairs: st.sampled_from([flat := sum(pairs, ()), flat[1:], flat[:-1]])
)
JOINED = st.builds(Sketch, _SIDES, _SIDES)
CONCATENATED = st.builds(Sketch, _VERBATIM_SIDES, _VERBATIM_SIDES, st.just(True))
SKETCHES = JOINED | CONCATENATED


def values_of(sketch: Sketch) -> st.SearchStrategy[tuple[Any, ...]]:
    """Return a strategy for the values of a key."""
    return st.tuples(*(kind.values for kind in sketch.kinds))
