"""The key that seals ballots (AES-256-GCM) and the key that signs statements (Ed25519).

Every election has its own derived sealing key. All sealed ballots of an election are padded to one
size, so that their length reveals nothing. A seal is bound to its `BallotPlace`: it does not open
if it is copied to another voter or election, or replayed after a newer ballot.
"""

from __future__ import annotations

import hmac
import json
from base64 import b64decode, b64encode
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from ranked_ballots import Ranking
from singletable_apps.elections.proofs.documents import (
    NONCE_SIZE,
    BallotContent,
    ClosingStatement,
    DeletionStatement,
)
from singletable_apps.elections.proofs.encoding import (
    CODE_LENGTH,
    canonical_json,
    digest,
    domain_prefix,
    encode_code,
    format_code,
)
from singletable_apps.elections.proofs.errors import ProofsError, UnsealError
from singletable_apps.shared.key_files import KeyFileError, load_key_file

KEY_SIZE = 32
IV_SIZE = 12
PADDING = 256


@dataclass(frozen=True, slots=True)
class BallotPlace:
    """The place of a ballot: its election, voter, event and definition."""

    election_id: int
    voter_id: int
    event_id: int
    definition: str


def load_ballot_key(path: Path) -> BallotKey:
    """Return the key that seals ballots. Create the file if it is missing; keep a backup of it."""
    return BallotKey(load_key_file(path, "that seals ballots"))


class BallotKey:
    """Seals and opens ballots and tie-break secrets, and computes keyed fingerprints.

    Its fingerprints also authenticate the event log and open ballots.
    """

    def __init__(self, master: bytes) -> None:
        if len(master) != KEY_SIZE:
            raise KeyFileError(f"Expected a key of {KEY_SIZE} bytes, but got {len(master)}.", "")
        self._master = master
        self._derive = lru_cache(1000)(self._derive_key)

    def __repr__(self) -> str:
        return f"BallotKey({self.name})"

    @property
    def name(self) -> str:
        """Return a name that identifies the key and reveals nothing about it."""
        return self.hmac("name of the key")[:16]

    def seal(self, place: BallotPlace, ballot: BallotContent, *, width: int, iv: bytes) -> str:
        """Seal a ballot for this place. `iv` is 12 random bytes that are never reused."""
        text = _to_json(ballot)
        if len(text) > width:
            raise ProofsError(
                f"The ballot has {len(text)} bytes and cannot be padded to {width}. Use "
                "padded_size(candidates) with all candidates that it ranks."
            )
        # JSON parsers ignore spaces at the end.
        return self._encrypt("ballots", place.election_id, text.ljust(width), iv, _bind(place))

    def open(self, place: BallotPlace, sealed: str) -> BallotContent:
        """Open a ballot that was sealed for this place, or raise UnsealError."""
        fields = json.loads(self._decrypt("ballots", place.election_id, sealed, _bind(place)))
        ranking = Ranking.from_levels(fields["ranking"])
        return BallotContent(bytes.fromhex(fields["nonce"]), fields["confirmation"], ranking)

    def authenticate(self, place: BallotPlace, ballot: BallotContent) -> str:
        """Return the MAC that binds an open ballot to this place."""
        return self.hmac("open ballot", _bind(place).decode(), _to_json(ballot).decode())

    def check(self, place: BallotPlace, ballot: BallotContent, mac: str) -> None:
        """Raise UnsealError unless the MAC binds this open ballot to this place."""
        expected = self.authenticate(place, ballot).encode()
        if not hmac.compare_digest(mac.encode(errors="replace"), expected):
            raise UnsealError(
                f"An open ballot of election {place.election_id} was changed, or belongs to "
                "another election, voter or event.",
                place.election_id,
            )

    def seal_secret(self, election_id: int, secret: bytes, *, iv: bytes) -> str:
        """Return the tie-break secret sealed for this election."""
        return self._encrypt("tie-break", election_id, secret, iv)

    def open_secret(self, election_id: int, sealed: str) -> bytes:
        """Return the tie-break secret of this election, or raise UnsealError."""
        return self._decrypt("tie-break", election_id, sealed)

    def hmac(self, purpose: str, *parts: str | int) -> str:
        """Return a fingerprint of these parts in hex that cannot be computed without the key."""
        key = self._derive(f"fingerprint: {purpose}")
        return hmac.digest(key, canonical_json(list(parts)), sha256).hex()

    def _encrypt(
        self, purpose: str, election_id: int, plain: bytes, iv: bytes, bound_to: bytes = b""
    ) -> str:
        if len(iv) != IV_SIZE:
            raise ProofsError(f"Expected an IV of {IV_SIZE} bytes, but got {len(iv)}.")
        domain = f"{purpose} of election {election_id}"
        associated = domain_prefix(domain) + bound_to
        encrypted = AESGCM(self._derive(domain)).encrypt(iv, plain, associated)
        return b64encode(iv + encrypted).decode()

    def _decrypt(self, purpose: str, election_id: int, sealed: str, bound_to: bytes = b"") -> bytes:
        domain = f"{purpose} of election {election_id}"
        try:
            data = b64decode(sealed, validate=True)
            iv, encrypted = data[:IV_SIZE], data[IV_SIZE:]
            associated = domain_prefix(domain) + bound_to
            return AESGCM(self._derive(domain)).decrypt(iv, encrypted, associated)
        except (ValueError, InvalidTag) as error:
            raise UnsealError(
                f"Cannot unseal ({purpose}) of election {election_id} with the key '{self.name}'. "
                "The text was changed, belongs to another election, voter or event, or was sealed "
                "with another key: restore the key file that was in use at that time.",
                election_id,
            ) from error

    def _derive_key(self, purpose: str) -> bytes:
        return HKDF(SHA256(), KEY_SIZE, salt=None, info=domain_prefix(purpose)).derive(self._master)


