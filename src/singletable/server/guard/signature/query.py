"""A query string: its pairs, as they were meant and as Signature Version 4 writes them."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote, unquote_to_bytes

from singletable.server.guard.signature.sent import sent

SIGNATURE = "X-Amz-Signature"


def pairs_of(query: str) -> list[tuple[bytes, bytes]]:
    """The names and values of a query string, decoded, in their order."""
    return [_decoded(pair) for pair in query.split("&") if pair]


def parameters_of(pairs: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """The parameters by name; of several with one name the first."""
    parameters: dict[str, str] = {}
    for name, value in pairs:
        parameters.setdefault(name.decode(errors="replace"), value.decode(errors="replace"))
    return parameters


def canonical_query(pairs: Iterable[tuple[bytes, bytes]]) -> str:
    """The pairs encoded in the one way, in order; a signature does not sign itself."""
    encoded = sorted(
        (quote(name, safe="-_.~"), quote(value, safe="-_.~"))
        for name, value in pairs
        if name != SIGNATURE.encode()
    )
    return "&".join(f"{name}={value}" for name, value in encoded)


def _decoded(pair: str) -> tuple[bytes, bytes]:
    # Clients write a space as + or as %20, and sign it as %20.
    name, _, value = sent(pair).replace(b"+", b"%20").partition(b"=")
    return unquote_to_bytes(name), unquote_to_bytes(value)
