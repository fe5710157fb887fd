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
from singletable_apps.skills.api import API, attach
from tests.apps.skills.api.client import Server, filled_engine
from tests.apps.skills.support.world import World

# `make fuzz` asks for many.
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "2"))


def busy() -> tuple[Engine, World, dict[str, list[str]]]:
    """Create a directory where everything exists, and the values of its path parameters."""
    engine = filled_engine().copy()
    server = Server(World(engine))
    ada = server.sign_in("ada")
    server.sign_in("mia").put("/users/ada/skills/go/endorsement")
    role = ada.post("/roles", {"name": "Backend", "targets": {"go": "Expert"}}).json()
    team = ada.post("/teams", {"name": "Search", "members": ["ada", "bob"]}).json()
    entry = ada.post("/users/ada/projects", {"name": "Heron", "skills": ["go"]}).json()
    file = b"username,name,skill,level\nbob,,Go,3\nzoe,Zoe Park,Go,4\n"
    imported = ada.ask("POST", "/imports", files={"file": ("people.csv", file)}).json()
    names = {
        "username": ["ADA", "bob"],
        "skill": ["Python", "go"],
        "skill_id": ["python", "go"],
        "role_id": ["none", role["role_id"]],
        "team_id": ["none", team["team_id"]],
        "kind": ["experience", "projects"],
        "entry_id": ["none", entry["id"]],
        "import_id": ["none", imported["import_id"]],
    }
    return engine, server.world, names


ENGINE, WORLD, NAMES = busy()
TOKENS: list[str] = []
TURNS = cycle([True, True, True, False])
servers: list[Server] = []


def fresh() -> Server:
    """Return a server on a copy of the directory, and sign in as the administrator."""
    server = Server(World(ENGINE.copy(), like=WORLD))
    TOKENS[:] = [server.sign_in("ada").token]
    attach(server.app, server.world.service, server.settings)
    return server


CONFIG = SchemathesisConfig.from_dict(
    {
        # What is at the limits of every schema takes half a minute, so only `make fuzz` tries it.
        "phases": {"coverage": {"enabled": "FUZZ_EXAMPLES" in os.environ}},
        "checks": {
            # RFC 6585 has a status of its own for the one header that edits require.
            "missing_required_header": {"expected-statuses": [400, 401, 428]},
            # What fits the description may be rejected for what it means: a person who does not
            # exist (404), a skill that someone has already (409), a wrong password (401), too many
            # of them (429), a name without letters (400), one's own skills (403).
            "positive_data_acceptance": {
                "expected-statuses": ["2xx", 304, 400, 401, 403, 404, 409, 412, 429]
            },
        },
    }
)
schema = schemathesis.openapi.from_asgi(f"{API}/openapi.json", fresh().app, config=CONFIG)


@pytest.fixture(autouse=True)
def as_it_was() -> None:
    """Restore the directory, if the operation before may have changed it."""
    if not servers:
        servers.append(fresh())


@schema.parametrize()
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_operation_responds_as_described(case: schemathesis.Case[Any]) -> None:
    aim(case)
    if case.operation.method != "get":
        servers.clear()
    # It repeats requests with a wrong token, but after a deletion there is nothing left.
    changes = case.operation.method in ("delete", "put")
    case.call_and_validate(excluded_checks=[ignored_auth] if changes else [])


def aim(case: schemathesis.Case[Any]) -> None:
    """Direct most valid requests at what exists, with a token."""
    parts = case.meta.components if case.meta else {}
    path, headers = parts.get(ParameterLocation.PATH), parts.get(ParameterLocation.HEADER)
    if path is not None and path.mode.is_positive and next(TURNS):
        for name in case.path_parameters.keys() & NAMES.keys():
            case.path_parameters[name] = NAMES[name][next(TURNS)]
    if (headers is None or headers.mode.is_positive) and next(TURNS):
        case.headers["Authorization"] = f"Bearer {TOKENS[0]}"
    if headers is not None and headers.mode.is_positive and "if-match" in case.headers:
        case.headers["if-match"] = "*"
