"""What must never lie in the tables: the key of ballots, the key that signs, and the secret."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from singletable import Store
from singletable_apps.elections import patterns
from singletable_apps.elections.entities import Election
from singletable_apps.elections.errors import WrongKeys
from singletable_apps.elections.events import check_not_restoring
from singletable_apps.elections.projection import get_last_event
from singletable_apps.elections.proofs import (
    BallotKey,
    ClosingStatement,
    Signer,
    UnsealError,
    is_signed,
    load_ballot_key,
    load_signer,
)
from singletable_apps.shared.key_files import load_key_file

BALLOTS = "ballots.key"
SIGNING = "signing.key"
TOKENS = "tokens.key"


@dataclass(frozen=True, slots=True)
class Keys:
    """`ballots` seals them, `signer` signs the end of elections, `secret` makes tokens."""

    ballot_key: BallotKey
    signer: Signer
    secret: bytes


def load_or_create_keys(folder: Path) -> Keys:
    """The keys in the files of a folder; those that are missing are made."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Keys(
        load_ballot_key(folder / BALLOTS),
        load_signer(folder / SIGNING),
        load_key_file(folder / TOKENS, "that signs tokens and cursors"),
    )


def generate_keys() -> Keys:
    """Keys for a trial: what they seal is lost with them."""
    return Keys(BallotKey(os.urandom(32)), Signer(os.urandom(32)), os.urandom(32))


# One key serves them all, so some elections tell as much as every one.
LOOKED_AT = 100


def load_store_keys(store: Store, folder: Path, *, create_missing: bool = False) -> Keys:
    """The keys of a folder; missing ones are made if there is no log yet, or if it is wished."""
    check_not_restoring(store)
    newest = None if create_missing else get_last_event(store)
    if newest is not None:
        for name in (BALLOTS, SIGNING):
            if not (folder / name).exists():
                raise WrongKeys(
                    f"There is no key at {folder / name}, and the log has {newest.event_id:,} "
                    "events, so there was one: a new key would open no ballot that it sealed. Put "
                    "the file back from your backup, or name the folder where it lies. If nothing "
                    "was sealed or signed yet, allow new ones with --new-keys."
                )
    return load_or_create_keys(folder)


def check_keys(store: Store, keys: Keys) -> None:
    """Raise WrongKeys if an election was launched, or closed, with others."""
    for election in store.page(patterns.list_elections(), LOOKED_AT).items:
        _check_sealed(election, keys)
        _check_signed(election, keys)


def _check_sealed(election: Election, keys: Keys) -> None:
    if election.tie_sealed is None:
        return
    try:
        keys.ballot_key.open_secret(election.election_id, election.tie_sealed)
    except UnsealError as broken:
        raise WrongKeys(
            f"The election '{election.name}' was launched with another key than this one "
            f"('{keys.ballot_key.name}'), which opens none of its ballots. Put the file {BALLOTS} "
            "back from your backup; nothing can be read without it."
        ) from broken


def _check_signed(election: Election, keys: Keys) -> None:
    if election.statement is None or election.signature is None:
        return
    said = cast(ClosingStatement, json.loads(election.statement))
    if not is_signed(said, election.signature, keys.signer.public_key):
        raise WrongKeys(
            f"The close of the election '{election.name}' was signed with another key than this "
            f"one, so no receipt of it would hold. Put the file {SIGNING} back from your backup."
        )
