"""Page cursors that a browser may hold: opaque, sealed, and good for one query only.

A cursor is where a query stands, encrypted with a key stream of HMAC-SHA-256 in counter mode
and sealed with HMAC-SHA-256 over the query it belongs to. Without the secret nobody can read the
keys in it, make one, or use it with other arguments.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from typing import Any, cast

import msgspec

from singletable.errors import InvalidCursor
from singletable.expressions import render_condition, render_key_condition
from singletable.store.reading import Reading
from singletable.values import Item

_NONCE, _SEAL = 12, 16


def seal(secret: bytes, query: bytes, positions: list[Item | bool | None]) -> str:
    """A cursor for where a query stands."""
    plain = msgspec.json.encode(positions)
    nonce = secrets.token_bytes(_NONCE)
    hidden = _mixed(secret, nonce, plain)
    sealed = nonce + _seal(secret, query, nonce, hidden) + hidden
    return base64.urlsafe_b64encode(sealed).rstrip(b"=").decode()


def unseal(secret: bytes, query: bytes, cursor: str) -> list[Item | bool | None]:
    """The positions in a cursor that was made for the same query."""
    if not isinstance(cursor, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidCursor(f"A page cursor is a text; this is {cursor!r}. Begin without one.")
    try:
        sealed = base64.urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4))
    except (ValueError, binascii.Error):
        raise InvalidCursor(_NOT_OURS) from None
    nonce, given = sealed[:_NONCE], sealed[_NONCE : _NONCE + _SEAL]
    hidden = sealed[_NONCE + _SEAL :]
    if not hmac.compare_digest(given, _seal(secret, query, nonce, hidden)):
        raise InvalidCursor(_NOT_OURS)
    plain = msgspec.json.decode(_mixed(secret, nonce, hidden))
    return cast("list[Item | bool | None]", plain)


_NOT_OURS = (
    "The page cursor was not made for this query, or was changed. A cursor belongs to one query "
    "with the same arguments; begin without one."
)


def _seal(secret: bytes, query: bytes, nonce: bytes, hidden: bytes) -> bytes:
    key = hmac.digest(secret, b"seal", "sha256")
    return hmac.digest(key, nonce + query + hidden, "sha256")[:_SEAL]


def _mixed(secret: bytes, nonce: bytes, text: bytes) -> bytes:
    key = hmac.digest(secret, b"hide", "sha256")
    blocks = (len(text) + 31) // 32
    stream = b"".join(
        hmac.digest(key, nonce + block.to_bytes(4), "sha256") for block in range(blocks)
    )
    return bytes(one ^ other for one, other in zip(text, stream, strict=False))


def query_of(reading: Reading[Any]) -> bytes:
    """A digest of all that makes this query another than others."""
    access = reading.selection.access
    parts: list[object] = [
        reading.context.table_name(reading.model.table),
        reading.model.name,
        access.name,
        reading.reverse,
    ]
    for stream in reading.streams:
        rendered = render_key_condition(stream.asked.clauses)
        parts += [rendered.text, rendered.names, rendered.values]
    if reading.where is not None:
        filtered = render_condition(reading.where)
        parts += [filtered.text, filtered.names, filtered.values]
    return _digest(parts)


def scan_of(table: str) -> bytes:
    """A digest for reading all items of a table, which is no query of an entity's items."""
    return _digest([table])


def _digest(parts: list[object]) -> bytes:
    return hashlib.sha256(msgspec.json.encode(parts)).digest()
