"""Where pages are."""

from __future__ import annotations

from urllib.parse import quote

from singletable_apps.polls.links import PAGES, path_of

PREFIX = PAGES


def address(*parts: str) -> str:
    """The address of a page."""
    return "/".join([PREFIX, *(quote(part, safe="") for part in parts)])


def poll_address(poll_id: str, *parts: str) -> str:
    """The address of a page about a poll; of the poll itself, where one votes."""
    return path_of(poll_id, *parts)
