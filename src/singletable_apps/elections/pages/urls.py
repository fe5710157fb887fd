"""The URLs of the elections pages."""

from __future__ import annotations

from urllib.parse import quote

from singletable_apps.elections.entities import Election

PREFIX = "/elections"


def url(*parts: str) -> str:
    """Return the URL of a page; every part is quoted."""
    return "/".join([PREFIX, *(quote(part, safe="") for part in parts)])


def election_url(election: Election, *parts: str) -> str:
    """Return the URL of a page about an election."""
    return url("e", election.name, *(part for part in parts if part))
