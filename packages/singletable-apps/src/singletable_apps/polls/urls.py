"""The URLs of pages, and the links that people share."""

from __future__ import annotations

from dataclasses import dataclass

from singletable_apps.shared.urls import Urls as BaseUrls

PREFIX = "/polls"
API = "/api/polls"


@dataclass(frozen=True, slots=True)
class Urls(BaseUrls):
    """Builds URLs of pages, and links with the origin of the server."""

    prefix: str = PREFIX

    def poll(self, poll_id: str, *parts: str, **query: str) -> str:
        """Return the URL of a page of a poll; without parts, the page where people vote."""
        return self.page("p", poll_id, *parts, **query)

    def share_link(self, poll_id: str) -> str:
        """Return the link for voters."""
        return self.absolute(self.poll(poll_id))

    def admin_link(self, poll_id: str, admin_key: str) -> str:
        """Return the admin link; anyone who has it can edit and delete the poll."""
        return self.absolute(self.poll(poll_id, "manage", key=admin_key))

    def receipt_link(self, poll_id: str, code: str, proof: str) -> str:
        """Return a voter's private link, which shows the vote cast with the code."""
        return self.absolute(self.poll(poll_id, "receipt", code=code, proof=proof))

    def code_link(self, poll_id: str, code: str) -> str:
        """Return the link that fills in a voting code."""
        return self.absolute(self.poll(poll_id, code=code))
