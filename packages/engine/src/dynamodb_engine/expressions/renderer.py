"""Render expressions as text for a request, with a placeholder for every name and value.

Names are never written literally: many are reserved words, and the list of those grows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from dynamodb_engine.expressions import nodes
from dynamodb_engine.values import AttributeValue, content_of, item_to_json, type_of

__all__ = [
    "Aliases",
    "RenderedExpression",
    "render_condition",
    "render_key_condition",
    "render_projection",
    "render_update",
]


@dataclass(frozen=True, slots=True)
class RenderedExpression:
    """An expression as text, with the names and values of its placeholders."""

    text: str
    names: dict[str, str]
    values: dict[str, AttributeValue]


def value_identity(value: AttributeValue) -> object:
    """Return a hashable form that is equal for equal values only."""
    content = content_of(value)
    return (type_of(value), content) if isinstance(content, str) else item_to_json({"": value})


class Aliases:
    """Assigns placeholders, equal ones to equal names or values. Use one for a whole request."""

    __slots__ = ("_of_name", "_of_value", "names", "values")

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.values: dict[str, AttributeValue] = {}
        self._of_name: dict[str, str] = {}
        self._of_value: dict[object, str] = {}

    def name(self, name: str) -> str:
        """Return the `#name` for an attribute name."""
        alias = self._of_name.setdefault(name, f"#n{len(self.names)}")
        self.names[alias] = name
        return alias

    def value(self, value: AttributeValue) -> str:
        """Return the `:value` for a value."""
        alias = self._of_value.setdefault(value_identity(value), f":v{len(self.values)}")
        self.values[alias] = value
        return alias

    def path(self, path: nodes.Path) -> str:
        """Return the path with dots and brackets."""
        steps = [f".{self.name(s)}" if isinstance(s, str) else f"[{s}]" for s in path]
        return "".join(steps)[1:]

    def rendered(self, text: str) -> RenderedExpression:
        """Return the text with all placeholders assigned so far."""
        return RenderedExpression(text, dict(self.names), dict(self.values))


def render_condition(
    condition: nodes.Condition, aliases: Aliases | None = None
) -> RenderedExpression:
    """Render a condition. Pass the same aliases for all expressions of a request."""
    aliases = aliases or Aliases()
    return aliases.rendered(_condition(condition, aliases))


def render_key_condition(
    condition: nodes.KeyCondition, aliases: Aliases | None = None
) -> RenderedExpression:
    """Render a key condition."""
    aliases = aliases or Aliases()
    return aliases.rendered(" AND ".join([_key_clause(clause, aliases) for clause in condition]))


def render_update(update: nodes.Update, aliases: Aliases | None = None) -> RenderedExpression:
    """Render an update; sections are in the order of their first action."""
    aliases = aliases or Aliases()
    sections: dict[str, list[str]] = {}
    for action in update:
        word, text = _action(action, aliases)
        sections.setdefault(word, []).append(text)
    texts = [f"{word} {', '.join(actions)}" for word, actions in sections.items()]
    return aliases.rendered(" ".join(texts))


def render_projection(
    projection: nodes.Projection, aliases: Aliases | None = None
) -> RenderedExpression:
    """Render a projection."""
    aliases = aliases or Aliases()
    return aliases.rendered(", ".join([aliases.path(path) for path in projection]))


def _condition(condition: nodes.Condition, aliases: Aliases) -> str:
    match condition:
        case nodes.And():
            return _chain(condition, " AND ", (nodes.And, nodes.Or), aliases)
        case nodes.Or():
            return _chain(condition, " OR ", (nodes.Or,), aliases)
        case nodes.Not(inner):
            return f"NOT {_part(inner, (nodes.And, nodes.Or), aliases)}"
        case nodes.Compare(comparator, left, right):
            return f"{_operand(left, aliases)} {comparator} {_operand(right, aliases)}"
        case nodes.Between(operand, low, high):
            first, second, third = [_operand(part, aliases) for part in (operand, low, high)]
            return f"{first} BETWEEN {second} AND {third}"
        case nodes.In(operand, options):
            listed = ", ".join([_operand(option, aliases) for option in options])
            return f"{_operand(operand, aliases)} IN ({listed})"
        case nodes.Exists(path):
            return f"attribute_exists({aliases.path(path)})"
        case nodes.NotExists(path):
            return f"attribute_not_exists({aliases.path(path)})"
        case nodes.HasType(operand, kind):
            return f"attribute_type({_operand(operand, aliases)}, {aliases.value({'S': kind})})"
        case nodes.BeginsWith(operand, prefix):
            return f"begins_with({_operand(operand, aliases)}, {_operand(prefix, aliases)})"
        case nodes.Contains(operand, member):
            return f"contains({_operand(operand, aliases)}, {_operand(member, aliases)})"
        case _:
            assert_never(condition)


def _chain(
    condition: nodes.And | nodes.Or,
    word: str,
    grouped: tuple[type[nodes.And | nodes.Or], ...],
    aliases: Aliases,
) -> str:
    """Render a left-leaning chain of AND or OR without parentheses and without recursion."""
    links: list[nodes.Condition] = []
    rest: nodes.Condition = condition
    while isinstance(rest, condition.__class__):
        links.append(rest.right)
        rest = rest.left
    return word.join([_part(link, grouped, aliases) for link in (rest, *reversed(links))])


def _part(
    condition: nodes.Condition, grouped: tuple[type[nodes.And | nodes.Or], ...], aliases: Aliases
) -> str:
    text = _condition(condition, aliases)
    return f"({text})" if isinstance(condition, grouped) else text


def _operand(operand: nodes.Operand, aliases: Aliases) -> str:
    match operand:
        case nodes.At(path):
            return aliases.path(path)
        case nodes.Constant(value):
            return aliases.value(value)
        case nodes.SizeOf(path):
            return f"size({aliases.path(path)})"
        case _:
            assert_never(operand)


def _key_clause(clause: nodes.KeyClause, aliases: Aliases) -> str:
    name = aliases.name(clause.attribute)
    first, *second = [aliases.value(value) for value in clause.values]
    match clause.comparator:
        case "BETWEEN":
            return f"{name} BETWEEN {first} AND {second[0]}"
        case "begins_with":
            return f"begins_with({name}, {first})"
        case "=" | "<" | "<=" | ">" | ">=":
            return f"{name} {clause.comparator} {first}"
        case _:
            assert_never(clause.comparator)


def _action(action: nodes.Action, aliases: Aliases) -> tuple[str, str]:
    target = aliases.path(action.path)
    match action:
        case nodes.Set(_, term):
            return "SET", f"{target} = {_term(term, aliases)}"
        case nodes.Remove():
            return "REMOVE", target
        case nodes.Add(_, value):
            return "ADD", f"{target} {aliases.value(value)}"
        case nodes.Delete(_, value):
            return "DELETE", f"{target} {aliases.value(value)}"
        case _:
            assert_never(action)


def _term(term: nodes.Term, aliases: Aliases) -> str:
    match term:
        case nodes.At(path):
            return aliases.path(path)
        case nodes.Constant(value):
            return aliases.value(value)
        case nodes.IfNotExists(path, otherwise):
            return f"if_not_exists({aliases.path(path)}, {_term(otherwise, aliases)})"
        case nodes.ListAppend(first, second):
            return f"list_append({_term(first, aliases)}, {_term(second, aliases)})"
        case nodes.Sum(sign, left, right):
            return f"{_term(left, aliases)} {sign} {_term(right, aliases)}"
        case _:
            assert_never(term)
