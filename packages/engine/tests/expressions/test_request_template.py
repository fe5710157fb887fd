"""A request rendered from the template of its shape equals one rendered without templates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import asdict

from dynamodb_engine import expressions
from dynamodb_engine.errors import InvalidValue
from dynamodb_engine.expressions.request_template import RequestExpressions
from dynamodb_engine.values import AttributeValue
from tests.expressions.strategies import conditions, key_conditions, projections, updates, values

# A few values, so that some of a request are equal, and equal to a type that a condition tests.
FEW_VALUES: st.SearchStrategy[AttributeValue] = values | st.sampled_from(
    [{"S": "a"}, {"S": "S"}, {"N": "1"}, {"L": []}, {"BOOL": True}]
)


def _without_templates(
    update: expressions.Update,
    condition: expressions.Condition | None,
    key_condition: expressions.KeyCondition,
    filter_: expressions.Condition | None,
    projection: expressions.Projection | None,
) -> RequestExpressions:
    aliases = expressions.Aliases()
    return RequestExpressions(
        expressions.render_update(update, aliases).text if update else None,
        None if condition is None else expressions.render_condition(condition, aliases).text,
        expressions.render_key_condition(key_condition, aliases).text if key_condition else None,
        None if filter_ is None else expressions.render_condition(filter_, aliases).text,
        None if projection is None else expressions.render_projection(projection, aliases).text,
        aliases.names or None,
        aliases.values or None,
    )


def _revalued(node: Any, new_value: Callable[[], AttributeValue]) -> Any:
    """Return an expression of the same shape with other values."""
    if isinstance(node, tuple):
        return tuple(_revalued(one, new_value) for one in node)
    if not isinstance(node, Struct):
        return node
    if isinstance(node, expressions.Constant | expressions.Add | expressions.Delete):
        return type(node)(**{**asdict(node), "value": new_value()})
    if isinstance(node, expressions.KeyClause):
        return expressions.KeyClause(
            node.attribute, node.comparator, tuple(new_value() for _ in node.values)
        )
    fields = {name: _revalued(part, new_value) for name, part in asdict(node).items()}
    return type(node)(**fields)


@given(
    data=st.data(),
    update=st.just(()) | updates,
    condition=st.none() | conditions,
    key_condition=st.just(()) | key_conditions,
    filter_=st.none() | conditions,
    projection=st.none() | projections,
)
def test_template_renders_the_same_request_as_without_it(
    data: st.DataObject,
    update: expressions.Update,
    condition: expressions.Condition | None,
    key_condition: expressions.KeyCondition,
    filter_: expressions.Condition | None,
    projection: expressions.Projection | None,
) -> None:
    for _ in range(3):
        rendered = expressions.render_request(
            update=update,
            condition=condition,
            key_condition=key_condition,
            filter=filter_,
            projection=projection,
        )
        assert rendered == _without_templates(update, condition, key_condition, filter_, projection)
        update, condition, key_condition, filter_ = _revalued(
            (update, condition, key_condition, filter_), lambda: data.draw(FEW_VALUES)
        )


def test_long_chains_are_rendered_without_recursion() -> None:
    for chain in (expressions.And, expressions.Or):
        condition: expressions.Condition = expressions.Compare(
            "=", expressions.At(("a",)), expressions.Constant({"N": "0"})
        )
        for number in range(1, 3000):
            condition = chain(
                condition,
                expressions.Compare(
                    "=", expressions.At(("a",)), expressions.Constant({"N": str(number)})
                ),
            )
        for _ in range(2):
            with pytest.raises(InvalidValue, match="5999 operators"):
                expressions.render_request(condition=condition)
