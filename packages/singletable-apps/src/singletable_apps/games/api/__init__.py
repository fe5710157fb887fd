"""The API of games, under `/api/games`: one module per topic."""

from __future__ import annotations

from singletable_apps.games.api import games, live, reports, room, sets

__all__ = ["ABOUT", "ROUTERS"]

ROUTERS = (
    games.router,
    games.players,
    room.answers,
    room.router,
    live.router,
    reports.router,
    sets.router,
)
ABOUT = (
    "Live audience games: call-and-answer, trivia, polls and surveys.\n\n"
    "Creating a game returns the host's token, joining returns the player's. Send a token as "
    "`Authorization: Bearer …`. Every error is a problem (RFC 9457) with the additional member "
    "`error`. Live updates come over a WebSocket, or by long polls."
)
