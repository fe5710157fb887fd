"""What must never lie in the tables: the key of ballots, the key that signs, and the secret."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from singletable_apps.elections.proofs import BallotKey, Signer, load_key, load_signer
from singletable_apps.shared.key_files import key_in

BALLOTS = "ballots.key"
SIGNING = "signing.key"
TOKENS = "tokens.key"


@dataclass(frozen=True, slots=True)
class Keys:
    """`ballots` seals them, `signer` signs the end of elections, `secret` makes tokens."""

    ballots: BallotKey
    signer: Signer
    secret: bytes


def load_keys(folder: Path) -> Keys:
    """The keys in the files of a folder; those that are missing are made."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Keys(
        load_key(folder / BALLOTS),
        load_signer(folder / SIGNING),
        key_in(folder / TOKENS, "that signs tokens and cursors"),
    )


def new_keys() -> Keys:
    """Keys for a trial: what they seal is lost with them."""
    return Keys(BallotKey(os.urandom(32)), Signer(os.urandom(32)), os.urandom(32))
