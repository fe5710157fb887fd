"""Expressions as texts for a request, every name and value behind a placeholder.

No name is ever written as it is: many are reserved, and the list of those grows.
"""

from __future__ import annotations

from typing import assert_never

from singletable.expressions.aliases import Aliases, RenderedExpression
from singletable.expressions.key_condition import KeyClause, KeyCondition
from singletable.expressions.nodes import (
    Action,
    Add,
    And,
    At,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Constant,
    Contains,
    Delete,
    Exists,
    HasType,
    IfNotExists,
    In,
    ListAppend,
    Not,
    NotExists,
    Operand,
    Or,
    Projection,
    Remove,
    Set,
    SizeOf,
    Sum,
    Term,
    Update,
)


def render_condition(condition: Condition, aliases: Aliases | None = None) -> RenderedExpression:
    """The condition as text; of several expressions in a request, give all the same aliases."""
    aliases = aliases or Aliases()
    return aliases.rendered(_condition(condition, aliases))


def render_key_condition(
    condition: KeyCondition, aliases: Aliases | None = None
) -> RenderedExpression:
    """The key condition as text."""
    aliases = aliases or Aliases()
    return aliases.rendered(" AND ".join([_key_clause(clause, aliases) for clause in condition]))


def render_update(update: Update, aliases: Aliases | None = None) -> RenderedExpression:
    """The update as text; actions of one kind come together, in the order of the first of each."""
    aliases = aliases or Aliases()
    sections: dict[str, list[str]] = {}
    for action in update:
        word, text = _action(action, aliases)
        sections.setdefault(word, []).append(text)
    texts = [f"{word} {', '.join(actions)}" for word, actions in sections.items()]
    return aliases.rendered(" ".join(texts))


def render_projection(projection: Projection, aliases: Aliases | None = None) -> RenderedExpression:
    """The projection as text."""
    aliases = aliases or Aliases()
    return aliases.rendered(", ".join([aliases.path(path) for path in projection]))


def _condition(condition: Condition, to: Aliases) -> str:
    match condition:
        case And():
            return _chain(condition, " AND ", (And, Or), to)
        case Or():
            return _chain(condition, " OR ", (Or,), to)
        case Not(inner):
            return f"NOT {_part(inner, (And, Or), to)}"
        case Compare(comparator, left, right):
            return f"{_operand(left, to)} {comparator} {_operand(right, to)}"
        case Between(operand, low, high):
            return f"{_operand(operand, to)} BETWEEN {_operand(low, to)} AND {_operand(high, to)}"
        case In(operand, options):
            listed = ", ".join([_operand(option, to) for option in options])
            return f"{_operand(operand, to)} IN ({listed})"
        case Exists(path):
            return f"attribute_exists({to.path(path)})"
        case NotExists(path):
            return f"attribute_not_exists({to.path(path)})"
        case HasType(operand, kind):
            return f"attribute_type({_operand(operand, to)}, {to.value({'S': kind})})"
        case BeginsWith(operand, prefix):
            return f"begins_with({_operand(operand, to)}, {_operand(prefix, to)})"
        case Contains(operand, member):
            return f"contains({_operand(operand, to)}, {_operand(member, to)})"
        case _:
            assert_never(condition)


def _chain(condition: And | Or, word: str, grouped: tuple[type[And | Or], ...], to: Aliases) -> str:
    """The links of a chain, which leans to the left, without parentheses and without recursion."""
    links: list[Condition] = []
    rest: Condition = condition
    while isinstance(rest, condition.__class__):
        links.append(rest.right)
        rest = rest.left
    return word.join([_part(link, grouped, to) for link in (rest, *reversed(links))])


def _part(condition: Condition, grouped: tuple[type[And | Or], ...], to: Aliases) -> str:
    text = _condition(condition, to)
    return f"({text})" if isinstance(condition, grouped) else text


def _operand(operand: Operand, to: Aliases) -> str:
    match operand:
        case At(path):
            return to.path(path)
        case Constant(value):
            return to.value(value)
        case SizeOf(path):
            return f"size({to.path(path)})"
        case _:
            assert_never(operand)


def _key_clause(clause: KeyClause, to: Aliases) -> str:
    name = to.name(clause.attribute)
    first, *second = [to.value(value) for value in clause.values]
    match clause.comparator:
        case "BETWEEN":
            return f"{name} BETWEEN {first} AND {second[0]}"
        case "begins_with":
            return f"begins_with({name}, {first})"
        case "=" | "<" | "<=" | ">" | ">=":
            return f"{name} {clause.comparator} {first}"
        case _:
            assert_never(clause.comparator)


def _action(action: Action, to: Aliases) -> tuple[str, str]:
    target = to.path(action.path)
    match action:
        case Set(_, term):
            return "SET", f"{target} = {_term(term, to)}"
        case Remove():
            return "REMOVE", target
        case Add(_, value):
            return "ADD", f"{target} {to.value(value)}"
        case Delete(_, value):
            return "DELETE", f"{target} {to.value(value)}"
        case _:
            assert_never(action)


def _term(term: Term, to: Aliases) -> str:
    match term:
        case At(path):
            return to.path(path)
        case Constant(value):
            return to.value(value)
        case IfNotExists(path, otherwise):
            return f"if_not_exists({to.path(path)}, {_term(otherwise, to)})"
        case ListAppend(first, second):
            return f"list_append({_term(first, to)}, {_term(second, to)})"
        case Sum(sign, left, right):
            return f"{_term(left, to)} {sign} {_term(right, to)}"
        case _:
            assert_never(term)
