"""Giant requests: the work grows linearly with their size."""

from __future__ import annotations

from copy import deepcopy

from hypothesis import given, settings
from hypothesis import strategies as st

from tools.testing.fuzz.json_tree import Location, Tree, encode, is_list, is_map, walk
from tools.testing.fuzz.mutations import pick
from tools.testing.fuzz.sandbox import Sandbox, send
from tools.testing.fuzz.valid_requests import REQUESTS

# Each is slow, so there are few; long runs have larger ones.
FEW = settings(max_examples=max(20, settings().max_examples // 20))
TIMES = [300, 3000] if settings().derandomize else [300, 3000, 30_000]


def _append_number(value: Tree, number: int) -> Tree:
    """Return the value with a number appended to its first text, which makes it unique."""
    wrapper = {"": deepcopy(value)}
    for location in walk(wrapper):
        if isinstance(location.value, str):
            location.value += str(number)
            break
    return wrapper[""]


@st.composite
def giants(draw: st.DrawFn) -> tuple[str, bytes]:
    """Draw a valid request with thousands of additional members in a list or map."""
    request = pick(draw, REQUESTS)
    tree: Tree = {"": deepcopy(request.body)}
    locations = [location for location in walk(tree) if _is_filled(location)]
    if locations:
        location, times = pick(draw, locations), pick(draw, TIMES)
        if is_map(location.value):
            name, value = next(iter(location.value.items()))
            location.value |= {f"{name}{number}": value for number in range(times)}
        elif draw(st.booleans()):
            location.value += [_append_number(location.value[0], number) for number in range(times)]
        else:
            location.value += [location.value[0]] * times
    return request.target, encode(tree[""])


def _is_filled(location: Location) -> bool:
    return bool((is_map(location.value) or is_list(location.value)) and location.value)


@FEW
@given(request_=giants())
def test_giant_request_is_answered(sandbox: Sandbox, request_: tuple[str, bytes]) -> None:
    send(sandbox, *request_)
