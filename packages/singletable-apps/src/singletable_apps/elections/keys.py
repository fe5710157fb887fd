"""The keys of elections: files that are never stored in the tables.

One key seals ballots and authenticates the event log, one signs closed elections, and one secret is
for tokens and cursors. A checkpoint beside them has the last event written from this folder, to
detect a log that has lost its last events.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import msgspec

from dynamodb_engine.private_files import create_folder, open_file
from singletable import Store
from singletable_apps.elections import patterns
from singletable_apps.elections.entities import Election
from singletable_apps.elections.errors import CorruptLog, CorruptTable, WrongKeys
from singletable_apps.elections.events import Event, check_not_restoring
from singletable_apps.elections.projection import get_last_event
from singletable_apps.elections.proofs.documents import ClosingStatement
from singletable_apps.elections.proofs.errors import UnsealError
from singletable_apps.elections.proofs.keys import (
    BallotKey,
    Signer,
    is_signed,
    load_ballot_key,
    load_signer,
)
from singletable_apps.shared.key_files import load_key_file

BALLOT_KEY_FILE = "ballots.key"
SIGNING_KEY_FILE = "signing.key"
SECRET_FILE = "tokens.key"
CHECKPOINT_FILE = "checkpoint.json"

# All elections use the same keys, so it is enough to check some.
CHECKED_ELECTIONS = 100


@dataclass(frozen=True, slots=True)
class Keys:
    """`ballot_key` seals ballots, `signer` signs closed elections, `secret` is for tokens.

    Without a `folder` there are no checkpoints.
    """

    ballot_key: BallotKey
    signer: Signer
    secret: bytes
    folder: Path | None = None

    def save_checkpoint(self, event: Event) -> None:
        """Store the last event of the log in the key folder."""
        if self.folder is None:
            return
        draft = self.folder / f".{CHECKPOINT_FILE}.{os.getpid()}"
        # In a read-only folder there is no checkpoint, but the log itself is complete.
        with suppress(OSError):
            with open_file(draft, "w") as file:
                file.write(json.dumps({"events": event.event_id, "head": event.hash}) + "\n")
            draft.replace(self.folder / CHECKPOINT_FILE)

    def check_checkpoint(self, store: Store) -> None:
        """Raise CorruptLog unless the log still has the event of the checkpoint."""
        path = None if self.folder is None else self.folder / CHECKPOINT_FILE
        if path is None or not path.exists():
            return
        try:
            saved = msgspec.json.decode(path.read_bytes(), type=_Checkpoint)
        except ValueError as error:
            raise CorruptLog(
                f"The checkpoint {path} cannot be read: {error}. Delete it, then check the log "
                "with `singletable elections verify`."
            ) from error
        event = store.run(patterns.event, saved.events)
        if event is None or event.hash != saved.head:
            found = "is missing" if event is None else f"has {event.hash}"
            raise CorruptLog(
                f"The log has lost events: according to {path}, event {saved.events:,} has the "
                f"hash {saved.head}, but it {found}. Restore the log from an export. If you have "
                f"restored an older one on purpose, delete {path}."
            )


class _Checkpoint(msgspec.Struct, frozen=True):
    events: int
    head: str


def generate_keys() -> Keys:
    """Return new keys that are not saved, for tests and trials."""
    return Keys(BallotKey(os.urandom(32)), Signer(os.urandom(32)), os.urandom(32))


def load_or_create_keys(folder: Path) -> Keys:
    """Return the keys in a folder, creating missing ones."""
    create_folder(folder)
    return Keys(
        load_ballot_key(folder / BALLOT_KEY_FILE),
        load_signer(folder / SIGNING_KEY_FILE),
        load_key_file(folder / SECRET_FILE, "that signs tokens and cursors"),
        folder,
    )


def load_existing_keys(folder: Path) -> Keys:
    """Return the keys in a folder. Raise WrongKeys if the ballot or signing key is missing."""
    for name in (BALLOT_KEY_FILE, SIGNING_KEY_FILE):
        if not (folder / name).exists():
            raise WrongKeys(
                f"There is no key file {folder / name}. It is required to authenticate the event "
                "log. Pass the folder with the keys of the service."
            )
    return load_or_create_keys(folder)


def load_store_keys(store: Store, folder: Path) -> Keys:
    """Return the keys in a folder for the elections in a store.

    Missing keys are created for an empty log. Otherwise the old keys are probably just in another
    place, and WrongKeys is raised.
    """
    check_not_restoring(store)
    newest = get_last_event(store)
    if newest is not None:
        for name in (BALLOT_KEY_FILE, SIGNING_KEY_FILE):
            if not (folder / name).exists():
                raise WrongKeys(
                    f"There is no key file {folder / name}, but the log has {newest.event_id:,} "
                    "events. A new key could not open the ballots that are already sealed. Restore "
                    "the file from your backup. If signing.key is lost and no election was closed "
                    "yet, run: singletable elections rebuild --new-keys"
                )
    return load_or_create_keys(folder)


def check_keys(store: Store, keys: Keys) -> None:
    """Raise WrongKeys if elections were launched or closed with other keys."""
    for election in store.page(patterns.list_elections(), CHECKED_ELECTIONS).items:
        _check_ballot_key(election, keys)
        _check_signer(election, keys)


def _check_ballot_key(election: Election, keys: Keys) -> None:
    if election.tie_sealed is None:
        return
    try:
        keys.ballot_key.open_secret(election.election_id, election.tie_sealed)
    except UnsealError as error:
        raise WrongKeys(
            f"The election '{election.name}' was launched with another ballot key than "
            f"'{keys.ballot_key.name}', so its ballots cannot be read. Restore the file "
            f"{BALLOT_KEY_FILE} from your backup."
        ) from error


def _check_signer(election: Election, keys: Keys) -> None:
    if election.statement is None or election.signature is None:
        return
    try:
        statement = cast(ClosingStatement, json.loads(election.statement))
    except (ValueError, RecursionError) as error:
        raise CorruptTable(
            f"The statement of the election '{election.name}' was changed in the table and is not "
            "JSON. Rebuild the table from the log."
        ) from error
    if not is_signed(statement, election.signature, keys.signer.public_key):
        raise WrongKeys(
            f"The election '{election.name}' was closed and signed with another key, so its "
            f"receipts would be invalid. Restore the file {SIGNING_KEY_FILE} from your backup. If "
            "the key is right, the statement was changed in the table: rebuild the table."
        )