def _bind(place: BallotPlace) -> bytes:
    return canonical_json([place.election_id, place.voter_id, place.event_id, place.definition])


@lru_cache(1000)
def padded_size(candidates: tuple[str, ...]) -> int:
    """Return the smallest multiple of 256 bytes that every ballot on these candidates fits."""
    # No ballot is longer than one that ranks all candidates on levels of their own.
    ranking = Ranking.from_levels(candidates)
    longest = BallotContent(bytes(NONCE_SIZE), "a" * CODE_LENGTH, ranking)
    return -(-len(_to_json(longest)) // PADDING) * PADDING


def _to_json(ballot: BallotContent) -> bytes:
    return canonical_json(
        {
            "nonce": ballot.nonce.hex(),
            "confirmation": ballot.confirmation,
            "ranking": ballot.ranking.levels,
        }
    )


def load_signer(path: Path) -> Signer:
    """Return the key that signs closed elections. Create the file if it is missing."""
    return Signer(load_key_file(path, "that signs the close of elections"))


class Signer:
    """Signs closing statements with the Ed25519 key of a seed of 32 bytes."""

    def __init__(self, seed: bytes) -> None:
        if len(seed) != KEY_SIZE:
            raise KeyFileError(f"Expected a key of {KEY_SIZE} bytes, but got {len(seed)}.", "")
        self._key = Ed25519PrivateKey.from_private_bytes(seed)

    def __repr__(self) -> str:
        return f"Signer({self.public_key})"

    @property
    def public_key(self) -> str:
        """Return the public key in hex."""
        return self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()

    def sign(self, statement: ClosingStatement) -> str:
        """Return the signature of a closing statement in hex."""
        return self._key.sign(domain_prefix("closing") + canonical_json(statement)).hex()

    def sign_deletion(self, statement: DeletionStatement) -> str:
        """Return the signature of a statement about a deleted election in hex."""
        return self._key.sign(domain_prefix("deletion") + canonical_json(statement)).hex()


def fingerprint(public_key: str) -> str:
    """Return the code of a public key, for comparisons in programs."""
    return encode_code(digest(public_key, domain="public key"))


def format_fingerprint(public_key: str) -> str:
    """Return the fingerprint of a public key in groups of four, as every page shows it."""
    return format_code(fingerprint(public_key))


def is_signed(statement: ClosingStatement, signature: str, public_key: str) -> bool:
    """Return whether the owner of this key signed exactly this closing statement."""
    return _is_signed(statement, "closing", signature, public_key)


def is_deletion_signed(statement: DeletionStatement, signature: str, public_key: str) -> bool:
    """Return whether the owner of this key signed exactly this statement about a deletion."""
    return _is_signed(statement, "deletion", signature, public_key)


def _is_signed(statement: object, domain: str, signature: str, public_key: str) -> bool:
    try:
        key = Ed25519PublicKey.from_public_bytes(_from_hex(public_key))
        key.verify(_from_hex(signature), domain_prefix(domain) + canonical_json(statement))
    except (ValueError, InvalidSignature):
        return False
    return True


def _from_hex(text: str) -> bytes:
    """Return the bytes of lowercase hex. A signature must have only one spelling."""
    value = bytes.fromhex(text)
    if value.hex() != text:
        raise ValueError(text)
    return value
