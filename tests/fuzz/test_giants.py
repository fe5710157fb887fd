"""Requests that are larger than any other: the work they make grows as they do, and no faster."""

from __future__ import annotations

from copy import deepcopy

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.asking import ask
from tests.fuzz.corpus import REQUESTS
from tests.fuzz.mutations import pick
from tests.fuzz.tree import Place, Tree, is_list, is_map, places, written
from tests.fuzz.world import World

# Each takes its time, so there are few; whoever runs them for long gets larger ones.
FEW = settings(max_examples=max(20, settings().max_examples // 20))
TIMES = [300, 3000] if settings().derandomize else [300, 3000, 30_000]


def _numbered(value: Tree, number: int) -> Tree:
    """The value, with a number after the first text in it: one that differs from all others."""
    holder = {"": deepcopy(value)}
    for place in places(holder):
        if isinstance(place.value, str):
            place.value += str(number)
            break
    return holder[""]


@st.composite
def giants(draw: st.DrawFn) -> tuple[str, bytes]:
    """A valid request in which a list or a map has thousands of members more, alike or not."""
    request = pick(draw, REQUESTS)
    tree: Tree = {"": deepcopy(request.body)}
    found = [place for place in places(tree) if _is_filled(place)]
    if found:
        place, times = pick(draw, found), pick(draw, TIMES)
        if is_map(place.value):
            name, value = next(iter(place.value.items()))
            place.value |= {f"{name}{number}": value for number in range(times)}
        elif draw(st.booleans()):
            place.value += [_numbered(place.value[0], number) for number in range(times)]
        else:
            place.value += [place.value[0]] * times
    return request.target, written(tree[""])


def _is_filled(place: Place) -> bool:
    return bool((is_map(place.value) or is_list(place.value)) and place.value)


@FEW
@given(asked=giants())
def test_a_giant_is_answered(world: World, asked: tuple[str, bytes]) -> None:
    ask(world, *asked)
