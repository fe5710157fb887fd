"""Live games over real sockets and HTTP: tokens, origins, long polls and posted messages."""

from __future__ import annotations

import json
import socket
from collections.abc import Generator
from contextlib import contextmanager
from threading import Thread
from typing import Any, cast

import httpx2
import pytest
from fastapi import FastAPI
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from singletable_apps.games.app import APP
from singletable_apps.games.entities import Game
from singletable_apps.games.tokens import Role, Seat, new_id
from singletable_apps.shared.serve import Server, server_config
from tests.apps.games.support.world import CAPITAL, World

SECONDS = 20


@contextmanager
def serving(app: FastAPI) -> Generator[str]:
    """Serve the app in a thread, and return the address of its games."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Server(server_config(app))
        thread = Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield f"127.0.0.1:{listener.getsockname()[1]}/api/games/games"
        server.should_exit = True
        thread.join()


@pytest.fixture
def address(memory: World) -> Generator[str]:
    with serving(APP.make_app(memory.service, limited=False)) as url:
        yield url


def open_socket(address: str, game_id: str, token: str, **more: Any) -> ClientConnection:
    """Connect to a game as a program does."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    url = f"ws://{address}/{game_id}/socket"
    return cast(ClientConnection, connect(url, additional_headers=headers, **more))


def read_until(client: ClientConnection, kind: str) -> dict[str, Any]:
    while (message := json.loads(client.recv(SECONDS)))["type"] != kind:
        pass
    found: dict[str, Any] = message
    return found


def close_code(client: ClientConnection) -> int:
    """Return the code with which the server closes a socket."""
    try:
        while True:
            client.recv(SECONDS)
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else 0


def host_of(world: World, game: Game) -> str:
    return world.service.context.issue_seat(game, Role.HOST)


def test_question_is_played_over_sockets(memory: World, address: str) -> None:
    game = memory.game(CAPITAL)
    (phone,) = memory.join(game, "Ada")
    host_token = host_of(memory, game)
    browser = [Subprotocol("rooms"), Subprotocol(f"token.{host_token}")]
    with (
        open_socket(address, game.game_id, phone.token) as ada,
        open_socket(address, game.game_id, "", subprotocols=browser) as host,
    ):
        first = read_until(host, "initialStateSync")["data"]["view"]
        assert read_until(ada, "initialStateSync")["data"]["me"]["name"] == "Ada"
        command = {"command": "start", "version": first["version"]}
        host.send(json.dumps({"id": "1", "type": "command", "data": command}))
        assert read_until(host, "ack")["data"]["phase"] == "open"
        assert read_until(ada, "gameStateChanged")["data"]["view"]["phase"] == "open"
        answer = {"questionId": "001", "choices": ["b"]}
        ada.send(json.dumps({"id": "2", "type": "answer", "data": answer}))
        assert read_until(ada, "ack")["data"]["outcome"] == "accepted"
        # Ada is the only one, so the question closes at once.
        assert read_until(ada, "gameStateChanged")["data"]["view"]["phase"] == "reveal"
        assert read_until(ada, "playerUpdated")["data"]["me"]["gained"] == 1000


def test_bad_tokens_and_foreign_pages_are_refused(memory: World, address: str) -> None:
    game, other = memory.game(CAPITAL), memory.game(CAPITAL)
    (ada,) = memory.join(game, "Ada")
    (bob,) = memory.join(other, "Bob")
    unknown = memory.service.context.tokens.seat_token(Seat(Role.PLAYER, game.game_id, new_id()))
    missing = new_id() + "0123456789"
    for game_id, token, code in (
        (game.game_id, "", 4401),
        (game.game_id, "x.y.z", 4401),
        (game.game_id, bob.token, 4401),
        (game.game_id, unknown, 4404),
        (missing, ada.token, 4404),
    ):
        with open_socket(address, game_id, token) as client:
            assert close_code(client) == code
    memory.service.players.remove(game.game_id, ada.player_id)
    with open_socket(address, game.game_id, ada.token) as client:
        assert close_code(client) == 4403
    with pytest.raises(InvalidStatus):
        open_socket(address, other.game_id, bob.token, origin=Origin("https://evil.example"))


def test_game_is_played_by_long_polls_and_posted_messages(memory: World, address: str) -> None:
    game = memory.game(CAPITAL)
    (phone,) = memory.join(game, "Ada")
    path, headers = f"http://{address}/{game.game_id}", {"Authorization": f"Bearer {phone.token}"}
    with httpx2.Client(headers=headers, timeout=SECONDS) as client:

        def poll(**position: Any) -> list[dict[str, Any]]:
            answer = client.get(f"{path}/events", params={"wait": 5, **position})
            messages: list[dict[str, Any]] = answer.json()["messages"]
            return messages

        known = poll()[0]
        assert known["data"]["view"]["phase"] == "waiting"
        start = {"id": "1", "type": "command", "data": {"command": "start"}}
        host = {"Authorization": f"Bearer {host_of(memory, game)}"}
        reply = client.post(f"{path}/messages", json=start, headers=host).json()
        assert (reply["type"], reply["data"]["phase"]) == ("ack", "open")
        while known["type"] != "gameStateChanged":
            for message in poll(epoch=known["epoch"], sequence=known["sequence"]):
                if message["kind"] == "event":
                    known = message
                    break
        assert known["data"]["view"]["phase"] == "open"
        answer = {"id": "2", "type": "answer", "data": {"questionId": "001", "choices": ["b"]}}
        for _ in range(2):
            reply = client.post(f"{path}/messages", json=answer).json()
            assert (reply["id"], reply["type"]) == ("2", "ack")
        assert reply["data"]["answer"]["choices"] == ["b"]
        reply = client.post(f"{path}/messages", json={"type": "answer"}).json()
        assert reply["data"]["code"] == "malformed"
        stranger = {"Authorization": "Bearer x"}
        assert client.get(f"{path}/events", headers=stranger).status_code == 401
