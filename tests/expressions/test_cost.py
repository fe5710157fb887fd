"""What an update costs, as it was measured at AWS."""

from __future__ import annotations

import pytest

from singletable.expressions import Placeholders, parse_update, update_cost
from singletable.values import AttributeValue

PAD: AttributeValue = {"S": "x" * 100}
VALUES: dict[str, AttributeValue] = {
    ":pad": PAD,
    ":one": {"N": "1"},
    ":list": {"L": [PAD]},
    ":map": {"M": {"leaf": PAD}},
    ":set": {"SS": ["x" * 500]},
}


def cost(text: str, names: dict[str, str] | None = None) -> int:
    return update_cost(parse_update(text, Placeholders(names, VALUES)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SET b = :pad", 3 + 19 + 1 + 100),
        ("SET b = :pad, c = :pad", 3 + 2 * (19 + 1 + 100)),
        ("REMOVE r", 3 + 2),
        ("REMOVE m.yyyyyyyyyy", 3 + 1 + 1 + 4 + 10),
        ("REMOVE l[10]", 3 + 1 + 1 + 4 + 2),
        ("DELETE ss :set", 3 + 1 + 2),
        ("ADD ss :set", 3 + 19 + 2 + 500),
        ("ADD abcdefghij :one", 3 + 19 + 10 + 2),
        ("SET c = abcdefghij", 3 + 19 + 1 + 1 + 14 + 10),
        ("SET c = m.a.z", 3 + 19 + 1 + 1 + 3 * (14 + 1)),
        ("SET c = l[10]", 3 + 19 + 1 + 1 + 14 + 1 + 14 + 2),
        ("SET n = n + :one", 3 + 19 + 1 + 34 + (1 + 14 + 1) + 2),
        ("SET n = n - :one", 3 + 19 + 1 + 37 + (1 + 14 + 1) + 2),
        ("SET c = if_not_exists(c, :pad)", 3 + 19 + 1 + 39 + (1 + 14 + 1) + 100),
        ("SET l = list_append(l, :list)", 3 + 19 + 1 + 37 + (1 + 14 + 1) + (3 + 1 + 100)),
    ],
)
def test_every_kind_of_action_has_its_price(text: str, expected: int) -> None:
    assert cost(text) == expected


def test_a_name_costs_its_own_bytes_not_its_placeholders() -> None:
    assert cost("SET #twelvechars = :pad", {"#twelvechars": "b"}) == cost("SET b = :pad")


def test_a_nested_target_costs_what_the_whole_would() -> None:
    assert cost("SET d.#leaf = :pad", {"#leaf": "leaf"}) == cost("SET d = :map")
    assert cost("SET d[0] = :pad") == cost("SET d = :list") + 1
