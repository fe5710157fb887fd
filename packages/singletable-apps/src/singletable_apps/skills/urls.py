"""The URLs of the pages."""

from __future__ import annotations

from dataclasses import dataclass

from singletable_apps.shared.urls import Urls as BaseUrls

PREFIX = "/skills"
API = "/api/skills"


@dataclass(frozen=True, slots=True)
class Urls(BaseUrls):
    """Builds URLs of people, skills, teams and jobs, and of actions on them."""

    prefix: str = PREFIX

    @property
    def signed_out(self) -> str:
        """The page after signing out."""
        return self.page()

    @property
    def home(self) -> str:
        """The page after signing in."""
        return self.page("start")

    def person(self, username: str, *parts: str, **query: str) -> str:
        """Return the URL of a person."""
        return self.page("people", username.casefold(), *parts, **query)

    def skill(self, skill_id: str, *parts: str, **query: str) -> str:
        """Return the URL of a skill."""
        return self.page("catalog", skill_id, *parts, **query)

    def team(self, team_id: str, *parts: str, **query: str) -> str:
        """Return the URL of a team."""
        return self.page("teams", team_id, *parts, **query)

    def role(self, role_id: str, *parts: str, **query: str) -> str:
        """Return the URL of a job."""
        return self.page("roles", role_id, *parts, **query)
