"""The URLs of pages, and the links that people share."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.convertors import Convertor, register_url_convertor

from singletable_apps.polls.entities import Poll
from singletable_apps.shared.service import is_uuid
from singletable_apps.shared.urls import Urls as BaseUrls

PREFIX = "/polls"
API = "/api/polls"


# Ids of polls; older ones are UUIDs.
POLL_ID = "[0-9A-HJKMNP-TV-Z]{8}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"


class _PollIdConvertor(Convertor[str]):
    """In a path `/{poll_id:poll}`, so that other words in its place are free."""

    regex = POLL_ID

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("poll", _PollIdConvertor())


@dataclass(frozen=True, slots=True)
class Urls(BaseUrls):
    """Builds URLs of pages, and links with the origin of the server."""

    prefix: str = PREFIX

    def poll(self, poll_id: str, *parts: str, **query: str) -> str:
        """Return the URL of a page of a poll; without parts, the page where people vote."""
        return self.page("p", poll_id, *parts, **query)

    def pictures(self, poll: Poll) -> dict[str, tuple[str, str]]:
        """Return the URLs of the pictures of options, and what they show."""
        shown = {name: poll.pictures[name] for name in poll.candidates if name in poll.pictures}
        return {
            name: (self.poll(poll.id, "pictures", f"{picture.name}.webp"), picture.alt)
            for name, picture in shown.items()
        }

    def share_link(self, poll_id: str, **query: str) -> str:
        """Return the link for voters; a short one redirects to the poll."""
        path = self.poll(poll_id, **query) if is_uuid(poll_id) else self.page(poll_id, **query)
        return self.absolute(path)

    def admin_link(self, poll_id: str, admin_key: str) -> str:
        """Return the admin link. With it, anyone can edit and delete the poll."""
        return self.absolute(self.poll(poll_id, "manage", key=admin_key))

    def receipt_link(self, poll_id: str, code: str, proof: str) -> str:
        """Return a voter's private link, which shows the vote cast with the code."""
        return self.absolute(self.poll(poll_id, "receipt", code=code, proof=proof))

    def code_link(self, poll_id: str, code: str) -> str:
        """Return the link that fills in a voting code."""
        return self.share_link(poll_id, code=code)
