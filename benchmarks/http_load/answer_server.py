"""Serve answers: python -m benchmarks.http_load.answer_server games|echo SOCKET ROOMS PLAYERS.

`games` is the app on tables in a file, with games of some players each that have not started; for
each game it prints its id, the token of the host and those of the players. `echo` acknowledges
every message, and does nothing else. SOCKET is the number of a listening socket.
"""

from __future__ import annotations

import json
import socket
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

ROUNDS = 3


def echo_config() -> uvicorn.Config:
    """Return an app that acknowledges every message."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            sent = json.loads(message["text"])
            reply = {"type": "ack", "id": sent["id"], "data": sent["data"]}
            await send({"type": "websocket.send", "text": json.dumps(reply, separators=(",", ":"))})

    return uvicorn.Config(
        app,
        log_level="warning",
        lifespan="off",
        ws="websockets-sansio",
        ws_per_message_deflate=False,
    )


def serve_games(listener: socket.socket, rooms: int, players: int, folder: Path) -> None:
    """Serve games with this many players each on tables in a file."""
    from singletable import connect
    from singletable_apps.games.app import APP
    from singletable_apps.games.entities import GameSettings, Leaderboard, Player
    from singletable_apps.games.questions import Question, QuestionType, make_options
    from singletable_apps.games.service import open_games
    from singletable_apps.games.service.games import GameDraft
    from singletable_apps.games.tokens import Role, Seat
    from singletable_apps.shared.serve import Server, server_config

    question = Question(
        QuestionType.TRIVIA, "?", options=make_options("abcd"), correct=("b",), seconds=0
    )
    with connect(f"file:{folder / 'games.db'}") as driver:
        service = open_games(driver, b"of a benchmark" * 3)
        context = service.context
        settings = GameSettings(
            reading_seconds=0, leaderboard=Leaderboard.NEVER, max_players=10_000
        )
        draft = GameDraft(questions=[question] * ROUNDS, settings=settings)
        ids = [f"{number:016d}" for number in range(players)]
        now, opened = context.clock(), list[tuple[str, list[str]]]()
        for _ in range(rooms):
            game = service.games.create("host", draft)
            context.store.put_many(
                Player(
                    game_id=game.game_id,
                    player_id=each,
                    name=f"Player {each}",
                    joined_at=now,
                    last_seen_at=now,
                    expires_at=game.expires_at,
                )
                for each in ids
            )
            seats = [Seat(Role.PLAYER, game.game_id, each) for each in ids]
            tokens = [context.issue_seat(game, Role.HOST), *map(context.tokens.seat_token, seats)]
            opened.append((game.game_id, tokens))
        print(json.dumps(opened), flush=True)
        Server(server_config(APP.make_app(service))).run([listener])


if __name__ == "__main__":
    listening = socket.socket(fileno=int(sys.argv[2]))
    room_count, player_count = map(int, sys.argv[3:5])
    if sys.argv[1] == "echo":
        print(json.dumps([["", [""] * (player_count + 1)]] * room_count), flush=True)
        uvicorn.Server(echo_config()).run([listening])
    else:
        with tempfile.TemporaryDirectory() as scratch:
            serve_games(listening, room_count, player_count, Path(scratch))
