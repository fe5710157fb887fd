"""The keys of a service, each from a file of its own."""

from __future__ import annotations

from pathlib import Path

from singletable_apps.elections.proofs.sealing import BallotKey
from singletable_apps.elections.proofs.signing import Signer
from singletable_apps.shared.key_files import key_in


def load_key(path: Path) -> BallotKey:
    """The key that seals ballots. A missing file is made; keep a copy of it in a safe place."""
    return BallotKey(key_in(path, "that seals ballots"))


def load_signer(path: Path) -> Signer:
    """The key that signs the close of elections. A missing file is made."""
    return Signer(key_in(path, "that signs the close of elections"))
