"""An answer of a phone takes the way that the README of games describes."""

from __future__ import annotations

import json
from typing import Any

from singletable import Engine
from singletable_apps.games.app import APP
from tests.apps.games.live.test_sockets import host_of, open_socket, read_until, serving
from tests.apps.games.support.world import CAPITAL, World
from tools.testing.walks import missing_stops, traced

README = "packages/singletable-apps/src/singletable_apps/games/README.md"


def test_answer_takes_the_described_way() -> None:
    world = World(Engine.in_memory())
    app = APP.make_app(world.service, limited=False)
    game = world.game(CAPITAL)
    (phone,) = world.join(game, "Ada")
    with (
        traced() as trace,
        serving(app) as address,
        open_socket(address, game.game_id, host_of(world, game)) as host,
        open_socket(address, game.game_id, phone.token) as ada,
    ):
        version = read_until(host, "initialStateSync")["data"]["view"]["version"]
        _send(host, "command", command="start", version=version)
        read_until(ada, "gameStateChanged")
        trace.files.clear()
        _send(ada, "answer", questionId="001", choices=["a"])
        assert read_until(ada, "ack")
    assert missing_stops("A game answer", trace, README) == []


def _send(client: Any, kind: str, **data: object) -> None:
    client.send(json.dumps({"id": kind, "type": kind, "data": data}))
