"""Cursors for lists that are not one query: a small JSON, sealed for one list."""

from __future__ import annotations

import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import cast

from pydantic import JsonValue

from singletable_apps.shared.web.kinds import CURSOR_REFUSED
from singletable_apps.shared.web.pages import PageRequest
from singletable_apps.shared.web.problems import Fault, Problem

_SEAL_BYTES = 16


class SealedOffsets:
    """Makes cursors of positions, and positions of cursors; a position can be read, not changed."""

    def __init__(self, key: bytes) -> None:
        if len(key) < _SEAL_BYTES:
            raise ValueError(f"Expected a key of at least {_SEAL_BYTES} bytes, but got {len(key)}.")
        self._key = key

    def seal(self, page: PageRequest, position: JsonValue) -> str:
        """A cursor that goes on at the position, in the list that the page is of."""
        content = json.dumps(position, separators=(",", ":")).encode()
        return urlsafe_b64encode(self._seal(page, content) + content).rstrip(b"=").decode()

    def open(self, page: PageRequest) -> JsonValue:
        """Where the page begins: None at the first; a 400 problem if the cursor is not ours."""
        if page.cursor is None:
            return None
        try:
            sealed = urlsafe_b64decode(page.cursor + "=" * (-len(page.cursor) % 4))
        except ValueError:
            raise cursor_refused("It is not one of ours.") from None
        seal, content = sealed[:_SEAL_BYTES], sealed[_SEAL_BYTES:]
        if not hmac.compare_digest(seal, self._seal(page, content)):
            raise cursor_refused("It was not made for this list.")
        return cast(JsonValue, json.loads(content))

    def _seal(self, page: PageRequest, content: bytes) -> bytes:
        text = page.bound_to.encode() + b"\0" + content
        return hmac.digest(self._key, text, "sha256")[:_SEAL_BYTES]


def cursor_refused(detail: str) -> Problem:
    """The 400 problem for a cursor, with what is wrong with it."""
    return Problem(CURSOR_REFUSED, errors=[Fault(detail, parameter="cursor")])
