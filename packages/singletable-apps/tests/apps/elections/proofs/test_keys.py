"""Sealed ballots can be neither read nor changed without the key; signatures are unique."""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranked_ballots import Ranking
from singletable_apps.elections.proofs.documents import BallotContent
from singletable_apps.elections.proofs.errors import ProofsError, UnsealError
from singletable_apps.elections.proofs.keys import (
    BallotKey,
    BallotPlace,
    Signer,
    fingerprint,
    is_signed,
    padded_size,
)
from singletable_apps.shared.key_files import KeyFileError
from tests.apps.elections.proofs.factories import SIGNER, changes, make_sample
from tools.testing.rankings import NAMES, rankings

KEY = BallotKey(bytes(range(32)))
IV = bytes(12)
CODE = "a" * 52
BALLOT = BallotContent(bytes(16), CODE, Ranking.from_levels(["Ada", ["Ben", "Cy"]]))
PLACE = BallotPlace(7, 3, 21, "d")
SEALED = KEY.seal(PLACE, BALLOT, width=512, iv=IV)
CLOSING = make_sample("anonymous").closing


@given(rankings(NAMES), st.binary(min_size=16, max_size=16))
def test_sealed_ballots_open_again_and_have_the_same_length(ranking: Ranking, nonce: bytes) -> None:
    ballot, width = BallotContent(nonce, CODE, ranking), padded_size(tuple(NAMES))
    sealed = KEY.seal(PLACE, ballot, width=width, iv=IV)
    assert KEY.open(PLACE, sealed) == ballot
    assert len(sealed) == len(
        KEY.seal(PLACE, BallotContent(nonce, CODE, Ranking()), width=width, iv=IV)
    )


@given(st.lists(st.text(min_size=1, max_size=200), unique=True, max_size=30), st.data())
def test_padded_size_fits_every_ballot_and_is_the_smallest(
    names: list[str], data: st.DataObject
) -> None:
    width = padded_size(tuple(names))
    longest = BallotContent(bytes(16), CODE, Ranking.from_levels(names))
    KEY.seal(PLACE, longest, width=width, iv=IV)
    KEY.seal(PLACE, BallotContent(bytes(16), CODE, data.draw(rankings(names))), width=width, iv=IV)
    assert width % 256 == 0
    with pytest.raises(ProofsError, match="padded_size"):
        KEY.seal(PLACE, longest, width=width - 256, iv=IV)


@pytest.mark.parametrize("at", [0, 11, 12, 100, len(b64decode(SEALED)) - 1])
def test_changed_byte_is_detected(at: int) -> None:
    changed = bytearray(b64decode(SEALED))
    changed[at] ^= 1
    with pytest.raises(UnsealError):
        KEY.open(PLACE, b64encode(changed).decode())


@pytest.mark.parametrize("text", ["", "AAAA", "no base64!", SEALED[:-4], f"{SEALED}AAAA", "ä"])
def test_other_text_does_not_open(text: str) -> None:
    with pytest.raises(UnsealError) as error:
        KEY.open(PLACE, text)
    assert error.value.election_id == 7


def test_seal_is_only_valid_for_its_key_place_and_purpose() -> None:
    with pytest.raises(UnsealError):
        BallotKey(bytes(32)).open(PLACE, SEALED)
    elsewhere = [
        replace(PLACE, election_id=8),
        replace(PLACE, voter_id=8),
        replace(PLACE, event_id=8),
        replace(PLACE, definition="e"),
    ]
    for place in elsewhere:
        with pytest.raises(UnsealError):
            KEY.open(place, SEALED)
        with pytest.raises(UnsealError):
            KEY.check(place, BALLOT, KEY.authenticate(PLACE, BALLOT))
    with pytest.raises(UnsealError):
        KEY.open_secret(7, SEALED)


@pytest.mark.parametrize("mac", ["", "0" * 64, "ä"])
def test_open_ballot_needs_its_mac(mac: str) -> None:
    KEY.check(PLACE, BALLOT, KEY.authenticate(PLACE, BALLOT))
    with pytest.raises(UnsealError):
        KEY.check(PLACE, BALLOT, mac)


def test_tie_break_secret_is_sealed_for_another_purpose() -> None:
    sealed = KEY.seal_secret(7, b"s" * 32, iv=IV)
    assert KEY.open_secret(7, sealed) == b"s" * 32
    with pytest.raises(UnsealError):
        KEY.open(PLACE, sealed)


def test_fingerprints_differ_by_key_purpose_and_parts() -> None:
    parts = [("a", "b"), ("ab",), ("a", "b", ""), ("a", 1), ("a", "1")]
    every = [
        key.hmac(why, *each)
        for key in (KEY, BallotKey(bytes(32)))
        for why in "pq"
        for each in parts
    ]
    assert len(set(every)) == len(every)
    assert KEY.hmac("p", "a", "b") == every[0]
    assert len(every[0]) == 64


def test_repr_of_a_key_shows_only_its_name() -> None:
    assert repr(KEY) == f"BallotKey({KEY.name})"
    assert KEY.name != BallotKey(bytes(32)).name
    assert bytes(range(32)).hex()[:8] not in repr(KEY)


@pytest.mark.parametrize("size", [0, 16, 31, 33])
def test_ballot_key_rejects_other_lengths(size: int) -> None:
    with pytest.raises(KeyFileError, match=f"32 bytes, but got {size}"):
        BallotKey(bytes(size))


def test_seal_rejects_other_iv_lengths() -> None:
    with pytest.raises(ProofsError, match="12 bytes, but got 16"):
        KEY.seal(PLACE, BALLOT, width=512, iv=bytes(16))


def test_signature_identifies_the_key() -> None:
    other = Signer(bytes(32)).public_key
    assert is_signed(CLOSING["statement"], CLOSING["signature"], SIGNER.public_key)
    assert not is_signed(CLOSING["statement"], CLOSING["signature"], other)
    assert fingerprint(SIGNER.public_key) != fingerprint(other)
    assert repr(SIGNER) == f"Signer({SIGNER.public_key})"


# A rebuild from the log must give the same bytes.
def test_signature_is_deterministic() -> None:
    assert SIGNER.sign(CLOSING["statement"]) == CLOSING["signature"]


def test_signature_covers_the_whole_statement() -> None:
    for place, changed in changes(CLOSING["statement"]):
        assert not is_signed(changed, CLOSING["signature"], SIGNER.public_key), place


@pytest.mark.parametrize(
    ("signature", "key"),
    [
        (CLOSING["signature"].upper(), SIGNER.public_key),
        (CLOSING["signature"], SIGNER.public_key.upper()),
        (CLOSING["signature"][:-2], SIGNER.public_key),
        ("", ""),
        ("no hex", SIGNER.public_key),
    ],
)
def test_signature_has_only_one_spelling(signature: str, key: str) -> None:
    assert not is_signed(CLOSING["statement"], signature, key)


def test_signer_rejects_other_lengths() -> None:
    with pytest.raises(KeyFileError, match="32 bytes, but got 31"):
        Signer(bytes(31))
