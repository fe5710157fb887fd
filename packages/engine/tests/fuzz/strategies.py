"""Strategies for malformed requests: mutated valid ones, any JSON, and any bytes."""

from __future__ import annotations

from copy import deepcopy

from hypothesis import strategies as st

from dynamodb_engine.wire import TARGETS
from tools.testing.fuzz import samples
from tools.testing.fuzz.json_tree import Tree, encode, walk
from tools.testing.fuzz.mutations import MEMBERS, ROUGH_MUTATIONS, gentle_mutations, pick
from tools.testing.fuzz.valid_requests import REQUESTS

targets = st.sampled_from(sorted(TARGETS))


@st.composite
def malformed(draw: st.DrawFn) -> tuple[str, bytes]:
    """Draw a target and the body of a valid request with a few mutations."""
    request = pick(draw, REQUESTS)
    # The body itself is a location too.
    tree: Tree = {"": deepcopy(request.body)}
    for _ in range(draw(st.integers(1, 4))):
        locations = list(walk(tree))
        if locations:
            location = pick(draw, locations)
            choices = (
                ROUGH_MUTATIONS if draw(st.integers(0, 5)) == 0 else gentle_mutations(location)
            )
            pick(draw, choices)(draw, tree, location)
    body = b"".join(map(encode, tree.values()))
    target = draw(targets) if draw(st.integers(0, 19)) == 0 else request.target
    return target, draw(mangled(body)) if draw(st.integers(0, 9)) == 0 else body


@st.composite
def mangled(draw: st.DrawFn, text: bytes) -> bytes:
    """Draw the text with pieces removed, repeated or inserted."""
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
    st.sampled_from([*samples.JSON_NUMBERS, *samples.TEXTS]),
    st.sampled_from([*samples.NUMBERS, *samples.TABLES, *samples.ARNS, *samples.ENUMERATIONS]),
)
any_json: st.SearchStrategy[Tree] = st.recursive(
    _leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(MEMBERS) | st.sampled_from(samples.ATTRIBUTES) | st.text(max_size=3),
            inner,
            max_size=5,
        ),
    ),
    max_leaves=25,
).map(encode)
any_bytes = st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode())
