"""Every operation responds as its description says, also to requests that it does not allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import schemathesis

from singletable import Engine
from singletable_apps.games.api.dependencies import GamesState
from singletable_apps.games.live import LIMITS, LiveGames
from singletable_apps.games.phases import Command
from singletable_apps.games.questions import SetDraft
from singletable_apps.games.urls import API
from tests.apps.games.api.client import Server
from tests.apps.games.support.world import CAPITAL, HOST, LESSON, World
from tests.apps.support.api_fuzzing import Fuzzer, few_examples, load_schema


def busy() -> tuple[Engine, World, dict[str, list[str]], list[str]]:
    """Create a game in its second question, values of path parameters, and tokens."""
    engine = Engine.in_memory()
    world = World(engine)
    item = world.service.sets.create(HOST, SetDraft("Places", questions=(CAPITAL,)))
    game = world.game(LESSON, CAPITAL)
    ada, bob = world.join(game, "Ada", "Bob")
    world.play(game, Command.START)
    for phone in (ada, bob):
        phone.answer(text=f"{phone.name} says so")
    world.play(game, Command.CLOSE, Command.CLOSE, Command.NEXT, Command.NEXT)
    ballot = world.service.game_store.list_rounds(game.game_id)[0]
    names = {
        "game_id": ["none", game.game_id],
        "player_id": ["none", ada.player_id],
        "question_id": ["009", "001"],
        "answer_id": ["none", world.service.game_store.get_ballot(ballot)[0].id],
        "set_id": ["none", item.set_id],
        "code": ["123456", game.join_code],
    }
    tokens = world.service.context.tokens
    host, admin = tokens.host_token(HOST), tokens.admin_token()
    return engine, world, names, [host, host, ada.token, admin]


ENGINE, WORLD, NAMES, TOKENS = busy()
BRIEF = replace(LIMITS, presence_grace=0, poll_grace=0, room_grace=0)


def restore() -> Sequence[str]:
    """Serve a copy of the game, whose rooms close as soon as nobody is in them."""
    server = Server(World(ENGINE.copy(), like=WORLD))
    state = cast(GamesState, server.state)
    vars(state)["live"] = LiveGames(state.service, BRIEF)
    server.activate()
    return TOKENS


# Another role (403), an unknown player (404), another phase or a name that is taken (409).
STATUSES = (400, 401, 403, 404, 409, 412, 422, 429)
schema = load_schema(Server(WORLD).app, f"{API}/openapi.json", STATUSES)
# After a change, there is nothing left to repeat.
fuzzer = Fuzzer(restore, NAMES, repeated=("get",))


@schema.parametrize()  # type: ignore[untyped-decorator]
@few_examples
def test_every_operation_responds_as_described(case: schemathesis.Case[Any]) -> None:
    fuzzer.send(case)
