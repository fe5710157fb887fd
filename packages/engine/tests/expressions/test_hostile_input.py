"""Random and hostile expressions and items."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamodb_engine.errors import ValidationError
from dynamodb_engine.expressions import (
    Condition,
    Placeholders,
    Projection,
    Update,
    apply_update,
    holds,
    parse_condition,
    parse_key_condition,
    parse_projection,
    parse_update,
    project,
    updated_attributes,
)
from dynamodb_engine.values import Item, check_item
from tests.expressions import strategies
from tests.expressions.parse_errors import NAMES, VALUES, Parse

PARSERS: list[Parse] = [parse_condition, parse_key_condition, parse_update, parse_projection]
WORDS = [
    *("a", "b", "#a", "#b", "#x", ":n", ":s", ":l", ":ss", ":x", "status", "0", "_", "!"),
    *("(", ")", "[", "]", "[0]", ".", ",", "=", "<>", "<", "<=", "+", "-", " "),
    *(" AND ", " OR ", " NOT ", " BETWEEN ", " IN ", "SET ", " REMOVE ", " ADD ", " DELETE "),
    *("size(", "contains(", "attribute_exists(", "attribute_type(", "begins_with("),
    *("if_not_exists(", "list_append(", "dog("),
]


def parse_or_reject(parse: Parse, text: str) -> None:
    """Parse the text; only ValidationError may be raised."""
    with suppress(ValidationError):
        parse(text, Placeholders(NAMES, VALUES))


@pytest.mark.parametrize("parse", PARSERS)
@given(text=st.one_of(st.text(max_size=40), st.lists(st.sampled_from(WORDS)).map("".join)))
def test_any_text_is_parsed_or_rejected(parse: Parse, text: str) -> None:
    parse_or_reject(parse, text)


# 4,096 bytes can nest deeper than Python's stack, and name hundreds of paths.
@pytest.mark.parametrize("parse", PARSERS)
@pytest.mark.parametrize(
    "text",
    [
        "(" * 4096,
        "NOT " * 1023,
        "NOT(" * 1024,
        "size(" * 819,
        "a=" * 2048,
        "a." * 2047 + "a",
        "a[0]" * 1000,
        "a[" + "9" * 4000 + "]",
        "SET a=" + "(" * 4090,
        "SET a=" + "if_not_exists(a," * 250,
        "SET a=" + "if_not_exists(a," * 200 + ":n" + ")" * 200,
        "REMOVE " + ",".join(f"a.b{i}" for i in range(580)),
        "REMOVE " + ",".join(f"{chr(97 + i % 26)}{i}" for i in range(800)),
        ",".join(f"a.b{i}" for i in range(580)),
        ",".join(["a[0]", *(f"a.b{i}" for i in range(570))]),
        "a=:n AND " * 400 + "a=:n",
        "a IN (" + ":n," * 1300 + ":n)",
        "(" * 90 + "a=:n" + ")" * 90,
        "NOT (" * 90 + "a=:n" + ")" * 90,
        "(a=:n AND " * 90 + "a=:n" + ")" * 90,
        " " * 4096,
        "!" * 4096,
        "\ud800",
    ],
    ids=lambda text: text[:20],
)
def test_hostile_text_is_parsed_or_rejected(parse: Parse, text: str) -> None:
    parse_or_reject(parse, text)


def test_nesting_is_limited() -> None:
    parse_condition("NOT (" * 100 + "a = :n" + ")" * 100, Placeholders(None, VALUES))
    with pytest.raises(ValidationError, match=r"^Invalid ConditionExpression: .* 100 levels deep$"):
        parse_condition("NOT (" * 101 + "a = :n" + ")" * 101, Placeholders(None, VALUES))


@given(strategies.conditions, strategies.items)
def test_any_condition_can_be_evaluated_on_any_item(condition: Condition, item: Item) -> None:
    assert holds(condition, item) in (True, False)


@given(strategies.projections, strategies.items)
def test_projection_returns_only_existing_values(projection: Projection, item: Item) -> None:
    projected = project(projection, item)
    assert projected.keys() <= item.keys()
    # Whole attributes come whole, and what was projected once is projected to itself.
    for path in projection:
        if len(path) == 1 and path[0] in item:
            assert projected[str(path[0])] == item[str(path[0])]


# The item passed to an update is not modified.
@given(strategies.updates, strategies.items)
def test_update_returns_a_valid_item_or_is_rejected(update: Update, item: Item) -> None:
    before = check_item(item)
    try:
        result = apply_update(update, item)
    except ValidationError:
        return
    finally:
        assert check_item(item) == before
    assert check_item(result)[0] == result
    touched = {action.path[0] for action in update}
    untouched = {name: value for name, value in item.items() if name not in touched}
    assert untouched == {n: v for n, v in result.items() if n not in touched}
    assert updated_attributes(update, result).keys() <= touched
