"""Render all expressions of a request, once per shape.

The shape of an expression is everything but its values. Requests of one shape have the same texts
and names, so that only values are filled in, and an engine that caches parsed expressions by their
text finds them.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import astuple

from dynamodb_engine.errors import InvalidValue
from dynamodb_engine.expressions.analysis import count_operators
from dynamodb_engine.expressions.grammar import MAX_OPERATORS
from dynamodb_engine.expressions.nodes import (
    Add,
    And,
    At,
    Condition,
    Constant,
    Delete,
    Exists,
    HasType,
    In,
    KeyCondition,
    NotExists,
    Or,
    Projection,
    Remove,
    Set,
    SizeOf,
    Update,
)
from dynamodb_engine.expressions.parser import MAX_EXPRESSION_SIZE
from dynamodb_engine.expressions.renderer import (
    Aliases,
    render_condition,
    render_key_condition,
    render_projection,
    render_update,
    value_identity,
)
from dynamodb_engine.values import AttributeValue

__all__ = ["RequestExpressions", "render_request"]

MAX_TEMPLATES = 1024


class RequestExpressions(Struct, frozen=True):
    """The expressions of a request as text, and the names and values of their placeholders."""

    update: str | None
    condition: str | None
    key_condition: str | None
    filter: str | None
    projection: str | None
    names: dict[str, str] | None
    values: dict[str, AttributeValue] | None


class _Template(Struct, frozen=True):
    """Rendered expressions of one shape, and which of its values each placeholder has."""

    expressions: RequestExpressions
    positions: tuple[tuple[str, int], ...]


_TEMPLATES: dict[object, _Template] = {}


def render_request(
    *,
    update: Update = (),
    condition: Condition | None = None,
    key_condition: KeyCondition = (),
    filter: Condition | None = None,  # noqa: A002 (the name of the parameter in DynamoDB)
    projection: Projection | None = None,
) -> RequestExpressions:
    """Render the expressions of a request, from the template of their shape if there is one."""
    values: list[AttributeValue] = []
    shape = (
        tuple([_shape(action, values) for action in update]) if update else (),
        None if condition is None else _shape(condition, values),
        tuple([_clause_shape(one, values) for one in key_condition]) if key_condition else (),
        None if filter is None else _shape(filter, values),
        projection,
    )
    # Equal values share a placeholder, and others of the same shape need not be equal.
    if len(values) > 1 and len({value_identity(value) for value in values}) < len(values):
        return _render(update, condition, key_condition, filter, projection)
    template = _TEMPLATES.get(shape)
    if template is None:
        rendered = _render(update, condition, key_condition, filter, projection)
        _remember(shape, rendered, values)
        return rendered
    known = template.expressions
    return RequestExpressions(
        known.update,
        known.condition,
        known.key_condition,
        known.filter,
        known.projection,
        None if known.names is None else dict(known.names),
        {alias: values[position] for alias, position in template.positions} if values else None,
    )


def _remember(shape: object, rendered: RequestExpressions, values: list[AttributeValue]) -> None:
    if len(_TEMPLATES) >= MAX_TEMPLATES:
        _TEMPLATES.clear()  # Paths into maps and lists make any number of shapes.
    position_of = {value_identity(value): position for position, value in enumerate(values)}
    positions = [
        (alias, position_of[value_identity(value)])
        for alias, value in (rendered.values or {}).items()
    ]
    _TEMPLATES[shape] = _Template(rendered, tuple(positions))


def _render(
    update: Update,
    condition: Condition | None,
    key_condition: KeyCondition,
    filter_: Condition | None,
    projection: Projection | None,
) -> RequestExpressions:
    aliases = Aliases()
    rendered = RequestExpressions(
        update=render_update(update, aliases).text if update else None,
        condition=None if condition is None else render_condition(condition, aliases).text,
        key_condition=render_key_condition(key_condition, aliases).text if key_condition else None,
        filter=None if filter_ is None else render_condition(filter_, aliases).text,
        projection=None if projection is None else render_projection(projection, aliases).text,
        names=aliases.names or None,
        values=aliases.values or None,
    )
    texts = (rendered.update, rendered.condition, rendered.filter, rendered.projection)
    size = max(len(text or "") for text in texts)
    operators = max(count_operators(one) if one else 0 for one in (condition, filter_))
    if size > MAX_EXPRESSION_SIZE or operators > MAX_OPERATORS:
        raise InvalidValue(
            f"expected an expression of at most {MAX_EXPRESSION_SIZE:,} bytes and {MAX_OPERATORS} "
            f"operators, which is what DynamoDB accepts, but this one has {size:,} bytes and "
            f"{operators} operators. Compare fewer values, or split the call."
        )
    return rendered


_PATHS = frozenset([At, SizeOf, Exists, NotExists, Remove])


def _shape(node: Any, values: list[AttributeValue]) -> object:
    """Return the shape of a node, and add its values to `values`."""
    kind = node.__class__
    if kind is Constant:
        values.append(node.value)
        return kind
    if kind in _PATHS:
        return kind, node.path
    if kind is Set:
        return kind, node.path, _shape(node.term, values)
    if kind is Add or kind is Delete:
        values.append(node.value)
        return kind, node.path
    if kind is And or kind is Or:
        return _chain_shape(node, values)
    if kind is In:
        return kind, _shape(node.operand, values), *[_shape(one, values) for one in node.options]
    if kind is HasType:
        values.append({"S": node.type})
        return kind, _shape(node.operand, values)
    # The fields of all others are nodes, paths, and texts such as a comparator.
    return kind, *[
        _shape(part, values) if isinstance(part, Struct) else part for part in astuple(node)
    ]


def _chain_shape(node: Any, values: list[AttributeValue]) -> object:
    """Return the shape of a left-leaning chain of AND or OR, without recursion."""
    kind = node.__class__
    links: list[object] = []
    while node.__class__ is kind:
        links.append(_shape(node.right, values))
        node = node.left
    return kind, _shape(node, values), *links


def _clause_shape(clause: Any, values: list[AttributeValue]) -> object:
    values.extend(clause.values)
    return clause.attribute, clause.comparator
