"""What a request says of its own signature, in a header or in its query string."""

from __future__ import annotations

import re
from dataclasses import dataclass

from singletable.errors import IncompleteSignature, InvalidSignature, MissingAuthenticationToken
from singletable.server.guard.signature.moments import SKEW, read_lifetime
from singletable.server.guard.signature.query import SIGNATURE, pairs_of, parameters_of
from singletable.wire import HttpRequest

_IN_QUERY = (
    "X-Amz-Algorithm",
    "X-Amz-Credential",
    SIGNATURE,
    "X-Amz-SignedHeaders",
    "X-Amz-Date",
)


@dataclass(frozen=True, slots=True)
class Claim:
    """The parts of a signature, as they were written; `lifetime` is in seconds."""

    algorithm: str
    credential: str
    signature: str
    signed_headers: tuple[str, ...]
    date: str
    lifetime: int
    token: str | None


def claim_of(request: HttpRequest) -> Claim:
    """Return the request's claim, or raise if it is missing or incomplete."""
    header = request.headers.get("authorization")
    query = parameters_of(pairs_of(request.target.partition("?")[2]))
    if header and "X-Amz-Algorithm" in query:
        raise InvalidSignature(
            "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP "
            "header."
        )
    if header and header.strip().startswith("AWS4-"):
        return _claim_in_header(header, request)
    if not header and "X-Amz-Algorithm" in query:
        return _claim_in_query(query)
    raise MissingAuthenticationToken


def _claim_in_header(header: str, request: HttpRequest) -> Claim:
    algorithm, *words = re.split(r"[,\s]+", header.strip())
    parts: dict[str, str] = {}
    for word in filter(None, words):
        name, equals, value = word.partition("=")
        if not equals:
            raise IncompleteSignature(
                f"'{name}' not a valid key=value pair (missing equal-sign) in Authorization "
                f"header: '{header}'."
            )
        parts[name] = value
    date = request.headers.get("x-amz-date") or request.headers.get("date")
    # AWS takes an empty list of headers for a list, and then misses the host in it.
    missing = "".join(
        f"Authorization header requires '{name}' parameter. "
        for name in ("Credential", "Signature", "SignedHeaders")
        if not parts.get(name) and not (name == "SignedHeaders" and name in parts)
    )
    if not date:
        missing += (
            "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
        )
    if missing or not date:
        raise IncompleteSignature(f"{missing}Authorization={header}")
    return Claim(
        algorithm,
        parts["Credential"],
        parts["Signature"],
        _names(parts["SignedHeaders"]),
        date.strip(),
        SKEW,
        request.headers.get("x-amz-security-token"),
    )


def _claim_in_query(query: dict[str, str]) -> Claim:
    missing = "".join(
        f"AWS query-string parameters must include '{name}'. "
        for name in _IN_QUERY
        if not query.get(name)
    )
    if missing:
        raise IncompleteSignature(f"{missing}Re-examine the query-string parameters.")
    return Claim(
        query["X-Amz-Algorithm"],
        query["X-Amz-Credential"],
        query[SIGNATURE],
        _names(query["X-Amz-SignedHeaders"]),
        query["X-Amz-Date"],
        read_lifetime(query.get("X-Amz-Expires")),
        query.get("X-Amz-Security-Token"),
    )


def _names(written: str) -> tuple[str, ...]:
    return tuple(sorted({name for name in written.lower().split(";") if name}))
