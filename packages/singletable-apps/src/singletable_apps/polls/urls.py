"""The URLs of pages, and the links that people share."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from singletable_apps.shared.urls import Urls as BaseUrls

PREFIX = "/polls"
API = "/api/polls"


@dataclass(frozen=True, slots=True)
class Urls(BaseUrls):
    """Builds URLs of pages."""

    prefix: str = PREFIX


def page_url(*parts: str) -> str:
    """Return the URL of a page."""
    return "/".join([PREFIX, *(quote(part, safe="") for part in parts)])


def poll_url(poll_id: str, *parts: str) -> str:
    """Return the URL of a page of a poll; without parts, the page where people vote."""
    return page_url("p", poll_id, *parts)


def share_link(public_url: str, poll_id: str) -> str:
    """Return the link for voters."""
    return f"{public_url}{poll_url(poll_id)}"


def admin_link(public_url: str, poll_id: str, admin_key: str) -> str:
    """Return the admin link; anyone who has it can edit and delete the poll."""
    return f"{public_url}{poll_url(poll_id, 'manage')}?key={quote(admin_key, safe='')}"


def receipt_link(public_url: str, poll_id: str, code: str, proof: str) -> str:
    """Return a voter's private link, which shows the vote cast with the code."""
    return f"{public_url}{poll_url(poll_id, 'receipt')}?code={quote(code)}&proof={quote(proof)}"


def code_link(public_url: str, poll_id: str, code: str) -> str:
    """Return the link that fills in a voting code."""
    return f"{share_link(public_url, poll_id)}?code={quote(code, safe='')}"
