"""A value has one form in bytes, and a digest one purpose."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.elections.proofs import NotCanonical, canonical_json, digest

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(1 - 2**53, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ({"b": [1, None], "a": True}, b'{"a":true,"b":[1,null]}'),
        ("Zoë\n\u2028", '"Zoë\\n\u2028"'.encode()),
        ((("Ada",), ()), b'[["Ada"],[]]'),
        ({}, b"{}"),
        (-(2**53 - 1), b"-9007199254740991"),
    ],
)
def test_the_form_is_short_sorted_json(value: object, form: bytes) -> None:
    assert canonical_json(value) == form


@given(VALUES)
def test_the_form_holds_the_whole_value(value: object) -> None:
    assert json.loads(canonical_json(value)) == value
    assert canonical_json(json.loads(canonical_json(value))) == canonical_json(value)


@pytest.mark.parametrize(
    ("value", "where"),
    [
        (1.0, "the value itself"),
        ({"a": [0, float("nan")]}, "a[1]"),
        ({"a": {1: "x"}}, "a"),
        ({"a": 2**53}, "a"),
        (["\ud800"], "[0]"),
        ({"\udfff": 1}, "the value itself"),
        ({"a": b"bytes"}, "a"),
        ({"a", "b"}, "the value itself"),
    ],
)
def test_what_has_many_forms_is_refused_by_its_place(value: object, where: str) -> None:
    with pytest.raises(NotCanonical) as refused:
        canonical_json(value)
    assert refused.value.where == where


# Anybody can work out a digest with sha256sum.
def test_a_digest_is_over_the_domain_a_zero_and_the_form() -> None:
    expected = sha256(b'singletable elections 1: rankings\0["Ada"]').hexdigest()
    assert digest(["Ada"], domain="rankings") == expected
    assert digest(["Ada"], domain="ranking") != expected
