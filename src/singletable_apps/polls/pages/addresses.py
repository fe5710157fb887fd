"""Where pages are."""

from __future__ import annotations

from urllib.parse import quote

PREFIX = "/polls"


def address(*parts: str) -> str:
    """The address of a page."""
    return "/".join([PREFIX, *(quote(part, safe="") for part in parts)])


def poll_address(poll_id: str, *parts: str) -> str:
    """The address of a page about a poll; of the poll itself, where one votes."""
    return address("p", poll_id, *parts)
