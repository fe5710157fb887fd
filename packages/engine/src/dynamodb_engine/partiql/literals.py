"""Literals of PartiQL as attribute values."""

from __future__ import annotations

from decimal import Decimal

from dynamodb_engine.partiql.lexer import StatementError
from dynamodb_engine.partiql.parser import EMPTY_COMPONENT
from dynamodb_engine.partiql.statements import Node
from dynamodb_engine.values import INVALID, AttributeValue, InvalidNumber, canonical_number

MAX_DEPTH = 32
BAD_BAG = "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags"


def literal_value(
    literal: Node, path: str, depth: int, parameters: list[AttributeValue] | None = None
) -> AttributeValue:
    """Return the value; `path` leads to it from `root`, and is part of errors.

    Only the values of an item's attributes may be `parameters`, not those inside them.
    """
    if depth > MAX_DEPTH:
        raise StatementError(f"Nesting Levels have exceeded supported limits under {path}")
    match literal:
        case Node("parameter", number=number) if parameters is not None:
            return parameters[number]
        case Node("value", place, value={"N": number}):
            return {"N": _number(number, path, place)}
        case Node("value", value=value):
            return value
        case Node("bag", members=members):
            return _bag(members, path)
        case Node("list", members=members):
            deeper = enumerate(members)
            return {"L": [literal_value(each, f"{path}[{n}]", depth + 1) for n, each in deeper]}
        case Node("map", members=members):
            return {"M": _map(members, path, depth, parameters)}
        case Node("ion", place, name=text):
            kind = "INT" if text.strip("`").isdigit() else "SYMBOL"
            raise StatementError(
                f"Ion Literals are not supported: {kind} under key {path} at {place}"
            )
        case Node(kind, place):
            names = {"parameter": "Parameter", "missing": "MISSING", "subquery": "SELECT"}
            name = literal.name if kind == "call" else names.get(kind, kind)
            name = str(literal.path[0]) if literal.path else name
            raise StatementError(f"Unsupported data type: {name} under key {path} at {place}")


def _number(text: str, path: str, place: str) -> str:
    if text.startswith("-") and "." in text and not Decimal(text):
        raise StatementError(f"Negative zero decimal is not supported under key {path} at {place}")
    try:
        return canonical_number(text)
    except InvalidNumber as problem:
        raise StatementError(f"{problem} under {path}") from None


def _map(
    members: tuple[Node, ...], path: str, depth: int, parameters: list[AttributeValue] | None
) -> dict[str, AttributeValue]:
    values: dict[str, AttributeValue] = {}
    for key, value in zip(members[::2], members[1::2], strict=True):
        name = key.value.get("S")
        if name is None:
            kind = "INT" if key.kind == "value" else "VariableReference"
            raise StatementError(
                f"Tuple keys must be of type String. Actual type: {kind} under {path} "
                f"at {key.place}"
            )
        if not name:
            raise StatementError(EMPTY_COMPONENT)
        if name in values:
            raise StatementError(
                f"Duplicate keys in tuple. Key: {name} under {path} at {key.place}"
            )
        if depth:
            values[name] = literal_value(value, f"{path}.{name}", depth + 1)
        else:  # an attribute of an item, which is a root of its own
            values[name] = literal_value(value, path, 1, parameters)
    return values


def _bag(members: tuple[Node, ...], path: str) -> AttributeValue:
    """Return a set of strings or of numbers."""
    if not members:
        raise StatementError("Empty bags are not supported")
    texts: list[str] = []
    numbers: list[str] = []
    for member in members:
        match member:
            case Node("value", value={"S": text}):
                texts.append(text)
            case Node("value", place, value={"N": number}):
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
