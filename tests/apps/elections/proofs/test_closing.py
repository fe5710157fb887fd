"""The close says once, and signed, what was asked, which ballots there are, and how ties go."""

from __future__ import annotations

from typing import Any

import pytest

from singletable_apps.counting import Ballots, Ranking, instant_runoff
from singletable_apps.elections.proofs import (
    InvalidDocument,
    Signer,
    compute_commitment,
    compute_tie_seed,
    create_statement,
    fingerprint,
    hash_rankings,
    is_signed,
)
from singletable_apps.shared.key_files import KeyFileError
from tests.apps.elections.proofs.sample import SECRET, SIGNER, asked_at, changes, sample

CLOSING = sample("anonymous").closing
SAID: dict[str, Any] = dict(CLOSING["statement"])


def test_the_one_who_signs_is_known_by_the_key() -> None:
    assert is_signed(CLOSING["statement"], CLOSING["signature"], SIGNER.public_key)
    assert not is_signed(CLOSING["statement"], CLOSING["signature"], Signer(bytes(32)).public_key)
    assert fingerprint(SIGNER.public_key) != fingerprint(Signer(bytes(32)).public_key)
    assert repr(SIGNER) == f"Signer({SIGNER.public_key})"


# The same statement is signed the same way: whoever replays a log gets the same bytes.
def test_a_signature_is_the_same_every_time() -> None:
    assert SIGNER.sign(CLOSING["statement"]) == CLOSING["signature"]


def test_a_signature_holds_for_every_word_of_the_statement() -> None:
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
def test_a_signature_has_one_spelling(signature: str, key: str) -> None:
    assert not is_signed(CLOSING["statement"], signature, key)


def test_a_seed_of_another_length_is_refused() -> None:
    with pytest.raises(KeyFileError, match="32 bytes, and 31 came"):
        Signer(bytes(31))


def close_with(**other: Any) -> Any:
    fields: dict[str, Any] = {**SAID, "secret": SECRET, **other}
    del fields["format"]
    return create_statement(**fields)


def test_the_secret_is_the_one_that_was_committed_to() -> None:
    assert close_with() == SAID
    with pytest.raises(InvalidDocument, match="not the one that was committed to"):
        close_with(secret=bytes(32))
    with pytest.raises(InvalidDocument, match="32 random bytes, and 5 came"):
        close_with(secret=b"short")


# Where sums alone are published, a digest of all rankings could be tried out by guessing.
def test_rankings_have_a_digest_only_where_they_are_published() -> None:
    with pytest.raises(InvalidDocument, match="the level is totals"):
        close_with(definition=asked_at("totals"))
    with pytest.raises(InvalidDocument, match="the level is confirmations"):
        close_with(definition=asked_at("confirmations"), rankings=None)


def test_rankings_have_one_digest_in_any_order() -> None:
    one, other = Ranking.from_levels(["Ada"]), Ranking()
    assert hash_rankings([one, other, one]) == hash_rankings([one, one, other])
    assert hash_rankings([one, other]) != hash_rankings([one, one, other])


def test_the_seed_needs_the_root_and_the_secret_and_orders_ties() -> None:
    root = SAID["root"]
    assert (
        len(
            {
                compute_tie_seed(root, SECRET),
                compute_tie_seed("0" * 64, SECRET),
                compute_tie_seed(root, bytes(32)),
            }
        )
        == 3
    )
    assert compute_commitment(SECRET) not in (compute_tie_seed(root, SECRET), SECRET.hex())
    tied = Ballots.from_rankings(
        ["Ada", "Ben"], [Ranking.from_levels(["Ada"]), Ranking.from_levels(["Ben"])]
    )
    order = {
        instant_runoff(tied, seed=compute_tie_seed(root, bytes([by] * 32))).winner
        for by in range(9)
    }
    assert order == {"Ada", "Ben"}
