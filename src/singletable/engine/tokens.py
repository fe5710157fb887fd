"""Client tokens: a transaction that is sent twice is carried out once."""

from __future__ import annotations

import hashlib
from typing import cast

from msgspec import json

from singletable.engine.session import Session
from singletable.errors import IdempotentParameterMismatch
from singletable.operations import TransactWriteItems
from singletable.values import to_builtin

LIFETIME = 10 * 60


def digest_of(request: TransactWriteItems) -> bytes:
    """What makes two requests the same: their actions, in whatever order attributes are listed."""
    actions = json.encode(request.transact_items, enc_hook=to_builtin, order="deterministic")
    return hashlib.sha256(actions).digest()


def replayed(session: Session, token: str, digest: bytes) -> dict[str, float] | None:
    """What reading back the first call costs, by table; None if there was none."""
    session.execute("DELETE FROM tokens WHERE moment <= ?", (session.now - LIFETIME,))
    for known, result in session.execute(
        "SELECT request, result FROM tokens WHERE token = ?", (token,)
    ):
        if known != digest:
            raise IdempotentParameterMismatch(
                "The request uses the same client token as a previous, but non-identical request. "
                "Do not reuse a client token with different requests, unless the requests are "
                "identical"
            )
        return json.decode(cast(bytes, result), type=dict[str, float])
    return None


def remember(session: Session, token: str, digest: bytes, units: dict[str, float]) -> None:
    """Keep the token for ten minutes, with what a replay is charged."""
    session.execute(
        "INSERT INTO tokens (token, request, moment, result) VALUES (?, ?, ?, ?)",
        (token, digest, session.now, json.encode(units)),
    )
