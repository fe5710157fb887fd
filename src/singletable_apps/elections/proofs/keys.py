"""Ballots that only the holder of a key can read: AES-256-GCM, with a key for each election.

Every ballot of an election is padded to one width, so that its length tells nothing about it.
"""

from __future__ import annotations

import hmac
import json
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from singletable_apps.counting import Ranking
from singletable_apps.elections.proofs.closing import NONCE, ClosingStatement
from singletable_apps.elections.proofs.encoding import (
    LENGTH,
    canonical_json,
    digest,
    domain_prefix,
    encode_code,
    format_code,
)
from singletable_apps.elections.proofs.errors import ProofsError, UnsealError
from singletable_apps.shared.key_files import KeyFileError, load_key_file

KEY = 32
IV = 12
_STEP = 256


@dataclass(frozen=True, slots=True)
class BallotContent:
    """What is under the seal of one ballot."""

    nonce: bytes
    confirmation: str
    ranking: Ranking


def padded_size(candidates: Sequence[str]) -> int:
    """The smallest multiple of 256 bytes that holds every ballot over these candidates."""
    # Nothing is longer than all candidates, each on a level of its own.
    longest = BallotContent(bytes(NONCE), "a" * LENGTH, Ranking.from_levels(candidates))
    return -(-len(_plain(longest)) // _STEP) * _STEP


class BallotKey:
    """Seals and opens ballots and secrets, and makes fingerprints that need the key."""

    def __init__(self, master: bytes) -> None:
        if len(master) != KEY:
            raise KeyFileError(f"A key is {KEY} bytes, and {len(master)} came.", "")
        self._master = master

    @property
    def name(self) -> str:
        """What tells this key from others, and tells nothing about it."""
        return self.hmac("name of the key")[:16]

    def seal(self, election_id: int, plain: BallotContent, *, width: int, iv: bytes) -> str:
        """The ballot as text that only this key opens. The iv is 12 random bytes, never reused."""
        text = _plain(plain)
        if len(text) > width:
            raise ProofsError(
                f"The ballot takes {len(text)} bytes and is to be padded to {width}. Take the "
                f"width of all candidates that it ranks: width_for(candidates)."
            )
        # A reader of JSON passes over spaces at the end.
        return self._sealed("ballots", election_id, text.ljust(width), iv)

    def open(self, election_id: int, text: str) -> BallotContent:
        """The ballot that was sealed for this election, or SealBroken."""
        plain = json.loads(self._opened("ballots", election_id, text))
        levels = Ranking.from_levels(plain["ranking"])
        return BallotContent(bytes.fromhex(plain["nonce"]), plain["confirmation"], levels)

    def seal_secret(self, election_id: int, secret: bytes, *, iv: bytes) -> str:
        """The secret of a tie-break as text that only this key opens."""
        return self._sealed("tie-break", election_id, secret, iv)

    def open_secret(self, election_id: int, text: str) -> bytes:
        """The secret of the tie-break of this election, or SealBroken."""
        return self._opened("tie-break", election_id, text)

    def hmac(self, purpose: str, *parts: str | int) -> str:
        """A fingerprint, in hex, of these parts, that nobody can guess without the key."""
        key = self._derived(f"fingerprint: {purpose}")
        return hmac.new(key, canonical_json(list(parts)), sha256).hexdigest()

    def _sealed(self, purpose: str, election_id: int, plain: bytes, iv: bytes) -> str:
        if len(iv) != IV:
            raise ProofsError(f"An iv is {IV} random bytes, and {len(iv)} came.")
        domain = f"{purpose} of election {election_id}"
        sealed = AESGCM(self._derived(domain)).encrypt(iv, plain, domain_prefix(domain))
        return b64encode(iv + sealed).decode()

    def _opened(self, purpose: str, election_id: int, text: str) -> bytes:
        domain = f"{purpose} of election {election_id}"
        try:
            sealed = b64decode(text, validate=True)
            return AESGCM(self._derived(domain)).decrypt(
                sealed[:IV], sealed[IV:], domain_prefix(domain)
            )
        except (ValueError, InvalidTag) as error:
            raise UnsealError(
                f"A seal ({purpose}) of election {election_id} does not open with the key "
                f"'{self.name}'. Either the text was changed or belongs to another election, or "
                f"it was sealed with another key: put back the key file that was in use when it "
                f"was written. Nothing can be read without it.",
                election_id,
            ) from error

    def _derived(self, purpose: str) -> bytes:
        return HKDF(SHA256(), KEY, salt=None, info=domain_prefix(purpose)).derive(self._master)

    def __repr__(self) -> str:
        return f"BallotKey({self.name})"


def _plain(ballot: BallotContent) -> bytes:
    return canonical_json(
        {
            "nonce": ballot.nonce.hex(),
            "confirmation": ballot.confirmation,
            "ranking": ballot.ranking.levels,
        }
    )


SEED = 32
_DOMAIN = domain_prefix("closing")


class Signer:
    """Signs statements with the key that comes from a seed of 32 bytes."""

    def __init__(self, seed: bytes) -> None:
        if len(seed) != SEED:
            raise KeyFileError(f"The seed of a key is {SEED} bytes, and {len(seed)} came.", "")
        self._key = Ed25519PrivateKey.from_private_bytes(seed)

    @property
    def public_key(self) -> str:
        """The key that anyone can check signatures with, in hex."""
        return self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()

    def sign(self, statement: ClosingStatement) -> str:
        """The signature of a statement, in hex."""
        return self._key.sign(_DOMAIN + canonical_json(statement)).hex()

    def __repr__(self) -> str:
        return f"Signer({self.public_key})"


def fingerprint(public_key: str) -> str:
    """The code of a public key, which people compare with the one they were told."""
    return encode_code(digest(public_key, domain="public key"))


def format_fingerprint(public_key: str) -> str:
    """Return the fingerprint of a public key in groups of four, as every page shows it."""
    return format_code(fingerprint(public_key))


def is_signed(statement: ClosingStatement, signature: str, public_key: str) -> bool:
    """Whether the holder of this key signed exactly this statement."""
    try:
        key = Ed25519PublicKey.from_public_bytes(_bytes(public_key))
        key.verify(_bytes(signature), _DOMAIN + canonical_json(statement))
    except (ValueError, InvalidSignature):
        return False
    return True


def _bytes(text: str) -> bytes:
    """The bytes of lowercase hex; another spelling of a signature is not that signature."""
    value = bytes.fromhex(text)
    if value.hex() != text:
        raise ValueError(text)
    return value


def load_ballot_key(path: Path) -> BallotKey:
    """The key that seals ballots. A missing file is made; keep a copy of it in a safe place."""
    return BallotKey(load_key_file(path, "that seals ballots"))


def load_signer(path: Path) -> Signer:
    """The key that signs the close of elections. A missing file is made."""
    return Signer(load_key_file(path, "that signs the close of elections"))
