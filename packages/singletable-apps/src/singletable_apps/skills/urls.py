"""The URLs of the pages, below the prefix at which the app is mounted."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, urlencode

PREFIX = "/skills"
API = "/api/skills"


@dataclass(frozen=True, slots=True)
class Urls:
    """Builds URLs. `public` is the origin of the server, without a slash at the end."""

    public: str = "http://127.0.0.1:8000"

    def page(self, *parts: str, **query: str) -> str:
        """Return the URL of a page; every part is quoted."""
        path = "/".join([PREFIX, *(quote(part, safe="") for part in parts)])
        return f"{path}?{urlencode(query)}" if query else path

    def absolute(self, path: str) -> str:
        """Return the URL with its origin, for e-mails."""
        return f"{self.public}{path}"

    def person(self, username: str, *parts: str, **query: str) -> str:
        """Return the URL of a person, or of an action on it."""
        return self.page("people", username.casefold(), *parts, **query)

    def skill(self, skill_id: str, *parts: str, **query: str) -> str:
        """Return the URL of a skill, or of an action on it."""
        return self.page("catalog", skill_id, *parts, **query)

    def team(self, team_id: str, *parts: str, **query: str) -> str:
        """Return the URL of a team, or of an action on it."""
        return self.page("teams", team_id, *parts, **query)

    def role(self, role_id: str, *parts: str, **query: str) -> str:
        """Return the URL of a job, or of an action on it."""
        return self.page("roles", role_id, *parts, **query)
