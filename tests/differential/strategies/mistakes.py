"""Slight mistakes: a request as somebody might send it who was almost right."""

from __future__ import annotations

import re
from typing import Any, cast

from hypothesis import strategies as st
from msgspec.structs import asdict, replace

from singletable.operations import Operation
from singletable.values import AttributeValue, Item
from tests.differential.strategies.tables import NAME, Table
from tests.differential.strategies.universe import Features, values

_EXPRESSIONS = (
    "condition_expression",
    "filter_expression",
    "key_condition_expression",
    "update_expression",
    "projection_expression",
)
_TOKEN = re.compile(r"\s*([#:]?\w+|<>|<=|>=|.)")


@st.composite
def mistaken(
    draw: st.DrawFn, requests: st.SearchStrategy[Any], table: Table, features: Features
) -> Operation[Any]:
    """One of the requests with one mistake in it."""
    request = draw(requests)
    given = asdict(request)
    texts = [name for name in _EXPRESSIONS if given.get(name)]
    kinds: list[str] = ["table"]
    if texts:
        kinds += ["token", "token", "token", "unused name", "unused value", "empty"]
    if given.get("expression_attribute_names"):
        kinds += ["undefined name", "undefined name"]
    if given.get("expression_attribute_values"):
        kinds += ["undefined value", "undefined value", "other value", "other value", "bad key"]
    if "key" in given:
        kinds += ["key", "key", "key"]
    if "item" in given:
        kinds += ["item", "item", "item"]
    if "index_name" in given:
        kinds += ["index"]
    if "limit" in given:
        kinds += ["limit"]
    match draw(st.sampled_from(kinds)):
        case "token":
            name = draw(st.sampled_from(texts))
            return replace(request, **{name: _garbled(draw, given[name])})
        case "empty":
            return replace(request, **{draw(st.sampled_from(texts)): ""})
        case "unused name":
            known: dict[str, Any] = given["expression_attribute_names"] or {}
            return replace(request, expression_attribute_names=known | {"#unused": "a"})
        case "unused value":
            if "expression_attribute_values" not in given:
                return cast(Operation[Any], request)
            told: dict[str, Any] = given["expression_attribute_values"] or {}
            return replace(request, expression_attribute_values=told | {":unused": {"S": "a"}})
        case "undefined name":
            names = _without_one(draw, given["expression_attribute_names"])
            return replace(request, expression_attribute_names=names or None)
        case "undefined value":
            fewer = _without_one(draw, given["expression_attribute_values"])
            return replace(request, expression_attribute_values=fewer or None)
        case "other value":
            changed = dict(given["expression_attribute_values"])
            changed[draw(st.sampled_from(list(changed)))] = draw(values(features))
            return replace(request, expression_attribute_values=changed)
        case "bad key":
            more = given["expression_attribute_values"] | {"v": {"S": "a"}}
            return replace(request, expression_attribute_values=more)
        case "key":
            return replace(request, key=_wrong_key(draw, given["key"], features))
        case "item":
            return replace(request, item=_wrong_item(draw, given["item"], table, features))
        case "index":
            return replace(request, index_name="nowhere")
        case "limit":
            return replace(request, limit=0)
        case _:
            return replace(request, table_name=f"not-{NAME}")


def _garbled(draw: st.DrawFn, text: str) -> str:
    tokens = _TOKEN.findall(text)
    place = draw(st.integers(0, len(tokens) - 1))
    match draw(st.sampled_from(("drop", "double", "insert", "replace", "surround"))):
        case "drop":
            del tokens[place]
        case "double":
            tokens.insert(place, tokens[place])
        case "insert":
            tokens.insert(place, draw(_tokens))
        case "replace":
            tokens[place] = draw(_tokens)
        case _:
            return f"(({text}))"
    # Names are joined to what they belong to, so that `a.b` stays one path.
    return re.sub(r" ?([.\[\]]) ?", r"\1", " ".join(tokens))


_tokens = st.sampled_from(
    (
        "AND",
        "OR",
        "NOT",
        "(",
        ")",
        ",",
        "=",
        "<>",
        ".",
        "[0]",
        "a",
        "status",
        "size",
        "begins_with",
        "contains",
        "Contains",
        "attribute_exists",
        "if_not_exists",
        "list_append",
        "SET",
        "REMOVE",
        "ADD",
        "+",
        "#nobody",
        ":nobody",
        "!",
        "_a",
        "0",
    )
)


def _without_one(draw: st.DrawFn, aliases: dict[str, Any]) -> dict[str, Any]:
    left_out = draw(st.sampled_from(list(aliases)))
    return {alias: meant for alias, meant in aliases.items() if alias != left_out}


def _wrong_key(draw: st.DrawFn, key: Item, features: Features) -> Item:
    name = draw(st.sampled_from(list(key)))
    match draw(st.sampled_from(("missing", "more", "type", "empty"))):
        case "missing":
            return {other: value for other, value in key.items() if other != name}
        case "more":
            return {**key, "a": {"S": "more"}}
        case "empty":
            return key | {name: _emptied(key[name])}
        case _:
            return key | {name: draw(values(features))}


def _wrong_item(draw: st.DrawFn, item: Item, table: Table, features: Features) -> Item:
    name = draw(st.sampled_from([name for name in table.types if name in item]))
    match draw(st.sampled_from(("missing", "type", "type", "empty", "number", "set"))):
        case "missing":
            return {other: value for other, value in item.items() if other != name}
        case "type":
            return item | {name: draw(values(features))}
        case "empty":
            return item | {name: _emptied(item[name])}
        case "number":
            return {**item, "b": {"N": draw(_not_numbers)}}
        case _:
            return item | {"ss": draw(_not_sets)}


_not_numbers = st.sampled_from(
    ("", "one", "1e126", "-1e126", "1e-131", "123456789012345678901234567890123456789", "0x1")
)
_no_members: list[AttributeValue] = [
    {"SS": []},
    {"NS": []},
    {"BS": []},
    {"SS": ["a", "b", "a"]},
    {"NS": ["1", "2", "1.0"]},
    {"BS": ["AA==", "AQ==", "AA=="]},
    {"NS": ["1", "one"]},
    {"NULL": False},
]
_not_sets = st.sampled_from(_no_members)


def _emptied(value: AttributeValue) -> AttributeValue:
    return {"B": ""} if "B" in value else {"S": ""}
