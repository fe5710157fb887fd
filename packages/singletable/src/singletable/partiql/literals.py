"""Literals of PartiQL as attribute values."""

from __future__ import annotations

from decimal import Decimal

from singletable.partiql.lexer import StatementError
from singletable.partiql.statements import (
    Call,
    Expression,
    IonLiteral,
    IsType,
    Missing,
    Operator,
    Parameter,
    Reference,
    Sequence,
    Subquery,
    Tuple,
    Value,
)
from singletable.values import INVALID, AttributeValue, InvalidNumber, canonical_number

MAX_DEPTH = 32
BAD_BAG = "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags"


def literal_value(
    literal: Expression, path: str, depth: int, parameters: list[AttributeValue] | None = None
) -> AttributeValue:
    """Return the value; `path` leads to it from `root`, and is part of errors.

    Only the values of an item's attributes may be `parameters`, not those inside them.
    """
    if depth > MAX_DEPTH:
        raise StatementError(f"Nesting Levels have exceeded supported limits under {path}")
    match literal:
        case Value({"N": number}, place):
            return {"N": _number(number, path, place)}
        case Value(value):
            return value
        case Sequence("bag"):
            return _bag(literal, path)
        case Sequence(_, members):
            return {
                "L": [
                    literal_value(member, f"{path}[{index}]", depth + 1)
                    for index, member in enumerate(members)
                ]
            }
        case Tuple(pairs):
            return {"M": _map(pairs, path, depth, parameters)}
        case IonLiteral(text, place):
            kind = "INT" if text.strip("`").isdigit() else "SYMBOL"
            raise StatementError(
                f"Ion Literals are not supported: {kind} under key {path} at {place}"
            )
        case _:
            raise StatementError(
                f"Unsupported data type: {_kind(literal)} under key {path} at {literal.place}"
            )


def _kind(expression: Expression) -> str:
    match expression:
        case Parameter():
            return "Parameter"
        case Missing():
            return "MISSING"
        case Reference(path):
            return str(path[0])
        case Call(name) | Operator(name):
            return name
        case IsType():
            return "IS"
        case Subquery():
            return "SELECT"
        case _:
            return type(expression).__name__


def _number(text: str, path: str, place: str) -> str:
    if text.startswith("-") and "." in text and not Decimal(text):
        raise StatementError(f"Negative zero decimal is not supported under key {path} at {place}")
    try:
        return canonical_number(text)
    except InvalidNumber as problem:
        raise StatementError(f"{problem} under {path}") from None


def _map(
    pairs: tuple[tuple[Expression, Expression], ...],
    path: str,
    depth: int,
    parameters: list[AttributeValue] | None,
) -> dict[str, AttributeValue]:
    values: dict[str, AttributeValue] = {}
    for key, value in pairs:
        match key:
            case Value({"S": name}, place):
                if not name:
                    raise StatementError("Path component cannot be an empty string")
                if name in values:
                    raise StatementError(
                        f"Duplicate keys in tuple. Key: {name} under {path} at {place}"
                    )
            case _:
                kind = "INT" if isinstance(key, Value) else "VariableReference"
                raise StatementError(
                    f"Tuple keys must be of type String. Actual type: {kind} under {path} "
                    f"at {key.place}"
                )
        if depth:
            values[name] = literal_value(value, f"{path}.{name}", depth + 1)
        else:  # an attribute of an item, which is a root of its own
            values[name] = _attribute(value, path, parameters)
    return values


def _attribute(
    value: Expression, path: str, parameters: list[AttributeValue] | None
) -> AttributeValue:
    if isinstance(value, Parameter) and parameters is not None:
        return parameters[value.number]
    return literal_value(value, path, 1)


def _bag(bag: Sequence, path: str) -> AttributeValue:
    """Return a set of strings or of numbers."""
    if not bag.members:
        raise StatementError("Empty bags are not supported")
    texts: list[str] = []
    numbers: list[str] = []
    for member in bag.members:
        match member:
            case Value({"S": text}):
                texts.append(text)
            case Value({"N": number}, place):
                _number(number, path, place)
                numbers.append(number)
            case _:
                raise StatementError(f"{BAD_BAG} at {member.place}")
    if texts and numbers:
        raise StatementError(BAD_BAG)
    kept = texts or [canonical_number(number) for number in numbers]
    if len(set(kept)) < len(kept):
        suffix = "." if texts else f"! under {path}"
        listed = ", ".join(texts or numbers)
        raise StatementError(f"{INVALID}Input collection [{listed}] contains duplicates{suffix}")
    if texts:
        return {"SS": sorted(texts, key=str.encode)}
    return {"NS": sorted(kept, key=Decimal)}
