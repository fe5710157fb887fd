"""Rendering expressions as text, and parsing them back."""

from __future__ import annotations

from functools import reduce

from hypothesis import given

from dynamodb_engine import expressions
from tests.expressions import strategies

ONE = expressions.Compare("=", expressions.At(("status",)), expressions.Constant({"N": "1"}))
TWO = expressions.Compare("<", expressions.At(("a", 0, "b")), expressions.Constant({"N": "2"}))


def placeholders_of(rendered: expressions.RenderedExpression) -> expressions.Placeholders:
    return expressions.Placeholders(rendered.names, rendered.values)


# Rendering round-trips, and every placeholder is used.
@given(strategies.conditions)
def test_rendered_condition_parses_to_itself(condition: expressions.Condition) -> None:
    rendered = expressions.render_condition(condition)
    placeholders = placeholders_of(rendered)
    assert expressions.parse_condition(rendered.text, placeholders) == condition
    placeholders.check_unused()


# Actions of one section are together in the text.
@given(strategies.updates)
def test_rendered_update_parses_to_itself(update: expressions.Update) -> None:
    kinds = list(dict.fromkeys(action.__class__ for action in update))
    rendered = expressions.render_update(update)
    placeholders = placeholders_of(rendered)
    assert expressions.parse_update(rendered.text, placeholders) == tuple(
        sorted(update, key=lambda action: kinds.index(action.__class__))
    )
    placeholders.check_unused()


@given(strategies.projections)
def test_rendered_projection_parses_to_itself(projection: expressions.Projection) -> None:
    rendered = expressions.render_projection(projection)
    placeholders = placeholders_of(rendered)
    assert expressions.parse_projection(rendered.text, placeholders) == projection
    placeholders.check_unused()


@given(strategies.key_conditions)
def test_rendered_key_condition_parses_to_itself(condition: expressions.KeyCondition) -> None:
    rendered = expressions.render_key_condition(condition)
    assert expressions.parse_key_condition(rendered.text, placeholders_of(rendered)) == condition


def test_every_name_and_value_has_a_placeholder() -> None:
    rendered = expressions.render_condition(
        expressions.Or(expressions.And(ONE, expressions.Not(expressions.And(TWO, TWO))), ONE)
    )
    assert rendered.text == (
        "#n0 = :v0 AND NOT (#n1[0].#n2 < :v1 AND #n1[0].#n2 < :v1) OR #n0 = :v0"
    )
    assert rendered.names == {"#n0": "status", "#n1": "a", "#n2": "b"}
    assert rendered.values == {":v0": {"N": "1"}, ":v1": {"N": "2"}}


# The number 1, the string "1" and true are different values.
def test_values_of_different_types_have_different_placeholders() -> None:
    aliases = expressions.Aliases()
    shared = [aliases.value({"N": "1"}), aliases.value({"S": "1"}), aliases.value({"N": "1"})]
    flags = [aliases.value({"BOOL": True}), aliases.value({"NULL": True})]
    assert shared == [":v0", ":v1", ":v0"]
    assert flags == [":v2", ":v3"]


# A request has one map of names and one of values for all its expressions.
def test_expressions_of_one_request_share_placeholders() -> None:
    aliases = expressions.Aliases()
    update = expressions.render_update(
        (
            expressions.Set(("status",), expressions.Constant({"N": "1"})),
            expressions.Remove(("b",)),
            expressions.Set(("c",), expressions.At(("b",))),
        ),
        aliases,
    )
    condition = expressions.render_condition(ONE, aliases)
    assert update.text == "SET #n0 = :v0, #n2 = #n1 REMOVE #n1"
    assert condition.text == "#n0 = :v0"
    assert aliases.names == {"#n0": "status", "#n1": "b", "#n2": "c"}


# `a & b & c` is a left-leaning chain: it needs no parentheses, and no recursion.
def test_long_chain_is_rendered_without_parentheses() -> None:
    links: list[expressions.Condition] = [ONE] * 140
    chain = reduce(expressions.And, links)
    rendered = expressions.render_condition(chain)
    assert "(" not in rendered.text
    assert expressions.parse_condition(rendered.text, placeholders_of(rendered)) == chain
