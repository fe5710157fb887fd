"""Requests with one mistake, as a person might make it.

Each mistake names the parameter that a request must have for it; the table at the end has them all.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from hypothesis import strategies as st
from msgspec.structs import asdict, replace

from dynamodb_engine.operations import (
    AttributeValueUpdate,
    Condition,
    ExpectedAttributeValue,
    Operation,
)
from dynamodb_engine.values import AttributeValue, Item
from tests.differential.peer import Json, as_list
from tests.differential.strategies.tables import NAME, Table, draw_key
from tests.differential.strategies.universe import Features, values

_EXPRESSIONS = (
    "condition_expression",
    "filter_expression",
    "key_condition_expression",
    "update_expression",
    "projection_expression",
)
_NAMES = "expression_attribute_names"
_VALUES = "expression_attribute_values"
_TOKEN = re.compile(r"\s*([#:]?\w+|<>|<=|>=|.)")


@dataclass(frozen=True)
class Attempt:
    """A valid request, and what is needed to break it."""

    draw: st.DrawFn
    request: Any
    given: Json
    table: Table
    features: Features

    def pick(self, choices: Any) -> Any:
        """Draw one of them."""
        return self.draw(st.sampled_from(list(choices)))

    def value(self) -> AttributeValue:
        """Draw any value."""
        return self.draw(values(self.features))


Change: TypeAlias = Json
Mistake: TypeAlias = Callable[[Attempt], Change]


@st.composite
def mistaken(
    draw: st.DrawFn, requests: st.SearchStrategy[Any], table: Table, features: Features
) -> Operation[Any]:
    """Draw one of the requests with one mistake in it."""
    request = draw(requests)
    given = asdict(request)
    fitting = [make for needed, make in MISTAKES if needed in given and _fits(needed, given)]
    make = draw(st.sampled_from(fitting))
    return cast(
        "Operation[Any]", replace(request, **make(Attempt(draw, request, given, table, features)))
    )


def _fits(needed: str, given: Json) -> bool:
    return needed in _ALWAYS or bool(given[needed])


def _garble(attempt: Attempt) -> Change:
    name = attempt.pick(name for name in _EXPRESSIONS if attempt.given.get(name))
    return {name: _garbled(attempt.draw, attempt.given[name])}


def _empty_expression(attempt: Attempt) -> Change:
    return {attempt.pick(name for name in _EXPRESSIONS if attempt.given.get(name)): ""}


def _unused(member: str, alias: str, meaning: object) -> Mistake:
    return lambda attempt: {member: {**attempt.given[member], alias: meaning}}


def _undefined(member: str) -> Mistake:
    def make(attempt: Attempt) -> Change:
        left_out = attempt.pick(attempt.given[member])
        rest = {a: meaning for a, meaning in attempt.given[member].items() if a != left_out}
        return {member: rest or None}

    return make


def _other_value(attempt: Attempt) -> Change:
    known = attempt.given[_VALUES]
    return {_VALUES: {**known, attempt.pick(known): attempt.value()}}


def _bad_alias(attempt: Attempt) -> Change:
    return {_VALUES: {**attempt.given[_VALUES], attempt.pick(("v", ":", ":-")): {"S": "a"}}}


def _wrong_key(attempt: Attempt) -> Change:
    return {"key": _spoilt_key(attempt, attempt.given["key"])}


def _wrong_item(attempt: Attempt) -> Change:
    item: Item = attempt.given["item"]
    name = attempt.pick(name for name in attempt.table.types if name in item)
    changed: Item = {}
    match attempt.pick(("missing", "type", "type", "empty", "number", "set")):
        case "missing":
            return {"item": {other: value for other, value in item.items() if other != name}}
        case "type":
            changed = {name: attempt.value()}
        case "empty":
            changed = {name: _emptied(item[name])}
        case "number":
            changed = {"b": {"N": attempt.pick(_NO_NUMBERS)}}
        case _:
            changed = {"ss": attempt.pick(_NO_SETS)}
    return {"item": item | changed}


def _key_in_update(attempt: Attempt) -> Change:
    name = attempt.pick(attempt.table.types)
    text = attempt.pick((f"SET {name} = :k", f"REMOVE {name}", f"REMOVE {name}.x"))
    values = {":k": attempt.value()} if ":k" in text else None
    return {
        "update_expression": text,
        "condition_expression": None,
        "expression_attribute_names": None,
        "expression_attribute_values": values,
    }


def _start_key(attempt: Attempt) -> Change:
    names = dict.fromkeys(attempt.table.keys.names)
    index = next(
        (one for one in attempt.table.indexes if one.name == attempt.given["index_name"]), None
    )
    start = draw_key(attempt.draw, attempt.table)
    for name in () if index is None else index.keys.names:
        if name not in names:
            start[name] = attempt.pick(attempt.table.pools[name])
    change: Change = {"exclusive_start_key": _spoilt_key(attempt, start)}
    # The segment of a key depends on a hash.
    return change | (
        {"segment": None, "total_segments": None} if "segment" in attempt.given else {}
    )


def _segment(attempt: Attempt) -> Change:
    segment, total = attempt.pick(
        ((0, None), (3, None), (None, 3), (3, 3), (4, 2), (-1, 2), (0, 0))
    )
    return {"segment": segment, "total_segments": total}


def _return_values(attempt: Attempt) -> Change:
    return {"return_values": attempt.pick(("ALL_NEW", "UPDATED_NEW", "UPDATED_OLD"))}


def _expected(attempt: Attempt) -> Change:
    attribute, value = attempt.pick(attempt.given["expected"]), attempt.value()
    wrong = attempt.pick(
        (
            ExpectedAttributeValue(),
            ExpectedAttributeValue(exists=True),
            ExpectedAttributeValue(exists=False, value=value),
            ExpectedAttributeValue(attribute_value_list=[value]),
            ExpectedAttributeValue(value=value, attribute_value_list=[value]),
            ExpectedAttributeValue(exists=True, comparison_operator="EQ", value=value),
            ExpectedAttributeValue(comparison_operator="EQ"),
            ExpectedAttributeValue(
                comparison_operator=attempt.pick(_OPERATORS),
                attribute_value_list=_several(attempt),
            ),
        )
    )
    return {"expected": {**attempt.given["expected"], attribute: wrong}}


def _filter(name: str) -> Mistake:
    def make(attempt: Attempt) -> Change:
        attribute = attempt.pick(attempt.given[name])
        wrong = Condition(attempt.pick(_OPERATORS), _several(attempt))
        return {name: {**attempt.given[name], attribute: wrong}}

    return make


def _legacy_update(attempt: Attempt) -> Change:
    attribute = attempt.pick((*attempt.given["attribute_updates"], *attempt.table.types))
    value = attempt.pick((None, attempt.value()))
    wrong = AttributeValueUpdate(value, attempt.pick((None, "PUT", "ADD", "DELETE")))
    return {"attribute_updates": {**attempt.given["attribute_updates"], attribute: wrong}}


def _twice(attempt: Attempt) -> Change:
    names = attempt.given["attributes_to_get"]
    return {"attributes_to_get": [*names, attempt.pick(names)]}


def _both_ways(attempt: Attempt) -> Change:
    fitting = [name for name in _EXPRESSIONS if name in attempt.given]
    return {attempt.pick(fitting): attempt.pick(("a", "attribute_exists(a)", ""))}


def _in_batch(attempt: Attempt) -> Change:
    asked = attempt.given["request_items"][NAME]
    writes = as_list(asked)
    if writes is None:
        place = attempt.pick(range(len(asked.keys)))
        spoilt = list(asked.keys)
        spoilt[place] = _spoilt_key(attempt, spoilt[place])
        return {"request_items": {NAME: replace(asked, keys=spoilt)}}
    place = attempt.pick(range(len(writes)))
    if (put := writes[place].put_request) is not None:
        inner = Attempt(attempt.draw, put, asdict(put), attempt.table, attempt.features)
        changed = replace(writes[place], put_request=replace(put, **_wrong_item(inner)))
    else:
        removed = writes[place].delete_request
        changed = replace(
            writes[place],
            delete_request=replace(removed, key=_spoilt_key(attempt, removed.key)),
        )
    return {"request_items": {NAME: [*writes[:place], changed, *writes[place + 1 :]]}}


def _change(**changed: Any) -> Mistake:
    return lambda attempt: changed


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
    # Names stay attached to their path, so that `a.b` stays one path.
    return re.sub(r" ?([.\[\]]) ?", r"\1", " ".join(tokens))


_tokens = st.sampled_from(
    [
        *("AND", "OR", "NOT", "(", ")", ",", "=", "<>", ".", "[0]", "a", "status", "+", "!", "_a"),
        *("size", "begins_with", "contains", "Contains", "attribute_exists", "if_not_exists"),
        *("list_append", "SET", "REMOVE", "ADD", "#nobody", ":nobody", "0"),
    ]
)


def _spoilt_key(attempt: Attempt, key: Item) -> Item:
    name = attempt.pick(key)
    match attempt.pick(("missing", "more", "type", "empty", "another")):
        case "missing":
            return {other: value for other, value in key.items() if other != name}
        case "more":
            return {**key, "a": {"S": "more"}}
        case "empty":
            return {**key, name: _emptied(key[name])}
        case "another":
            return key
        case _:
            return {**key, name: attempt.value()}


def _several(attempt: Attempt) -> list[AttributeValue] | None:
    number = attempt.pick((None, 0, 1, 1, 2, 2, 3))
    return None if number is None else [attempt.value() for _ in range(number)]


def _emptied(value: AttributeValue) -> AttributeValue:
    return {"B": ""} if "B" in value else {"S": ""}


_OPERATORS = [
    *("EQ", "NE", "IN", "LE", "LT", "GE", "GT", "BETWEEN", "NOT_NULL", "NULL"),
    *("CONTAINS", "NOT_CONTAINS", "BEGINS_WITH"),
]
_NO_NUMBERS = ("", "one", "1e126", "-1e126", "1e-131", "123456789" * 4 + "012", "0x1")
_NO_SETS: list[AttributeValue] = [
    {"SS": []},
    {"NS": []},
    {"BS": []},
    {"SS": ["a", "b", "a"]},
    {"NS": ["1", "2", "1.0"]},
    {"BS": ["AA==", "AQ==", "AA=="]},
    {"NS": ["1", "one"]},
    {"NULL": False},
]
# Parameters that a request may lack when the mistake is made.
_ALWAYS = frozenset(
    {"table_name", "index_name", "limit", "return_values", "exclusive_start_key", "segment"}
)
# The parameter that a mistake concerns, and how it is made; frequent mistakes are listed twice.
MISTAKES: list[tuple[str, Mistake]] = [
    ("table_name", _change(table_name=f"not-{NAME}")),
    *((name, _garble) for name in _EXPRESSIONS),
    *((name, _empty_expression) for name in _EXPRESSIONS),
    (_NAMES, _unused(_NAMES, "#unused", "a")),
    (_NAMES, _undefined(_NAMES)),
    (_VALUES, _unused(_VALUES, ":unused", {"S": "a"})),
    (_VALUES, _undefined(_VALUES)),
    (_VALUES, _other_value),
    (_VALUES, _other_value),
    (_VALUES, _bad_alias),
    ("key", _wrong_key),
    ("key", _wrong_key),
    ("item", _wrong_item),
    ("item", _wrong_item),
    ("update_expression", _key_in_update),
    ("index_name", _change(index_name="nowhere")),
    ("limit", _change(limit=0)),
    ("exclusive_start_key", _start_key),
    ("exclusive_start_key", _start_key),
    ("segment", _segment),
    ("return_values", _return_values),
    ("expected", _expected),
    ("expected", _expected),
    ("expected", _both_ways),
    ("scan_filter", _filter("scan_filter")),
    ("scan_filter", _filter("scan_filter")),
    ("scan_filter", _both_ways),
    ("query_filter", _filter("query_filter")),
    ("query_filter", _both_ways),
    ("key_conditions", _filter("key_conditions")),
    ("key_conditions", _filter("key_conditions")),
    ("attribute_updates", _legacy_update),
    ("attribute_updates", _legacy_update),
    ("attribute_updates", _both_ways),
    ("attributes_to_get", _twice),
    ("attributes_to_get", _both_ways),
    ("request_items", _in_batch),
]
