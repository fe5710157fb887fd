"""Where a reader of a relation stands, as a text that tells nothing and cannot be made up."""

from __future__ import annotations

import hmac
import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TypeAlias, cast

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from singletable import InvalidCursor

# The natural key of the last row that was given.
Position: TypeAlias = tuple[str | int, ...]

_IV = 12


def seal(secret: bytes, relation: str, position: Position) -> str:
    """A cursor that goes on after the row at this position."""
    iv = secrets.token_bytes(_IV)
    hidden = _cipher(secret).encrypt(iv, json.dumps(position).encode(), relation.encode())
    return urlsafe_b64encode(iv + hidden).rstrip(b"=").decode()


def unseal(secret: bytes, relation: str, cursor: str) -> Position:
    """The position in a cursor of this relation; InvalidCursor if it is of another, or none."""
    try:
        sealed = urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4))
        plain = _cipher(secret).decrypt(sealed[:_IV], sealed[_IV:], relation.encode())
    except (ValueError, InvalidTag):
        raise InvalidCursor(
            f"The page cursor was not made for the relation '{relation}', or was changed. Begin "
            "without one."
        ) from None
    return tuple(cast(list[str | int], json.loads(plain)))


def _cipher(secret: bytes) -> AESGCM:
    return AESGCM(hmac.digest(secret, b"cursors of auditors", "sha256"))
