"""What GetItem returns."""

from __future__ import annotations

import pytest

from dynamodb_engine.operations import Driver, GetItem
from dynamodb_engine.values import AttributeValue, Item
from tests.conformance.tables import ada, make_table, put, stored
from tests.conformance.value_positions import KEY


@pytest.mark.parametrize("consistent", [True, False, None])
def test_get_returns_the_item_at_a_key(driver: Driver, consistent: bool | None) -> None:
    table = make_table(driver, pk="S", sk="S")
    item = ada(sk={"S": "1"}, age={"N": "36"})
    put(driver, table, item, ada(sk={"S": "2"}))
    asked = GetItem(table, ada(sk={"S": "1"}), consistent_read=consistent)
    assert driver.execute(asked).item == item


# The response for a missing item is empty; it is not an empty item.
@pytest.mark.parametrize("key", [ada(sk={"S": "2"}), {"pk": {"S": "bob"}, "sk": {"S": "1"}}])
def test_get_returns_nothing_for_a_missing_item(driver: Driver, key: Item) -> None:
    table = make_table(driver, pk="S", sk="S")
    put(driver, table, ada(sk={"S": "1"}))
    assert driver.execute(GetItem(table, key)).raw_item is None


def test_get_returns_the_largest_items_whole(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, ada(text={"S": "x" * 390_000}))
    assert stored(driver, table, KEY) == ada(text={"S": "x" * 390_000})


def _pair(number: int) -> AttributeValue:
    return {"M": {"p": {"S": f"p{number}"}, "q": {"S": f"q{number}"}}}


DOCUMENT = ada(
    a={"S": "a"},
    b={"S": "b"},
    m={"M": {"x": {"N": "1"}, "y": {"N": "2"}, "z": {"N": "3"}}},
    l={
        "L": [
            {
                "M": {
                    "a": {"S": "a0"},
                    "b": {"S": "b0"},
                    "m": {"M": {"x": {"S": "x0"}, "y": {"S": "y0"}}},
                    "n": {"L": [_pair(0), _pair(1)]},
                }
            },
            {"M": {"a": {"S": "a1"}, "b": {"S": "b1"}}},
            {"M": {"a": {"S": "a2"}, "c": {"S": "c2"}}},
        ]
    },
    few={"L": [{"S": "zero"}, {"S": "one"}, {"S": "two"}]},
)

PROJECTED: list[tuple[str, Item]] = [
    # The key is returned only if it is projected.
    ("a", {"a": {"S": "a"}}),
    ("pk", KEY),
    ("a, pk", ada(a={"S": "a"})),
    ("a, none_such", {"a": {"S": "a"}}),
    # A projection that matches nothing returns an empty item.
    ("none_such", {}),
    ("m.none_such", {}),
    ("few[7]", {}),
    ("a.b", {}),
    ("m.x", {"m": {"M": {"x": {"N": "1"}}}}),
    ("m.x, m.y", {"m": {"M": {"x": {"N": "1"}, "y": {"N": "2"}}}}),
    ("few[0]", {"few": {"L": [{"S": "zero"}]}}),
    # List elements are closed up, in the order of the list and not of the paths.
    ("few[2], few[0]", {"few": {"L": [{"S": "zero"}, {"S": "two"}]}}),
    # Paths into the same element return one element.
    ("l[0].a, l[0].b", {"l": {"L": [{"M": {"a": {"S": "a0"}, "b": {"S": "b0"}}}]}}),
    ("l[0].b, l[0].a", {"l": {"L": [{"M": {"a": {"S": "a0"}, "b": {"S": "b0"}}}]}}),
    (
        "l[0].m.x, l[0].m.y",
        {"l": {"L": [{"M": {"m": {"M": {"x": {"S": "x0"}, "y": {"S": "y0"}}}}}]}},
    ),
    (
        "l[0].a, l[0].m.x",
        {"l": {"L": [{"M": {"a": {"S": "a0"}, "m": {"M": {"x": {"S": "x0"}}}}}]}},
    ),
    ("l[0].n[0].p, l[0].n[0].q", {"l": {"L": [{"M": {"n": {"L": [_pair(0)]}}}]}}),
    (
        "l[0].n[0].p, l[0].n[1].q",
        {
            "l": {
                "L": [
                    {
                        "M": {
                            "n": {
                                "L": [
                                    {"M": {"p": {"S": "p0"}}},
                                    {"M": {"q": {"S": "q1"}}},
                                ]
                            }
                        }
                    }
                ]
            }
        },
    ),
    (
        "l[0].a, l[0].b, l[2].c",
        {
            "l": {
                "L": [
                    {"M": {"a": {"S": "a0"}, "b": {"S": "b0"}}},
                    {"M": {"c": {"S": "c2"}}},
                ]
            }
        },
    ),
]


@pytest.mark.parametrize(("projection", "item"), PROJECTED, ids=[text for text, _ in PROJECTED])
def test_projection_returns_only_requested_attributes(
    driver: Driver, projection: str, item: Item
) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, DOCUMENT)
    assert driver.execute(GetItem(table, KEY, projection_expression=projection)).item == item


def test_projection_accepts_placeholders(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, DOCUMENT)
    asked = GetItem(
        table,
        KEY,
        projection_expression="#m.#x, #few[1]",
        expression_attribute_names={"#m": "m", "#x": "x", "#few": "few"},
    )
    assert driver.execute(asked).item == {
        "m": {"M": {"x": {"N": "1"}}},
        "few": {"L": [{"S": "one"}]},
    }
