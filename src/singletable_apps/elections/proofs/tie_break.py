"""A seed for breaking ties that nobody knows before the last ballot is in.

The service commits to a secret at launch and reveals it at the close; the seed needs both the
secret and the root of all ballots. `seed=` of the counting methods takes it as it is.
"""

from __future__ import annotations

from singletable_apps.elections.proofs.canonical import digest
from singletable_apps.elections.proofs.errors import StatementRefused

SECRET = 32


def commitment(secret: bytes) -> str:
    """What is published at launch about a secret of 32 random bytes."""
    if len(secret) != SECRET:
        raise StatementRefused(f"A secret is {SECRET} random bytes, and {len(secret)} came.")
    return digest(secret.hex(), domain="tie-break commitment")


def seed(root: str, secret: bytes) -> str:
    """The seed, in hex: the order of ties is that of SHA-256 over it followed by the name."""
    return digest({"root": root, "secret": secret.hex()}, domain="tie-break seed")
