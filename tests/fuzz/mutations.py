"""The ways in which a valid request is broken, each a function that changes a tree in one place."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import TypeAlias, TypeVar

from hypothesis import strategies as st

from tests.fuzz import words
from tests.fuzz.corpus import REQUESTS
from tests.fuzz.tree import Place, Tree, Verbatim, is_list, is_map, places, written

Mutation: TypeAlias = Callable[[st.DrawFn, Tree, Place], None]

EVERYWHERE = [place for request in REQUESTS for place in places(request.body)]
# Names of members, of any operation, and some that none has.
MEMBERS = sorted(
    {str(place.at) for place in EVERYWHERE} | {"", "Unknown", "tableName", "\x00", "x" * 70_000}
)
_WORD = re.compile(r"[\w#:]+|\s+|[^\w\s]")


T = TypeVar("T")


def pick(draw: st.DrawFn, choices: Sequence[T]) -> T:
    """One of the choices; unlike `sampled_from`, it does not look at them all each time."""
    return choices[draw(st.integers(0, len(choices) - 1))]


def _elsewhere(draw: st.DrawFn, tree: Tree) -> Place:
    return pick(draw, list(places(tree)))


def _borrowed(draw: st.DrawFn) -> Place:
    """A place in another request."""
    return pick(draw, EVERYWHERE)


def drop(draw: st.DrawFn, tree: Tree, place: Place) -> None:
    """A member is missing."""
    del place.holder[place.at]


def twice(draw: st.DrawFn, tree: Tree, place: Place) -> None:
    """A member of a map is there twice, and not the same; one of a list many times."""
    if is_list(place.holder):
        place.holder.extend([deepcopy(place.value)] * pick(draw, words.TIMES))
    else:
        other = written(pick(draw, words.VALUES)) + b"," + written(place.at) + b":"
        place.value = Verbatim(other + written(place.value))


def retype(draw: st.DrawFn, tree: Tree, place: Place) -> None:
    """A value is of another type."""
    kinds = (words.JSON_NUMBERS, words.TEXTS, words.VALUES, words.OTHERS)
    place.value = deepcopy(pick(draw, pick(draw, kinds)))


def swap(draw: st.DrawFn, tree: Tree, place: Place) -> None:
    """Two values have changed places."""
    other = _elsewhere(draw, tree)
    place.value, other.value = deepcopy(other.value), deepcopy(place.value)


def borrow(draw: st.DrawFn, tree: Tree, place: Place) -> None:
    """A value comes from another request: a cursor, a key, an expression, a list of actions."""
    place.value = deepcopy(_borrowed(draw).value)


def alike(draw: st.DrawFn, tree: Tree, place: Place) -> None:
    """A value comes from the same member of another request: another table's key, or cursor."""
    found = [each for each in EVERYWHERE if each.at == place.at]
    if found:
        place.value = deepcopy(pick(draw, found).value)


def add(draw: st.DrawFn, tree: Tree, place: Place) -> None:
    """A member more: one that the operation does not have, or one that it has and should not."""
    other = _borrowed(draw)
    if is_list(place.holder):
        place.holder.append(deepcopy(other.value))
    elif draw(st.booleans()):
        place.holder[str(other.at)] = deepcopy(other.value)
    else:
        place.holder[pick(draw, MEMBERS)] = deepcopy(pick(draw, words.VALUES))


def rename(draw: st.DrawFn, tree: Tree, place: Place) -> None:
    """A member has another name: a misspelt parameter, placeholder or attribute."""
    if is_map(place.holder):
        names = (MEMBERS, words.TOKENS, words.ATTRIBUTES, words.TABLES, words.ARNS, words.TEXTS)
        place.holder[pick(draw, pick(draw, names))] = place.holder.pop(place.at)


def deepen(draw: st.DrawFn, tree: Tree, place: Place) -> None:
    """A value has many others around it."""
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
    far = draw(st.integers(0, 9)) == 0
    depth = pick(draw, words.FAR_DEEPER if far else words.DEPTHS)
    unclosed = draw(st.integers(0, 9)) == 0
    text = opening * depth + written(place.value) + (b"" if unclosed else closing * depth)
    place.value = Verbatim(text)


def reword(draw: st.DrawFn, tree: Tree, place: Place) -> None:
    """A name or a word is another: a table, an index, an attribute, a choice, an ARN, a number."""
    kinds = (
        words.TABLES,
        words.INDEXES,
        words.ATTRIBUTES,
        words.ARNS,
        words.ENUMERATIONS,
        words.NUMBERS,
        words.TEXTS,
    )
    place.value = pick(draw, pick(draw, kinds))


def revalue(draw: st.DrawFn, tree: Tree, place: Place) -> None:
    """An attribute value is another, or none."""
    place.value = deepcopy(pick(draw, words.VALUES))


def renumber(draw: st.DrawFn, tree: Tree, place: Place) -> None:
    """A number is negative, enormous, or written in a way of its own."""
    place.value = pick(draw, words.JSON_NUMBERS)


def rephrase(draw: st.DrawFn, tree: Tree, place: Place) -> None:
    """The words of an expression are dropped, doubled, exchanged, added or put in parentheses."""
    said: list[str] = _WORD.findall(place.value)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(said)))
        match draw(st.integers(0, 5)):
            case 0:
                del said[at : at + 1]
            case 1:
                said[at:at] = said[at : at + 1] * draw(st.integers(1, 40))
            case 2:
                said[at:at] = said[: draw(st.integers(0, len(said)))]
            case 3:
                said[at : at + 1] = [pick(draw, words.TOKENS)]
            case 4:
                said[at:at] = [" ", pick(draw, words.TOKENS), " "]
            case _:
                times = pick(draw, [1, 2, 99, 100, 101, 300, 1000, 4096])
                said = [*said[:at], "(" * times, *said[at:], ")" * times]
    place.value = "".join(said)


# What seldom leaves a request of its shape.
ROUGH: list[Mutation] = [drop, twice, retype, swap, borrow, add, rename, deepen, reword, revalue]


def gentle_at(place: Place) -> list[Mutation]:
    """What mostly leaves the request of its shape, so that it comes further before its refusal."""
    value = place.value
    if isinstance(value, bool | int):
        return [alike, renumber, renumber, renumber, drop]
    if isinstance(value, str) and str(place.at).endswith("Expression"):
        return [alike, rephrase, rephrase, rephrase, rephrase]
    if isinstance(value, str):
        return [alike, reword, reword, reword]
    if is_map(value) and len(value) == 1:
        return [alike, revalue, revalue, rename, deepen]
    return [alike, alike, drop, add, rename, twice]
