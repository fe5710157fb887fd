"""Mutations that break a valid request: each changes a tree at one location."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import TypeAlias, TypeVar

from hypothesis import strategies as st

from tools.testing.fuzz import samples
from tools.testing.fuzz.json_tree import Location, Tree, Verbatim, encode, is_list, is_map, walk
from tools.testing.fuzz.valid_requests import REQUESTS

Mutation: TypeAlias = Callable[[st.DrawFn, Tree, Location], None]

LOCATIONS = [location for request in REQUESTS for location in walk(request.body)]
# Names of members of any operation, and some that no operation has.
MEMBERS = sorted(
    {str(location.key) for location in LOCATIONS}
    | {"", "Unknown", "tableName", "\x00", "x" * 70_000}
)
_WORD = re.compile(r"[\w#:]+|\s+|[^\w\s]")


T = TypeVar("T")


def pick(draw: st.DrawFn, choices: Sequence[T]) -> T:
    """Draw one of the choices; unlike `sampled_from`, without iterating over all of them."""
    return choices[draw(st.integers(0, len(choices) - 1))]


def _draw_location(draw: st.DrawFn, tree: Tree) -> Location:
    return pick(draw, list(walk(tree)))


def _draw_foreign_location(draw: st.DrawFn) -> Location:
    """Draw a location in another request."""
    return pick(draw, LOCATIONS)


def drop(draw: st.DrawFn, tree: Tree, location: Location) -> None:
    """Remove a member."""
    del location.container[location.key]


def repeat(draw: st.DrawFn, tree: Tree, location: Location) -> None:
    """Repeat a member of a map with another value, or an element of a list many times."""
    if is_list(location.container):
        location.container.extend([deepcopy(location.value)] * pick(draw, samples.TIMES))
    else:
        other = encode(pick(draw, samples.VALUES)) + b"," + encode(location.key) + b":"
        location.value = Verbatim(other + encode(location.value))


def retype(draw: st.DrawFn, tree: Tree, location: Location) -> None:
    """Replace a value by one of another type."""
    kinds = (samples.JSON_NUMBERS, samples.TEXTS, samples.VALUES, samples.OTHERS)
    location.value = deepcopy(pick(draw, pick(draw, kinds)))


def swap(draw: st.DrawFn, tree: Tree, location: Location) -> None:
    """Swap two values."""
    other = _draw_location(draw, tree)
    location.value, other.value = deepcopy(other.value), deepcopy(location.value)


def borrow(draw: st.DrawFn, tree: Tree, location: Location) -> None:
    """Take a value from another request: a cursor, a key, an expression, a list of actions."""
    location.value = deepcopy(_draw_foreign_location(draw).value)


def borrow_same_member(draw: st.DrawFn, tree: Tree, location: Location) -> None:
    """Take a value from the same member of another request: another table's key or cursor."""
    others = [each for each in LOCATIONS if each.key == location.key]
    if others:
        location.value = deepcopy(pick(draw, others).value)


def add(draw: st.DrawFn, tree: Tree, location: Location) -> None:
    """Add a member that the operation does not have, or has only in another place."""
    other = _draw_foreign_location(draw)
    if is_list(location.container):
        location.container.append(deepcopy(other.value))
    elif draw(st.booleans()):
        location.container[str(other.key)] = deepcopy(other.value)
    else:
        location.container[pick(draw, MEMBERS)] = deepcopy(pick(draw, samples.VALUES))


def rename(draw: st.DrawFn, tree: Tree, location: Location) -> None:
    """Rename a member: a misspelled parameter, placeholder or attribute."""
    if is_map(location.container):
        names = (
            MEMBERS,
            samples.TOKENS,
            samples.ATTRIBUTES,
            samples.TABLES,
            samples.ARNS,
            samples.TEXTS,
        )
        location.container[pick(draw, pick(draw, names))] = location.container.pop(location.key)


def deepen(draw: st.DrawFn, tree: Tree, location: Location) -> None:
    """Nest a value deeply."""
    opening, closing = pick(
        draw,
        [
            (b'{"L":[', b"]}"),
            (b'{"M":{"a":', b"}}"),
            (b"[", b"]"),
            (b'{"a":', b"}"),
            (b'{"L":[{"BOOL":"true"},', b"]}"),
        ],
    )
    is_far = draw(st.integers(0, 9)) == 0
    depth = pick(draw, samples.FAR_DEEPER if is_far else samples.DEPTHS)
    is_unclosed = draw(st.integers(0, 9)) == 0
    text = opening * depth + encode(location.value) + (b"" if is_unclosed else closing * depth)
    location.value = Verbatim(text)


def reword(draw: st.DrawFn, tree: Tree, location: Location) -> None:
    """Replace a word: a table, an index, an attribute, an enum value, an ARN, a number."""
    kinds = (
        samples.TABLES,
        samples.INDEXES,
        samples.ATTRIBUTES,
        samples.ARNS,
        samples.ENUMERATIONS,
        samples.NUMBERS,
        samples.TEXTS,
    )
    location.value = pick(draw, pick(draw, kinds))


def revalue(draw: st.DrawFn, tree: Tree, location: Location) -> None:
    """Replace an attribute value, perhaps by something that is not one."""
    location.value = deepcopy(pick(draw, samples.VALUES))


def renumber(draw: st.DrawFn, tree: Tree, location: Location) -> None:
    """Replace a number by one that is negative, huge, or written unusually."""
    location.value = pick(draw, samples.JSON_NUMBERS)


def rephrase(draw: st.DrawFn, tree: Tree, location: Location) -> None:
    """Remove, repeat, replace or add tokens of an expression, or add parentheses."""
    tokens: list[str] = _WORD.findall(location.value)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(tokens)))
        match draw(st.integers(0, 5)):
            case 0:
                del tokens[at : at + 1]
            case 1:
                tokens[at:at] = tokens[at : at + 1] * draw(st.integers(1, 40))
            case 2:
                tokens[at:at] = tokens[: draw(st.integers(0, len(tokens)))]
            case 3:
                tokens[at : at + 1] = [pick(draw, samples.TOKENS)]
            case 4:
                tokens[at:at] = [" ", pick(draw, samples.TOKENS), " "]
            case _:
                times = pick(draw, [1, 2, 99, 100, 101, 300, 1000, 4096])
                tokens = [*tokens[:at], "(" * times, *tokens[at:], ")" * times]
    location.value = "".join(tokens)


# Mutations after which a request can seldom be parsed.
ROUGH_MUTATIONS: list[Mutation] = [
    drop,
    repeat,
    retype,
    swap,
    borrow,
    add,
    rename,
    deepen,
    reword,
    revalue,
]


def gentle_mutations(location: Location) -> list[Mutation]:
    """Return mutations after which a request can mostly be parsed, so that it gets further."""
    value = location.value
    if isinstance(value, bool | int):
        return [borrow_same_member, renumber, renumber, renumber, drop]
    if isinstance(value, str) and str(location.key).endswith("Expression"):
        return [borrow_same_member, rephrase, rephrase, rephrase, rephrase]
    if isinstance(value, str):
        return [borrow_same_member, reword, reword, reword]
    if is_map(value) and len(value) == 1:
        return [borrow_same_member, revalue, revalue, rename, deepen]
    return [borrow_same_member, borrow_same_member, drop, add, rename, repeat]
