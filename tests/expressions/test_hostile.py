"""Texts and items made to do harm."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import ValidationError
from singletable.expressions import (
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
from singletable.values import Item, check_item
from tests.expressions import generated
from tests.expressions.refusals import NAMES, VALUES, Parse

PARSERS: list[Parse] = [parse_condition, parse_key_condition, parse_update, parse_projection]
WORDS = [
    *("a", "b", "#a", "#b", "#x", ":n", ":s", ":l", ":ss", ":x", "status", "0", "_", "!"),
    *("(", ")", "[", "]", "[0]", ".", ",", "=", "<>", "<", "<=", "+", "-", " "),
    *(" AND ", " OR ", " NOT ", " BETWEEN ", " IN ", "SET ", " REMOVE ", " ADD ", " DELETE "),
    *("size(", "contains(", "attribute_exists(", "attribute_type(", "begins_with("),
    *("if_not_exists(", "list_append(", "dog("),
]


def refuse_or_take(parse: Parse, text: str) -> None:
    """Nothing but a refusal may come of a text that is no expression."""
    with suppress(ValidationError):
        parse(text, Placeholders(NAMES, VALUES))


@pytest.mark.parametrize("parse", PARSERS)
@given(text=st.one_of(st.text(max_size=40), st.lists(st.sampled_from(WORDS)).map("".join)))
def test_any_text_is_taken_or_refused(parse: Parse, text: str) -> None:
    refuse_or_take(parse, text)


# Within 4,096 bytes a text can be nested deeper than Python's stack, and name paths by the hundred.
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
def test_a_hostile_text_is_taken_or_refused(parse: Parse, text: str) -> None:
    refuse_or_take(parse, text)


def test_nesting_has_a_limit_of_ours() -> None:
    parse_condition("NOT (" * 100 + "a = :n" + ")" * 100, Placeholders(None, VALUES))
    with pytest.raises(ValidationError, match=r"^Invalid ConditionExpression: .* 100 levels deep$"):
        parse_condition("NOT (" * 101 + "a = :n" + ")" * 101, Placeholders(None, VALUES))


@given(generated.conditions, generated.items)
def test_a_condition_has_an_answer_for_any_item(condition: Condition, item: Item) -> None:
    assert holds(condition, item) in (True, False)


@given(generated.projections, generated.items)
def test_a_projection_takes_only_what_is_there(projection: Projection, item: Item) -> None:
    projected = project(projection, item)
    assert projected.keys() <= item.keys()
    # Whole attributes come whole, and what was projected once is projected to itself.
    for path in projection:
        if len(path) == 1 and path[0] in item:
            assert projected[str(path[0])] == item[str(path[0])]


# An update gives an item that can be kept, or a refusal; and leaves the old one as it was.
@given(generated.updates, generated.items)
def test_an_update_gives_a_sound_item_or_a_refusal(update: Update, item: Item) -> None:
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
