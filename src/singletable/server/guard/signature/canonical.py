"""The canonical form of a request: what is signed, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from urllib.parse import quote

from singletable.server.guard.signature.query import canonical_query, pairs_of
from singletable.server.guard.signature.sent import sent
from singletable.wire import HttpRequest


def canonical_request(request: HttpRequest, signed_headers: Iterable[str]) -> bytes:
    """The request in canonical form; `signed_headers` are in order, and in lower case.

    The last line is the hash of the body that came, whatever `x-amz-content-sha256` says of it.
    """
    path, _, query = request.target.partition("?")
    names = list(signed_headers)
    headers = [f"{name}:".encode() + _header(request, name) for name in names]
    return b"\n".join(
        (
            request.method.encode(),
            _canonical_path(path).encode(),
            canonical_query(pairs_of(query)).encode(),
            *headers,
            b"",
            ";".join(names).encode(),
            sha256(request.body).hexdigest().encode(),
        )
    )


def _canonical_path(path: str) -> str:
    """The path without dots and double slashes, encoded once more than it was sent."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    end = "/" if parts and path.endswith("/") else ""
    return quote(sent("/" + "/".join(parts) + end), safe="/~")


def _header(request: HttpRequest, name: str) -> bytes:
    """The header's value with single spaces; nothing if it is signed and did not come."""
    value = request.headers.get(name)
    if value is None and name == ":authority":
        value = request.headers.get("host")
    # Split as bytes: what is a space in Latin-1 may be the half of a letter in UTF-8.
    return b" ".join(sent(value or "").split())
