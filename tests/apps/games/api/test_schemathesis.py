"""Every operation responds as its description says, also to requests that it does not allow."""

from __future__ import annotations

# Much of schemathesis is without types.
# pyright: reportUnknownMemberType=false, reportUntypedFunctionDecorator=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
import os
from itertools import cycle
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi.checks import ignored_auth

from singletable import Engine
from singletable_apps.games.api import API, attach
from singletable_apps.games.phases import Command
from singletable_apps.games.questions import SetDraft
from tests.apps.games.api.client import Server
from tests.apps.games.support.world import CAPITAL, HOST, LESSON, World

# `make fuzz` asks for many.
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "2"))


def busy() -> tuple[Engine, World, dict[str, list[str]], dict[str, str]]:
    """Create a game in its second question, values of path parameters, and tokens by role."""
    engine = Engine.in_memory()
    world = World(engine)
    item = world.service.sets.create(HOST, SetDraft("Places", questions=(CAPITAL,)))
    game = world.game(LESSON, CAPITAL)
    ada, bob = world.join(game, "Ada", "Bob")
    world.play(game, Command.START)
    for phone in (ada, bob):
        phone.answer(text=f"{phone.name} says so")
    world.play(game, Command.CLOSE, Command.CLOSE, Command.NEXT, Command.NEXT)
    ballot = world.service.rounds.list_rounds(game.game_id)[0]
    names = {
        "game_id": ["none", game.game_id],
        "player_id": ["none", ada.player_id],
        "question_id": ["009", "001"],
        "answer_id": ["none", world.service.rounds.get_ballot(ballot)[0].id],
        "set_id": ["none", item.set_id],
        "code": ["123456", game.join_code],
    }
    tokens = world.service.context.tokens
    return (
        engine,
        world,
        names,
        {
            "host": tokens.host_token(HOST),
            "player": ada.token,
            "admin": tokens.admin_token(),
        },
    )


ENGINE, WORLD, NAMES, TOKENS = busy()
TURNS = cycle([True, True, True, False])
ROLES = cycle(["host", "host", "player", "admin"])
servers: list[Server] = []


def fresh() -> Server:
    """Return a server on a copy of the game."""
    server = Server(World(ENGINE.copy(), like=WORLD))
    attach(server.app, server.world.service, server.settings)
    return server


CONFIG = SchemathesisConfig.from_dict(
    {
        # What is at the limits of every schema takes half a minute, so only `make fuzz` tries it.
        "phases": {"coverage": {"enabled": "FUZZ_EXAMPLES" in os.environ}},
        "checks": {
            # RFC 6585 has a status of its own for the one header that edits require.
            "missing_required_header": {"expected-statuses": [400, 401, 428]},
            # What fits the description may be rejected for what it means: another phase or a name
            # that is taken (409), another role (403), a player who does not exist (404).
            "positive_data_acceptance": {
                "expected-statuses": ["2xx", 304, 400, 401, 403, 404, 409, 410, 412, 422, 429]
            },
        },
    }
)
schema = schemathesis.openapi.from_asgi(f"{API}/openapi.json", fresh().app, config=CONFIG)


@pytest.fixture(autouse=True)
def as_it_was() -> None:
    """Restore the game, if the operation before may have changed it."""
    if not servers:
        servers.append(fresh())


@schema.parametrize()
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_operation_responds_as_described(case: schemathesis.Case[Any]) -> None:
    aim(case)
    if case.operation.method != "get":
        servers.clear()
    # It repeats requests with a wrong token, but after a deletion there is nothing left.
    changes = case.operation.method != "get"
    case.call_and_validate(excluded_checks=[ignored_auth] if changes else [])


def aim(case: schemathesis.Case[Any]) -> None:
    """Direct most valid requests at what exists, with a token, and do not wait for events."""
    parts = case.meta.components if case.meta else {}
    path, headers = parts.get(ParameterLocation.PATH), parts.get(ParameterLocation.HEADER)
    if path is not None and path.mode.is_positive and next(TURNS):
        for name in case.path_parameters.keys() & NAMES.keys():
            case.path_parameters[name] = NAMES[name][next(TURNS)]
    if (headers is None or headers.mode.is_positive) and next(TURNS):
        case.headers["Authorization"] = f"Bearer {TOKENS[next(ROLES)]}"
    if headers is not None and headers.mode.is_positive and "if-match" in case.headers:
        case.headers["if-match"] = "*"
    query = parts.get(ParameterLocation.QUERY)
    if case.path.endswith("/events") and (query is None or query.mode.is_positive):
        case.query["wait"] = "0"
