"""Canonical JSON, digests, and codes that people compare."""

from __future__ import annotations

from hashlib import sha256

import pytest

from singletable_apps.elections.proofs.encoding import (
    canonical_json,
    digest,
    encode_code,
    format_code,
)

CODE = encode_code(bytes(range(32)).hex())


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
def test_canonical_json_is_short_and_sorted(value: object, form: bytes) -> None:
    assert canonical_json(value) == form


# Anyone can compute a digest with sha256sum.
def test_digest_is_sha256_over_domain_zero_byte_and_json() -> None:
    expected = sha256(b'singletable elections 1: rankings\0["Ada"]').hexdigest()
    assert digest(["Ada"], domain="rankings") == expected
    assert digest(["Ada"], domain="ranking") != expected


def test_format_code_has_groups_of_four() -> None:
    assert format_code(CODE) == "aaaq-eaye-auda-ocaj-bifq-ydio-b4ib-ceqt-cqkr-mfyy-denb-wha5-dypq"
