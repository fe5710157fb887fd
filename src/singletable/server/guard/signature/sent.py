"""The bytes of a request's text, as they came over the wire."""

from __future__ import annotations


def sent(text: str) -> bytes:
    """The bytes behind a header or a target: they are read as Latin-1, a letter for each byte."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode()
