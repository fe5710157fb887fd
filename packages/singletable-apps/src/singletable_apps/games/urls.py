"""The URLs of the pages, below the prefix at which the app is mounted."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from singletable_apps.shared.urls import Urls as BaseUrls

PREFIX = "/games"
API = "/api/games"


@dataclass(frozen=True, slots=True)
class Urls(BaseUrls):
    """Builds URLs of games, of the screens of their roles, and of question sets."""

    prefix: str = PREFIX

    def join(self, code: str = "") -> str:
        """Return the URL where players enter the code, or join the game with this code."""
        return self.page("join", **({"code": code} if code else {}))

    def play(self, game_id: str, *parts: str, **query: str) -> str:
        """Return the URL of the screen of a player or the audience, or of an action on it."""
        return self.page("play", game_id, *parts, **query)

    def host(self, game_id: str, *parts: str, **query: str) -> str:
        """Return the URL of the host's screen of a game, or of an action on it."""
        return self.page("host", game_id, *parts, **query)

    def screen(self, game_id: str) -> str:
        """Return the URL of the big screen of a game."""
        return self.page("screen", game_id)

    def seat(self, token: str) -> str:
        """Return the URL that gives a browser the role of a token, and leads to its screen."""
        return self.page("seat", token=token)

    def report(self, game_id: str, *parts: str, **query: str) -> str:
        """Return the URL of the report of a game."""
        return self.host(game_id, "report", *parts, **query)

    def question_set(self, set_id: str, *parts: str, **query: str) -> str:
        """Return the URL of a question set, or of an action on it."""
        return self.page("sets", set_id, *parts, **query)

    def api(self, *parts: str) -> str:
        """Return the path of an API operation."""
        return "/".join([API, *(quote(part, safe="") for part in parts)])
