"""Conditions and filters, without redundant parentheses."""

from __future__ import annotations

from dynamodb_engine.values import AttributeValue
from tests.differential.features import Feature
from tests.differential.strategies.universe import (
    BINARIES,
    NUMBERS,
    STRINGS,
    TYPES,
    USUAL,
    usual_values,
    values,
)
from tests.differential.strategies.writer import Writer

_COMPARATORS = ("=", "<>", "<", "<=", ">", ">=")
_NESTED = Feature.CONDITIONS_ON_PATHS
# Precedence: operands that bind less tightly get parentheses.
_LEAF, _NOT, _AND, _OR = range(4)
_LEAVES = (
    "compare",
    "compare",
    "compare",
    "between",
    "in",
    "attribute_exists",
    "attribute_not_exists",
    "attribute_type",
    "begins_with",
    "contains",
    "contains",
    "size",
)


def write_condition(writer: Writer) -> str:
    """Draw a condition of one to four leaves."""
    return _condition(writer, 2)[0]


def _condition(writer: Writer, depth: int) -> tuple[str, int]:
    shape = writer.pick(("leaf", "leaf", "not", "and", "or")) if depth else "leaf"
    if shape == "leaf":
        return _leaf(writer), _LEAF
    if shape == "not":
        return "NOT " + _part(writer, depth, _LEAF), _NOT
    looseness = _AND if shape == "and" else _OR
    left, right = (_part(writer, depth, looseness) for _ in range(2))
    return f"{left} {shape.upper()} {right}", looseness


def _part(writer: Writer, depth: int, loosest: int) -> str:
    text, looseness = _condition(writer, depth - 1)
    return f"({text})" if looseness > loosest or writer.chance() else text


def _leaf(writer: Writer) -> str:
    name = writer.attribute()
    path = writer.path(name, _NESTED)
    match shape := writer.pick(_LEAVES):
        case "compare":
            return _comparison(writer, name, path)
        case "between":
            low, high = draw_bounds(writer)
            return f"{path} BETWEEN {writer.value(low)} AND {writer.value(high)}"
        case "in":
            options = [writer.usual(name) for _ in range(writer.pick((1, 2, 3)))]
            return f"{path} IN ({', '.join(options)})"
        case "attribute_type":
            return f"attribute_type({path}, {writer.value({'S': writer.pick(TYPES)})})"
        case "begins_with":
            prefix = writer.value(writer.draw(values(writer.features, "S", "B")))
            return f"begins_with({path}, {prefix})"
        case "contains":
            kinds = () if writer.chance() else ("S", "N", "B")
            return f"contains({path}, {writer.value(writer.draw(values(writer.features, *kinds)))})"
        case "size":
            limit = writer.value({"N": writer.pick(("0", "1", "2", "3"))})
            return f"size({path}) {writer.pick(_COMPARATORS)} {limit}"
        case _:
            return f"{shape}({path})"


def _comparison(writer: Writer, name: str, path: str) -> str:
    sign = writer.pick(_COMPARATORS)
    if writer.chance():
        other = writer.attribute()
        if other != name:
            return f"{path} {sign} {writer.path(other, _NESTED)}"
    # Values without an order cannot be compared; that is rejected before items are read.
    comparable = sign in ("=", "<>") or USUAL[name] in ("S", "N", "B")
    value = writer.draw(
        usual_values(name, writer.features)
        if comparable
        else values(writer.features, "S", "N", "B")
    )
    alias = writer.value(value)
    return f"{alias} {sign} {path}" if writer.chance() else f"{path} {sign} {alias}"


def draw_bounds(writer: Writer) -> tuple[AttributeValue, AttributeValue]:
    """Draw two values of one type, the lower first."""
    kind, pool = writer.pick((("S", STRINGS), ("N", NUMBERS), ("B", BINARIES)))
    low, high = sorted(writer.pick(range(len(pool))) for _ in range(2))
    lower: AttributeValue = {}
    upper: AttributeValue = {}
    lower[kind], upper[kind] = pool[low], pool[high]  # type: ignore[literal-required]
    return lower, upper
