"""Where pages are: every part of an address is one segment, whatever is in it."""

from __future__ import annotations

from urllib.parse import quote

from singletable_apps.elections.entities import Election

PREFIX = "/elections"


def address(*parts: str) -> str:
    """The address of a page."""
    return "/".join([PREFIX, *(quote(part, safe="") for part in parts)])


def election_address(election: Election, *parts: str) -> str:
    """The address of a page about the election."""
    return address("e", election.name, *(part for part in parts if part))
