"""The links that people share: to a poll, to its management, and to vote with a code."""

from __future__ import annotations

from urllib.parse import quote

# Where pages are, under the address that people use.
PAGES = "/polls"


def path_of(poll_id: str, *parts: str) -> str:
    """The path of a page about a poll; of the poll itself, where one votes."""
    return "/".join([PAGES, "p", *(quote(part, safe="") for part in (poll_id, *parts))])


def share_link(public: str, poll_id: str) -> str:
    """The link for everybody who is to vote."""
    return f"{public}{path_of(poll_id)}"


def admin_link(public: str, poll_id: str, admin_key: str) -> str:
    """The link of who made the poll: whoever has it may change and delete the poll."""
    return f"{public}{path_of(poll_id, 'manage')}?key={quote(admin_key, safe='')}"


def code_link(public: str, poll_id: str, code: str) -> str:
    """The link with a one-time code, for one who is to vote."""
    return f"{share_link(public, poll_id)}?code={quote(code, safe='')}"


PREFIX = PAGES


def url(*parts: str) -> str:
    """The address of a page."""
    return "/".join([PREFIX, *(quote(part, safe="") for part in parts)])


def poll_url(poll_id: str, *parts: str) -> str:
    """The address of a page about a poll; of the poll itself, where one votes."""
    return path_of(poll_id, *parts)
