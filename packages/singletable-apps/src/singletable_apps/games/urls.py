"""The URLs of the pages, below the prefix at which the app is mounted."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, urlencode

PREFIX = "/games"
API = "/api/games"


@dataclass(frozen=True, slots=True)
class Urls:
    """Builds URLs. `public` is the origin of the server, without a slash at the end."""

    public: str = "http://127.0.0.1:8000"

    def page(self, *parts: str, **query: str) -> str:
        """Return the URL of a page; every part is quoted."""
        path = "/".join([PREFIX, *(quote(part, safe="") for part in parts)])
        return f"{path}?{urlencode(query)}" if query else path

    def absolute(self, path: str) -> str:
        """Return the URL with its origin, for links and QR codes."""
        return f"{self.public}{path}"

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
        return self.page("reports", game_id, *parts, **query)

    def question_set(self, set_id: str, *parts: str, **query: str) -> str:
        """Return the URL of a question set, or of an action on it."""
        return self.page("sets", set_id, *parts, **query)

    def api(self, *parts: str) -> str:
        """Return the path of an API operation."""
        return "/".join([API, *(quote(part, safe="") for part in parts)])
