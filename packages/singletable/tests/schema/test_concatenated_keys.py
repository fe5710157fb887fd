"""Keys declared with concat() are written as they are, and never read as those of another item."""

from __future__ import annotations

from datetime import date
from itertools import combinations, product
from typing import Any

import pytest

from singletable import Attr, Entity, InvalidValue, Key, Table, attr, concat, padded
from singletable.schema import ItemKey, Model, model_of
from tests.schema.key_strategies import KINDS, Sketch, declare
from tests.store.stores import existing

TEXT, DAY, NUMBER, FLAG = (
    next(kind for kind in KINDS if kind.name == name)
    for name in ("text", "day", "digits", "yes or no")
)


def _written(model: Model, *values: Any) -> str:
    return ItemKey[Any].of(model.entity, values).key["PK"]["S"]


def _declared(*parts: Any, table: Table | None = None) -> Model | None:
    return declare(table or Table("existing"), Sketch(parts, ("X",), verbatim=True))


@pytest.mark.parametrize(
    ("parts", "values", "text"),
    [
        (("CUST|", TEXT), ("7",), "CUST|7"),
        (("ORD|", DAY, "|", NUMBER), (date(2024, 3, 1), 90), "ORD|2024-03-01|0090"),
        (("user:", TEXT), ("a b#c$d",), "user:a b#c$d"),
        (("TENANT/", TEXT, "/ORDER-", NUMBER), ("a-b", 90), "TENANT/a-b/ORDER-0090"),
        (("$shop#org_", TEXT, "#id_", TEXT), ("a_b", "7"), "$shop#org_a_b#id_7"),
        ((TEXT, "::", TEXT), ("a:b", "::"), "a:b::::"),
        ((DAY, NUMBER, TEXT), (date(2024, 3, 1), 7, "x"), "2024-03-010007x"),
    ],
)
def test_key_is_written_as_it_is_and_parsed(
    parts: tuple[Any, ...], values: tuple[Any, ...], text: str
) -> None:
    model = existing(_declared(*parts))
    assert _written(model, *values) == text
    parsed = existing(model.key.parse({"PK": {"S": text}, "SK": {"S": "X"}}))
    assert tuple(parsed.values()) == values


# A value ends where the text that follows it first occurs.
@pytest.mark.parametrize(
    ("parts", "values"),
    [
        ((TEXT, "|", TEXT), ("a|b", "c")),
        ((TEXT, "||", TEXT), ("a|", "c")),  # "a" and "|c"
        (("A", FLAG, "e", TEXT), (False, "x")),
        (("A", TEXT, "X", TEXT), ("bXc", "d")),
        (("A", TEXT), ("\U0010ffff",)),
    ],
)
def test_value_that_contains_its_end_is_rejected(
    parts: tuple[Any, ...], values: tuple[Any, ...]
) -> None:
    with pytest.raises(InvalidValue, match=r"(contains|runs into) .* which ends a value"):
        _written(existing(_declared(*parts)), *values)


# All pairs of these, with all values of up to three characters: separators of one and several
# characters, texts that start or end like each other, and one key that continues another.
TEMPLATES: list[tuple[Any, ...]] = [
    ("C|", TEXT),
    ("C|", TEXT, "|", TEXT),
    ("C|", TEXT, "|a|", TEXT),
    ("C|", TEXT, "||", TEXT),
    ("C|", TEXT, "|a"),
    ("C|", TEXT, "a", TEXT),
    ("C", TEXT),
    ("C", NUMBER, "|a"),
    (TEXT, "|a"),
    (TEXT, "|", NUMBER),
]
SHORT = ["".join(one) for size in (1, 2, 3) for one in product("a|C", repeat=size)]
HEAP: dict[str, list[Any]] = {TEXT.name: [*SHORT, "|0011", "0011|a"], NUMBER.name: [0, 11]}
# By number: some text is a key of both, such as C|0000 of 0 and 9.
COLLIDING = [
    *((0, 6), (0, 8), (0, 9), (1, 2), (1, 3), (1, 4), (1, 6), (1, 8), (2, 3), (2, 5), (2, 6)),
    *((3, 4), (3, 6), (3, 8), (4, 6), (4, 8), (5, 6), (5, 8), (6, 7), (6, 8), (6, 9), (7, 8)),
]


def _all_texts(model: Model, parts: tuple[Any, ...]) -> dict[str, tuple[Any, ...]]:
    """Return all keys of an entity, each with its values."""
    texts: dict[str, tuple[Any, ...]] = {}
    for values in product(*(HEAP[one.name] for one in parts if not isinstance(one, str))):
        try:
            text = _written(model, *values)
        except InvalidValue:
            continue
        assert texts.setdefault(text, values) == values
    return texts


@pytest.mark.parametrize("pair", [*combinations(range(len(TEMPLATES)), 2)], ids=str)
def test_keys_are_distinct_or_rejected(pair: tuple[int, int]) -> None:
    table = Table("existing")
    models = [_declared(*TEMPLATES[at], table=table) for at in pair]
    assert (None in models) == (pair in COLLIDING)
    if None in models:
        return
    for model, at in zip(models, pair, strict=True):
        for text, values in _all_texts(existing(model), TEMPLATES[at]).items():
            item: Any = {"PK": {"S": text}, "SK": {"S": "X"}}
            parsed = [None if other is None else other.key.parse(item) for other in models]
            named = {f"f{at}": value for at, value in enumerate(values)}
            assert parsed == [named if other is model else None for other in models]


def test_longer_key_restricts_the_last_value_of_a_shorter_one() -> None:
    table = Table("shop")

    class Customer(Entity, table=table):
        name: Attr[str] = attr()
        key = Key(pk=concat("CUST|", name), sk="X")

    assert Customer.key("7|ORD|1").key["PK"] == {"S": "CUST|7|ORD|1"}

    class Order(Entity, table=table):
        name: Attr[str] = attr()
        number: Attr[int] = attr()
        key = Key(pk=concat("CUST|", name, "|ORD|", padded(number, 5)), sk="X")

    order: Any = {"PK": {"S": "CUST|7|ORD|00001"}, "SK": {"S": "X"}}
    assert Order.key("7", 1).key == order
    assert not model_of(Customer).matches(order)
    assert Customer.key("7|OR").key["PK"] == {"S": "CUST|7|OR"}
    with pytest.raises(InvalidValue, match=r"'7\|ORD\|1' contains '\|ORD\|'"):
        Customer.key("7|ORD|1")
