"""Live games, and a server for their documents."""

from tests.apps.games.api.conftest import server

__all__ = ["server"]
