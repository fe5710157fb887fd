"""Malformed requests: valid ones that were broken, and what was never a request."""

from __future__ import annotations

from copy import deepcopy

from hypothesis import strategies as st

from singletable.wire import TARGETS
from tests.fuzz import words
from tests.fuzz.corpus import REQUESTS
from tests.fuzz.mutations import MEMBERS, ROUGH, gentle_at, pick
from tests.fuzz.tree import Tree, places, written

targets = st.sampled_from(sorted(TARGETS))


@st.composite
def malformed(draw: st.DrawFn) -> tuple[str, bytes]:
    """A target and the body of a valid request that was broken in a few places."""
    request = pick(draw, REQUESTS)
    # The body itself is a place too.
    tree: Tree = {"": deepcopy(request.body)}
    for _ in range(draw(st.integers(1, 4))):
        found = list(places(tree))
        if found:
            place = pick(draw, found)
            choices = ROUGH if draw(st.integers(0, 5)) == 0 else gentle_at(place)
            pick(draw, choices)(draw, tree, place)
    body = b"".join(map(written, tree.values()))
    target = draw(targets) if draw(st.integers(0, 19)) == 0 else request.target
    return target, draw(mangled(body)) if draw(st.integers(0, 9)) == 0 else body


@st.composite
def mangled(draw: st.DrawFn, text: bytes) -> bytes:
    """The text with a piece cut, doubled or put in."""
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        to = draw(st.integers(at, min(len(text), at + 40)))
        piece = draw(
            st.one_of(
                st.binary(max_size=4),
                st.just(text[at:to] * draw(st.integers(2, 5))),
                st.sampled_from(
                    [b"", b"{", b"}", b"[", b"]", b'"', b"\\", b",", b":", b"\xef\xbb\xbf"]
                ),
            )
        )
        text = text[:at] + piece + text[to:]
    return text


_leaves: st.SearchStrategy[Tree] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from([*words.JSON_NUMBERS, *words.TEXTS]),
    st.sampled_from([*words.NUMBERS, *words.TABLES, *words.ARNS, *words.ENUMERATIONS]),
)
any_json: st.SearchStrategy[Tree] = st.recursive(
    _leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(MEMBERS) | st.sampled_from(words.ATTRIBUTES) | st.text(max_size=3),
            inner,
            max_size=5,
        ),
    ),
    max_leaves=25,
).map(written)
any_bytes = st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode())
