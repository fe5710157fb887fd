"""Pages and their cursors: opaque, encrypted, and valid for one query only.

A cursor is the position of a query, encrypted with a key stream of HMAC-SHA-256 in counter mode and
authenticated with HMAC-SHA-256 together with the query. Without the secret nobody can read the keys
in it, forge one, or use it with other arguments.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

import msgspec
from msgspec import Raw

from singletable.errors import InvalidCursor
from singletable.expressions import render_condition, render_key_condition
from singletable.retry import Steps
from singletable.store.query import ItemQuery, Position
from singletable.store.raw_decoder import raw_decoder

E = TypeVar("E")

_NONCE_LENGTH, _TAG_LENGTH = 12, 16
_INVALID = (
    "The page cursor belongs to another query, or was changed. A cursor is valid for one query "
    "with the same arguments; start without one."
)


@dataclass(frozen=True, slots=True)
class Page(Generic[E]):
    """Some items, and the cursor of the next page; None on the last page."""

    items: list[E]
    cursor: str | None


def read_page(query: ItemQuery[E], size: int, cursor: str | None) -> Steps[Page[E]]:
    """Return one page of `size` items, starting at the cursor."""
    secret, digest = query.context.cursor_secret, _query_digest(query)
    if cursor is not None:
        query.seek(open_cursor(secret, digest, cursor))
    # One more item shows whether this is the last page, without another request.
    query.lookahead = 1
    items: list[Raw] = []
    while len(items) < size:
        more = yield from query.next_raw_items(size - len(items))
        if not more:
            break
        items += more
    next_cursor = seal_cursor(secret, digest, query.positions())
    following = yield from query.next_raw_items(1)
    decode = raw_decoder(query.model)
    return Page([decode(raw) for raw in items], next_cursor if following else None)


def seal_cursor(secret: bytes, digest: bytes, positions: list[Position]) -> str:
    """Return a cursor for these positions of the query with this digest."""
    nonce = secrets.token_bytes(_NONCE_LENGTH)
    encrypted = _apply_key_stream(secret, nonce, msgspec.json.encode(positions))
    sealed = nonce + _tag(secret, digest, nonce, encrypted) + encrypted
    return base64.urlsafe_b64encode(sealed).rstrip(b"=").decode()


def open_cursor(secret: bytes, digest: bytes, cursor: str) -> list[Position]:
    """Return the positions in a cursor; raise InvalidCursor unless it is for this query."""
    if not isinstance(cursor, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidCursor(f"A page cursor is a string, but got {cursor!r}. Start without one.")
    try:
        sealed = base64.urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4))
    except (ValueError, binascii.Error):
        raise InvalidCursor(_INVALID) from None
    nonce, tag = sealed[:_NONCE_LENGTH], sealed[_NONCE_LENGTH : _NONCE_LENGTH + _TAG_LENGTH]
    encrypted = sealed[_NONCE_LENGTH + _TAG_LENGTH :]
    if not hmac.compare_digest(tag, _tag(secret, digest, nonce, encrypted)):
        raise InvalidCursor(_INVALID)
    positions = msgspec.json.decode(_apply_key_stream(secret, nonce, encrypted))
    return cast("list[Position]", positions)


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


def _query_digest(query: ItemQuery[Any]) -> bytes:
    parts: list[object] = [
        query.context.table_name(query.model.table),
        query.model.name,
        query.selection.access.name,
        query.reverse,
    ]
    for shard in query.shards:
        rendered = render_key_condition(shard.key_query.clauses)
        parts += [rendered.text, rendered.names, rendered.values]
    if query.where is not None:
        condition = render_condition(query.where)
        parts += [condition.text, condition.names, condition.values]
    return _digest(parts)


def scan_digest(table: str) -> bytes:
    """Return the digest of a scan, which differs from that of any query."""
    return _digest([table])


def _digest(parts: list[object]) -> bytes:
    return hashlib.sha256(msgspec.json.encode(parts)).digest()
