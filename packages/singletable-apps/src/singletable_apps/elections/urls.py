"""The URLs of the pages."""

from __future__ import annotations

from dataclasses import dataclass

from singletable_apps.elections.entities import Election
from singletable_apps.shared.urls import Urls as BaseUrls

PREFIX = "/elections"
API = "/api/elections"


@dataclass(frozen=True, slots=True)
class Urls(BaseUrls):
    """Builds URLs of elections."""

    prefix: str = PREFIX

    @property
    def signed_out(self) -> str:
        """The page after signing out."""
        return self.page()

    def election(self, election: Election, *parts: str, **query: str) -> str:
        """Return the URL of a page about an election."""
        return self.page("e", election.name, *(part for part in parts if part), **query)

    def picture(self, name: str) -> str:
        """Return the URL of a picture of a candidate."""
        return self.page("pictures", f"{name}.webp")

    def result_link(self, election: Election) -> str:
        """Return the link to a result that stays the same if the election is renamed."""
        return self.absolute(self.page("r", str(election.election_id)))
