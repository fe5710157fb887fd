"""A sealed ballot tells nothing without the key, and nothing about it can be changed."""

from __future__ import annotations

from base64 import b64decode, b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.counting import Ranking
from singletable_apps.elections.proofs import (
    BallotContent,
    BallotKey,
    ProofsError,
    UnsealError,
    padded_size,
)
from singletable_apps.shared.key_files import KeyFileError
from tests.apps.counting.strategies import NAMES, rankings

KEY = BallotKey(bytes(range(32)))
IV = bytes(12)
CODE = "a" * 52
BALLOT = BallotContent(bytes(16), CODE, Ranking.from_levels(["Ada", ["Ben", "Cy"]]))
SEALED = KEY.seal(7, BALLOT, width=512, iv=IV)


@given(rankings(NAMES), st.binary(min_size=16, max_size=16))
def test_what_was_sealed_is_opened_and_as_long_as_any_other(ranking: Ranking, nonce: bytes) -> None:
    ballot, width = BallotContent(nonce, CODE, ranking), padded_size(NAMES)
    sealed = KEY.seal(7, ballot, width=width, iv=IV)
    assert KEY.open(7, sealed) == ballot
    assert len(sealed) == len(
        KEY.seal(7, BallotContent(nonce, CODE, Ranking()), width=width, iv=IV)
    )


@given(st.lists(st.text(min_size=1, max_size=200), unique=True, max_size=30), st.data())
def test_the_width_holds_every_ballot_and_is_least(names: list[str], data: st.DataObject) -> None:
    width = padded_size(names)
    longest = BallotContent(bytes(16), CODE, Ranking.from_levels(names))
    KEY.seal(7, longest, width=width, iv=IV)
    KEY.seal(7, BallotContent(bytes(16), CODE, data.draw(rankings(names))), width=width, iv=IV)
    assert width % 256 == 0
    with pytest.raises(ProofsError, match="width_for"):
        KEY.seal(7, longest, width=width - 256, iv=IV)


@pytest.mark.parametrize("at", [0, 11, 12, 100, len(b64decode(SEALED)) - 1])
def test_a_changed_byte_breaks_the_seal(at: int) -> None:
    changed = bytearray(b64decode(SEALED))
    changed[at] ^= 1
    with pytest.raises(UnsealError, match="put back the key file"):
        KEY.open(7, b64encode(changed).decode())


@pytest.mark.parametrize("text", ["", "AAAA", "no base64!", SEALED[:-4], f"{SEALED}AAAA", "ä"])
def test_what_was_never_sealed_does_not_open(text: str) -> None:
    with pytest.raises(UnsealError) as broken:
        KEY.open(7, text)
    assert broken.value.election_id == 7


def test_a_seal_opens_for_its_key_election_and_purpose_alone() -> None:
    with pytest.raises(UnsealError):
        BallotKey(bytes(32)).open(7, SEALED)
    with pytest.raises(UnsealError):
        KEY.open(8, SEALED)
    with pytest.raises(UnsealError):
        KEY.open_secret(7, SEALED)


def test_the_secret_of_a_tie_break_is_sealed_too() -> None:
    sealed = KEY.seal_secret(7, b"s" * 32, iv=IV)
    assert KEY.open_secret(7, sealed) == b"s" * 32
    with pytest.raises(UnsealError):
        KEY.open(7, sealed)


def test_fingerprints_differ_by_key_purpose_and_part() -> None:
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


def test_a_key_shows_a_name_and_not_itself() -> None:
    assert repr(KEY) == f"BallotKey({KEY.name})"
    assert KEY.name != BallotKey(bytes(32)).name
    assert bytes(range(32)).hex()[:8] not in repr(KEY)


@pytest.mark.parametrize("size", [0, 16, 31, 33])
def test_a_key_of_another_length_is_refused(size: int) -> None:
    with pytest.raises(KeyFileError, match=f"32 bytes, and {size} came"):
        BallotKey(bytes(size))


def test_an_iv_of_another_length_is_refused() -> None:
    with pytest.raises(ProofsError, match="12 random bytes, and 16 came"):
        KEY.seal(7, BALLOT, width=512, iv=bytes(16))
