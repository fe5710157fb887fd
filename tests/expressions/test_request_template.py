"""A request rendered from the template of its shape equals one rendered without templates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import asdict

from singletable.errors import InvalidValue
from singletable.expressions import (
    Add,
    Aliases,
    And,
    At,
    Compare,
    Condition,
    Constant,
    Delete,
    KeyClause,
    KeyCondition,
    Or,
    Projection,
    Update,
    render_condition,
    render_key_condition,
    render_projection,
    render_request,
    render_update,
)
from singletable.expressions.request_template import RequestExpressions
from singletable.values import AttributeValue
from tests.expressions.strategies import conditions, key_conditions, projections, updates, values

# A few values, so that some of a request are equal, and equal to a type that a condition tests.
FEW_VALUES: st.SearchStrategy[AttributeValue] = values | st.sampled_from(
    [{"S": "a"}, {"S": "S"}, {"N": "1"}, {"L": []}, {"BOOL": True}]
)


def _without_templates(
    update: Update,
    condition: Condition | None,
    key_condition: KeyCondition,
    filter_: Condition | None,
    projection: Projection | None,
) -> RequestExpressions:
    aliases = Aliases()
    return RequestExpressions(
        render_update(update, aliases).text if update else None,
        None if condition is None else render_condition(condition, aliases).text,
        render_key_condition(key_condition, aliases).text if key_condition else None,
        None if filter_ is None else render_condition(filter_, aliases).text,
        None if projection is None else render_projection(projection, aliases).text,
        aliases.names or None,
        aliases.values or None,
    )


def _revalued(node: Any, new_value: Callable[[], AttributeValue]) -> Any:
    """Return an expression of the same shape with other values."""
    if isinstance(node, tuple):
        return tuple(_revalued(one, new_value) for one in node)
    if not isinstance(node, Struct):
        return node
    if isinstance(node, Constant | Add | Delete):
        return type(node)(**{**asdict(node), "value": new_value()})
    if isinstance(node, KeyClause):
        return KeyClause(node.attribute, node.comparator, tuple(new_value() for _ in node.values))
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
def test_template_renders_what_is_rendered_without_it(
    data: st.DataObject,
    update: Update,
    condition: Condition | None,
    key_condition: KeyCondition,
    filter_: Condition | None,
    projection: Projection | None,
) -> None:
    for _ in range(3):
        rendered = render_request(
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
    for chain in (And, Or):
        condition: Condition = Compare("=", At(("a",)), Constant({"N": "0"}))
        for number in range(1, 3000):
            condition = chain(condition, Compare("=", At(("a",)), Constant({"N": str(number)})))
        for _ in range(2):
            with pytest.raises(InvalidValue, match="5999 operators"):
                render_request(condition=condition)
