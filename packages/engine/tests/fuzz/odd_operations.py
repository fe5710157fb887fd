"""Operations with values that Python allows and JSON does not."""

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

from dynamodb_engine.operations import Operation, Projection, PutItem, Tag, WriteRequest
from dynamodb_engine.wire import read_request
from tools.testing.fuzz import samples
from tools.testing.fuzz.json_tree import is_list, is_map
from tools.testing.fuzz.mutations import pick
from tools.testing.fuzz.valid_requests import REQUESTS

OPERATIONS: list[Operation[Any]] = [
    read_request(request.target, json.dumps(request.body).encode()) for request in REQUESTS
]


class Word(str):
    """A subclass of str."""


class Names(dict[str, Any]):
    """A subclass of dict."""


class Stage(StrEnum):
    """An enum of strings."""

    FIRST = "title"


def _recursive_values() -> list[Any]:
    """Return containers that contain themselves."""
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


# These can be keys of a map.
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
    *(text for text in samples.TEXTS if isinstance(text, str)),
    *samples.ENUMERATIONS,
    *samples.NUMBERS,
    *samples.ARNS,
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
    *(_deep(40), _deep(400), _deep(5000), *_recursive_values()),
    *(MappingProxyType({"S": "a"}), {"M": UserDict(a={"S": "a"})}, {"S": Stage.FIRST}, Stage.FIRST),
    *samples.VALUES,
]


@dataclass(frozen=True, slots=True, eq=False)
class OddOperation:
    """An odd operation, with a repr that never fails."""

    operation: Operation[Any]

    def __repr__(self) -> str:
        try:
            return repr(self.operation)
        except (ValueError, RecursionError):
            return f"{type(self.operation).__name__}(…)"


@st.composite
def odd_operations(draw: st.DrawFn) -> OddOperation:
    """Draw a valid operation with one to three odd values in it."""
    operation = pick(draw, OPERATIONS)
    for _ in range(draw(st.integers(1, 3))):
        operation = _spoil(draw, operation)
    return OddOperation(operation)


def _spoil(draw: st.DrawFn, value: Any) -> Any:
    """Return the value with an odd value in it, or in its place."""
    if isinstance(value, Struct) and value.__struct_fields__:
        name = pick(draw, value.__struct_fields__)
        return replace(value, **{name: _spoil(draw, getattr(value, name))})
    if not value or draw(st.integers(0, 2)) == 0:
        return pick(draw, ODD)
    if is_map(value):
        key = pick(draw, list(value))
        if draw(st.integers(0, 3)):
            return {**value, key: _spoil(draw, value[key])}
        other = pick(draw, HASHABLE)
        return {(other if each is key else each): member for each, member in value.items()}
    if is_list(value):
        at = draw(st.integers(0, len(value) - 1))
        return [*value[:at], _spoil(draw, value[at]), *value[at + 1 :]]
    return pick(draw, ODD)
