"""Few names and few values, so that requests and items match often."""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

from hypothesis import strategies as st

from dynamodb_engine.values import AttributeValue, KeyType
from tests.differential.features import Feature

# The usual type of each attribute; sometimes it has another.
USUAL = {
    "a": "S",
    "b": "N",
    "c": "B",
    "status": "S",
    "f": "BOOL",
    "z": "NULL",
    "ss": "SS",
    "ns": "NS",
    "bs": "BS",
    "m": "M",
    "l": "L",
}
# The only reserved word here, usable only through a placeholder.
RESERVED = "status"
# Names inside maps.
INSIDE = ("x", "y", "status")
TYPES = ("S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "M", "L")

# Each in ascending order, which for strings is that of UTF-8, not UTF-16.
STRINGS = ("B", "a", "ab", "b", "z~", "é", "￿", "𝄞")
NUMBERS = ("-1.5", "-1", "0", "0.1", "1", "1.5", "2", "10", "100", "99999999999999999999")
BINARIES = ("AA==", "AAE=", "AQ==", "YQ==", "YWI=", "/w==")
ODD_NUMBERS = (
    "-0",
    "01",
    "1.0",
    "1e0",
    "1E1",
    "10e-1",
    "1.50",
    ".1",
    "0.10",
    "0e10",
    "100000000000000000000000000000000000000",
    "12345678901234567890123456789012345678",
    "-9.9999999999999999999999999999999999999e125",
    "1e125",
    "1e-130",
)

Features: TypeAlias = frozenset[Feature]

rarely = st.sampled_from((False, False, False, False, True))
often = st.sampled_from((True, True, True, False))


@cache
def key_values(kind: KeyType, features: Features) -> st.SearchStrategy[AttributeValue]:
    """Draw a key value."""
    return _scalars(kind, features, empty=False).map(lambda content: _value(kind, content))


@cache
def values(features: Features, *kinds: str) -> st.SearchStrategy[AttributeValue]:
    """Draw a value of one of the types, or of any type."""
    wanted = [kind for kind in (kinds or TYPES) if _allowed(kind, features)]
    return st.one_of([_of_type(kind, features, 2) for kind in wanted])


@cache
def usual_values(attribute: str, features: Features) -> st.SearchStrategy[AttributeValue]:
    """Draw a value of the attribute's usual type."""
    kind = USUAL.get(attribute, "S")
    return _of_type(kind if _allowed(kind, features) else "S", features, 2)


@cache
def attributes(features: Features) -> st.SearchStrategy[str]:
    """Draw the name of a non-key attribute."""
    return st.sampled_from([name for name, kind in USUAL.items() if _allowed(kind, features)])


@cache
def extra_attributes(features: Features) -> st.SearchStrategy[dict[str, AttributeValue]]:
    """Draw the non-key part of an item."""
    pairs = [
        st.tuples(st.just(name), any_values)
        for name, kind in USUAL.items()
        if _allowed(kind, features)
        for any_values in (
            usual_values(name, features),
            usual_values(name, features),
            values(features),
        )
    ]
    return st.lists(st.one_of(pairs), max_size=6).map(dict)


def _allowed(kind: str, features: Features) -> bool:
    if kind in ("SS", "NS", "BS"):
        return Feature.SETS in features
    return kind not in ("M", "L") or Feature.DOCUMENTS in features


@cache
def _of_type(kind: str, features: Features, depth: int) -> st.SearchStrategy[AttributeValue]:
    content: st.SearchStrategy[object]
    match kind:
        case "BOOL":
            content = st.booleans()
        case "NULL":
            content = st.just(True)
        case "SS" | "NS" | "BS":
            pool = _scalars(kind[0], features - {Feature.ODD_NUMBERS}, empty=True)
            content = st.lists(pool, min_size=1, max_size=3, unique=True)
        case "M":
            content = st.dictionaries(st.sampled_from(INSIDE), _inner(features, depth), max_size=3)
        case "L":
            content = st.lists(_inner(features, depth), max_size=3)
        case _:
            content = _scalars(kind, features, empty=True)
    return content.map(lambda content: _value(kind, content))


@cache
def _inner(features: Features, depth: int) -> st.SearchStrategy[AttributeValue]:
    kinds = [
        kind for kind in TYPES if _allowed(kind, features) and (depth or kind not in ("M", "L"))
    ]
    return st.one_of([_of_type(kind, features, depth - 1) for kind in kinds])


@cache
def _scalars(kind: str, features: Features, *, empty: bool) -> st.SearchStrategy[str]:
    pool = {"S": STRINGS, "N": NUMBERS, "B": BINARIES}[kind]
    if kind == "N" and Feature.ODD_NUMBERS in features:
        pool += ODD_NUMBERS
    if kind != "N" and empty and Feature.EMPTY_VALUES in features:
        pool = ("", *pool)
    return st.sampled_from(pool)


def _value(kind: str, content: object) -> AttributeValue:
    value: AttributeValue = {}
    value[kind] = content  # type: ignore[literal-required]
    return value
