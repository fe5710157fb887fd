"""Cursors: opaque, encrypted, and valid for one query only.

A cursor is the position of a query, encrypted with a key stream of HMAC-SHA-256 in counter mode and
authenticated with HMAC-SHA-256 together with the query. Without the secret nobody can read the keys
in it, forge one, or use it with other arguments. Equal positions of equal queries have equal
cursors.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from dynamodb_engine.values import Item
from singletable.errors import InvalidCursor

# Where to continue a shard: after a key, from the beginning (None), or not at all (True).
Position: TypeAlias = Item | bool | None

_NONCE_LENGTH, _TAG_LENGTH = 12, 16
_INVALID = (
    "The page cursor belongs to another query, or was changed. A cursor is valid for one query "
    "with the same arguments; start without one."
)


@dataclass(frozen=True, slots=True)
class CursorSealer:
    """Seals and opens the cursors of one query or scan."""

    secret: bytes
    digest: bytes

    @classmethod
    def of(cls, secret: bytes, fingerprint: Sequence[object]) -> CursorSealer:
        """Return the sealer for one query, identified by its fingerprint."""
        return cls(secret, hashlib.sha256(msgspec.json.encode(fingerprint)).digest())

    def seal(self, positions: Sequence[Position], *, backward: bool = False) -> str:
        """Return the cursor of the items after these positions, or before them."""
        content = msgspec.json.encode({"before": positions} if backward else positions)
        # Derived from the content, so that the same position of the same query always has the same
        # cursor: a page that contains it can be cached.
        key = hmac.digest(self.secret, b"nonce", "sha256")
        nonce = hmac.digest(key, self.digest + content, "sha256")[:_NONCE_LENGTH]
        encrypted = _apply_key_stream(self.secret, nonce, content)
        sealed = nonce + _tag(self.secret, self.digest, nonce, encrypted) + encrypted
        return base64.urlsafe_b64encode(sealed).rstrip(b"=").decode()

    def open(self, cursor: str) -> tuple[list[Position], bool]:
        """Return the positions in a cursor, and whether it leads backward.

        Raise InvalidCursor unless it is for this query.
        """
        if not isinstance(cursor, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidCursor(
                f"A page cursor is a string, but got {cursor!r}. Start without one."
            )
        try:
            sealed = base64.urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4))
        except (ValueError, binascii.Error):
            raise InvalidCursor(_INVALID) from None
        nonce, tag = sealed[:_NONCE_LENGTH], sealed[_NONCE_LENGTH : _NONCE_LENGTH + _TAG_LENGTH]
        encrypted = sealed[_NONCE_LENGTH + _TAG_LENGTH :]
        if not hmac.compare_digest(tag, _tag(self.secret, self.digest, nonce, encrypted)):
            raise InvalidCursor(_INVALID)
        content: list[Position] | dict[str, list[Position]] = msgspec.json.decode(
            _apply_key_stream(self.secret, nonce, encrypted)
        )
        return (content["before"], True) if isinstance(content, dict) else (content, False)


def _tag(secret: bytes, digest: bytes, nonce: bytes, encrypted: bytes) -> bytes:
    key = hmac.digest(secret, b"seal", "sha256")
    return hmac.digest(key, nonce + digest + encrypted, "sha256")[:_TAG_LENGTH]


def _apply_key_stream(secret: bytes, nonce: bytes, text: bytes) -> bytes:
    key = hmac.digest(secret, b"hide", "sha256")
    blocks = (len(text) + 31) // 32
    stream = b"".join(
        hmac.digest(key, nonce + block.to_bytes(4), "sha256") for block in range(blocks)
    )
    return bytes(left ^ right for left, right in zip(text, stream, strict=False))
