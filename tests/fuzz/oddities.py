"""What Python lets one put into an operation and JSON does not, and operations that hold it."""

from __future__ import annotations

import json
from collections import UserDict
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from hypothesis import strategies as st
from msgspec import Raw, Struct
from msgspec.structs import replace

from singletable.operations import Operation, Projection, PutItem, Tag, WriteRequest
from singletable.wire import read_request
from tests.fuzz import words
from tests.fuzz.corpus import REQUESTS
from tests.fuzz.mutations import pick
from tests.fuzz.tree import is_list, is_map

OPERATIONS: list[Operation[Any]] = [
    read_request(request.target, json.dumps(request.body).encode()) for request in REQUESTS
]


class Word(str):
    """A string that knows more."""


class Names(dict[str, Any]):
    """A map that knows more."""


class Stage(StrEnum):
    """Words of a program's own."""

    FIRST = "title"


def _within_themselves() -> list[Any]:
    """Containers that hold themselves."""
    items: list[Any] = []
    items.append(items)
    item: dict[str, Any] = {}
    item["M"] = item
    value: dict[str, Any] = {"L": []}
    value["L"].append(value)
    return [items, item, value, {"pk": value}]


def _deep(depth: int) -> Any:
    value: Any = {"S": "leaf"}
    for _ in range(depth):
        value = {"L": [value]}
    return value


# These may be names in a map.
HASHABLE: list[Any] = [
    *(None, True, False, 0, -1, 1, 2**63, 10**5000, 0.5, float("nan"), float("inf"), 1 + 2j),
    *("", "a", "\ud800", "a\x00b", "x" * 5000, Word("votes"), Word(), b"", b"x", memoryview(b"x")),
    *(
        (),
        ("a",),
        frozenset(),
        range(3),
        iter("a"),
        object(),
        object,
        print,
        Ellipsis,
        PutItem,
        Tag,
    ),
    *(Decimal("1.5"), Decimal("NaN"), datetime(2020, 1, 1, tzinfo=UTC), Tag("a", "b")),
    *(text for text in words.TEXTS if isinstance(text, str)),
    *words.ENUMERATIONS,
    *words.NUMBERS,
    *words.ARNS,
]
ODD: list[Any] = [
    *HASHABLE,
    *(bytearray(b"x"), {"a"}, Raw(b"{"), Projection("ALL"), WriteRequest(), PutItem("votes", {})),
    *([], [None], [5], ["a"], ["\ud800"], [[]], [{}], [b""], [("a",)], ["a"] * 500, [None] * 200),
    *({}, {"": None}, {5: "a"}, {None: None}, {b"a": {"S": "a"}}, {("a",): {}}, {"a": "b"}),
    *(
        {"\ud800": {"S": "a"}},
        {"a": {"\ud800": "a"}},
        {"a": {5: 5}},
        {"a": {"S": 5}},
        {"a": object()},
    ),
    *({"S": "\ud800"}, {"S": Word("x")}, {"S": b"x"}, {"B": b"x"}, {"N": 1}, {"N": Decimal(1)}),
    *({"N": "\ud800"}, {"B": "\ud800" * 4}, {"SS": ("a",)}, {"SS": {"a"}}, {"SS": [b"a"]}),
    *(
        {"SS": ["\ud800", "a"]},
        {"NS": [1]},
        {"BS": [b"a"]},
        {"L": ({"S": "a"},)},
        {"L": [object()]},
    ),
    *({"M": Names(a={"S": "a"})}, {"M": {5: {"S": "a"}}}, {"M": {"a": None}}, {"M": [("a", "b")]}),
    *({"BOOL": 1}, {"NULL": 1}, {5: 5}, {None: "a"}, {"S": "a", 5: 5}, Names(S="a"), Names()),
    *(_deep(40), _deep(400), _deep(5000), *_within_themselves()),
    *(MappingProxyType({"S": "a"}), {"M": UserDict(a={"S": "a"})}, {"S": Stage.FIRST}, Stage.FIRST),
    *words.VALUES,
]


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """An operation to try; some cannot be printed, and then it says so."""

    operation: Operation[Any]

    def __repr__(self) -> str:
        try:
            return repr(self.operation)
        except (ValueError, RecursionError):
            return f"{type(self.operation).__name__}(…)"


@st.composite
def attempts(draw: st.DrawFn) -> Attempt:
    """A valid operation with one to three odd things in it."""
    operation = pick(draw, OPERATIONS)
    for _ in range(draw(st.integers(1, 3))):
        operation = _spoilt(draw, operation)
    return Attempt(operation)


def _spoilt(draw: st.DrawFn, value: Any) -> Any:
    """The value, with something odd in it somewhere or in place of it."""
    if isinstance(value, Struct) and value.__struct_fields__:
        name = pick(draw, value.__struct_fields__)
        return replace(value, **{name: _spoilt(draw, getattr(value, name))})
    if not value or draw(st.integers(0, 2)) == 0:
        return pick(draw, ODD)
    if is_map(value):
        key = pick(draw, list(value))
        if draw(st.integers(0, 3)):
            return {**value, key: _spoilt(draw, value[key])}
        other = pick(draw, HASHABLE)
        return {(other if each is key else each): held for each, held in value.items()}
    if is_list(value):
        at = draw(st.integers(0, len(value) - 1))
        return [*value[:at], _spoilt(draw, value[at]), *value[at + 1 :]]
    return pick(draw, ODD)
