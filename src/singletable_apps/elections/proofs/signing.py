"""Signatures on what was said at the close: Ed25519."""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from singletable_apps.elections.proofs.canonical import canonical, digest, prefixed
from singletable_apps.elections.proofs.closing import Statement
from singletable_apps.elections.proofs.codes import code_of
from singletable_apps.shared.key_files import KeyFileRefused

SEED = 32
_DOMAIN = prefixed("closing")


class Signer:
    """Signs statements with the key that comes from a seed of 32 bytes."""

    def __init__(self, seed: bytes) -> None:
        if len(seed) != SEED:
            raise KeyFileRefused(f"The seed of a key is {SEED} bytes, and {len(seed)} came.", "")
        self._key = Ed25519PrivateKey.from_private_bytes(seed)

    @property
    def public_key(self) -> str:
        """The key that anyone can check signatures with, in hex."""
        return self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()

    def sign(self, statement: Statement) -> str:
        """The signature of a statement, in hex."""
        return self._key.sign(_DOMAIN + canonical(statement)).hex()

    def __repr__(self) -> str:
        return f"Signer({self.public_key})"


def fingerprint(public_key: str) -> str:
    """The code of a public key, which people compare with the one they were told."""
    return code_of(digest(public_key, domain="public key"))


def is_signed(statement: Statement, signature: str, public_key: str) -> bool:
    """Whether the holder of this key signed exactly this statement."""
    try:
        key = Ed25519PublicKey.from_public_bytes(_bytes(public_key))
        key.verify(_bytes(signature), _DOMAIN + canonical(statement))
    except (ValueError, InvalidSignature):
        return False
    return True


def _bytes(text: str) -> bytes:
    """The bytes of lowercase hex; another spelling of a signature is not that signature."""
    value = bytes.fromhex(text)
    if value.hex() != text:
        raise ValueError(text)
    return value
