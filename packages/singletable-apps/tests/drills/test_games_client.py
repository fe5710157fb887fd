"""The client of the games drill, against a real server: HTTP, sockets, resuming and errors."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import msgspec
import pytest
import uvicorn

from drills.games_client import (
    GamesApiError,
    GamesClient,
    GameSession,
    SessionClosed,
)
from singletable import Engine
from singletable_apps.games.app import APP
from singletable_apps.games.phases import Command, Phase
from singletable_apps.games.service.answers import Outcome
from tests.apps.games.support.world import World
from tests.apps.shared.rooms.clients import in_event_loop

QUESTIONS = [
    {"type": "trivia", "title": "Hot?", "options": ["Tea", "Ice"], "correct": ["a"], "seconds": 0},
    {"type": "choice", "title": "Where?", "options": ["Here", "There"], "seconds": 0},
]
SETTINGS = {"readingSeconds": 0}


@pytest.fixture
def memory() -> World:
    return World(Engine.in_memory())


@asynccontextmanager
async def serve(world: World) -> AsyncGenerator[str]:
    """Serve a world on a free port and yield its URL."""
    app = APP.make_app(world.service, limited=False)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = server.force_exit = True
            await serving


def is_open(seen: GameSession) -> bool:
    return seen.phase is Phase.OPEN


@in_event_loop
async def test_client_plays_a_game(memory: World) -> None:
    async with serve(memory) as url, GamesClient("http://127.0.0.1:9", url) as games:
        created = await games.create_game(questions=QUESTIONS, settings=SETTINGS)
        ada, bob = [await games.join(created.game_id, name) for name in ("Ada", "Bob")]
        async with (
            games.connect(created.game_id, created.tokens.host, server=1) as host,
            games.connect(created.game_id, ada.token, server=1) as phone,
            games.connect(created.game_id, bob.token, server=1) as other,
        ):
            assert (await host.command(Command.START)).phase is Phase.OPEN
            await phone.wait_until(is_open)
            receipt = await phone.answer(phone.question_id, choices=["a"])
            assert receipt.outcome is Outcome.ACCEPTED
            # All have answered then, so the question is closed.
            await other.answer(other.question_id, choices=["b"])
            await host.wait_until(lambda seen: seen.phase is Phase.REVEAL)
            await phone.wait_until(lambda seen: seen.me.get("total"))
            assert (phone.me["total"], phone.me["place"]) == (1000, 1)
            assert msgspec.json.decode(phone.states["presenceChanged"])["players"] == 2


@in_event_loop
async def test_session_resumes_and_sends_again_after_a_cut(memory: World) -> None:
    async with serve(memory) as url, GamesClient(url) as games:
        created = await games.create_game(questions=QUESTIONS, settings=SETTINGS)
        ada = await games.join(created.game_id, "Ada")
        await games.join(created.game_id, "Bob")
        async with games.connect(created.game_id, ada.token) as phone:
            phone.cut()
            memory.service.rounds.command(created.game_id, Command.START)
            await phone.wait_until(is_open)
            sending = asyncio.create_task(phone.answer("001", choices=["a"]))
            await asyncio.sleep(0)
            phone.cut()
            assert (await sending).outcome in (Outcome.ACCEPTED, Outcome.REPEATED)
            assert len(phone.reconnects) == 2
        with pytest.raises(SessionClosed):
            await phone.answer("001", choices=["a"])


@in_event_loop
async def test_errors_have_codes_and_removed_players_get_a_message(memory: World) -> None:
    async with serve(memory) as url, GamesClient(url) as games:
        created = await games.create_game(questions=QUESTIONS, settings=SETTINGS)
        ada = await games.join(created.game_id, "Ada")
        with pytest.raises(GamesApiError) as taken:
            await games.join(created.game_id, "ada")
        assert taken.value.code == "already-exists"
        async with games.connect(created.game_id, ada.token) as phone:
            with pytest.raises(GamesApiError) as early:
                await phone.answer("001", choices=["a"])
            assert early.value.code == "wrong-phase"
            with pytest.raises(GamesApiError) as forbidden:
                await phone.command(Command.START)
            assert forbidden.value.code == "not-allowed"
            memory.service.players.remove(created.game_id, ada.player_id)
            with pytest.raises(SessionClosed) as removed:
                await phone.wait_until(lambda seen: False)
            assert removed.value.code == 4403
        with pytest.raises(SessionClosed) as stranger:
            await games.connect(created.game_id, "none").__aenter__()
        assert stranger.value.code == 4401
