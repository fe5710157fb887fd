"""Read a request that came in one piece and is written plainly, as nearly all are.

Rule. What is read here is exactly what a full HTTP parser would read; whatever is in doubt is left
      to one. So nothing here refuses anything.
"""

from __future__ import annotations

import re
from functools import lru_cache

from singletable.wire.http import HttpRequest

_FIRST_LINE = "POST / HTTP/1.1"
_PRINTABLE = bytes(range(0x20, 0x7F))
# Headers that change how the body comes, or what happens to the connection.
_SPECIAL = frozenset(["transfer-encoding", "expect", "upgrade", "proxy-connection", "trailer"])
_KEEP = (None, "keep-alive", "Keep-Alive")
_NAME = re.compile(r"[A-Za-z0-9-]{1,64}")


def plain_request(data: bytes, client: str, most_headers: int) -> HttpRequest | None:
    """The one request that the bytes are, on a connection that is kept; None if they may not be."""
    head, _, body = data.partition(b"\r\n\r\n")
    if len(head) > most_headers:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    # Nothing but these lines and what divides them: no other breaks, nothing that does not print.
    if first != _FIRST_LINE or head.translate(None, _PRINTABLE) != b"\r\n" * len(lines):
        return None
    headers: dict[str, str] = {}
    for line in lines:
        spelled, _, value = line.partition(": ")
        name = _lower(spelled)
        # Space around a value is no part of it: let someone else cut it off.
        if name is None or not value or value != value.strip():
            return None
        headers[name] = value
    if len(headers) != len(lines) or headers.get("content-length") != str(len(body)):
        return None
    if headers.get("connection") not in _KEEP or not _SPECIAL.isdisjoint(headers):
        return None
    return HttpRequest("POST", "/", headers, body, client)


@lru_cache(maxsize=256)
def _lower(name: str) -> str | None:
    """The name in lower case; None if it may be no name."""
    return name.lower() if _NAME.fullmatch(name) else None
