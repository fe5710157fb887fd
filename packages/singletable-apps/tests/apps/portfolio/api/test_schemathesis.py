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
from singletable_apps.portfolio.urls import API
from tests.apps.portfolio.api.client import Server, make_server
from tests.apps.portfolio.support.harness import World
from tests.apps.portfolio.support.images import image_file

# `make fuzz` asks for many.
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "2"))


def busy() -> tuple[Engine, World, dict[str, list[Any]]]:
    """Create a site with posts, comments, an image and accounts, and the names of all."""
    engine = Engine.in_memory()
    server = make_server(engine)
    owner = server.owner
    blogs = [
        owner.writes("Public", tags=["tea"], category="Notes"),
        owner.writes("Draft", status="draft"),
    ]
    path = f"/blogs/{blogs[0]['blogId']}"
    owner.put(path, {"title": "Edited"})
    for text in ("Approved", "Waiting"):
        owner.post(f"{path}/comments", {"author_name": "Joan", "content": text})
    refs = [each["ref"] for each in owner.get("/comments").json()["data"]["items"]]
    owner.post(f"/comments/{refs[0]}/approve")
    image = owner.ask("POST", "/media", files={"file": ("x.png", image_file())})
    users = owner.get("/users").json()["data"]
    return (
        engine,
        server.world,
        {
            "blog_id": [blog["blogId"] for blog in blogs],
            "number": [1],
            "ref": refs,
            "name": [image.json()["data"]["name"]],
            "user_id": [user["user_id"] for user in users],
        },
    )


ENGINE, WORLD, NAMES = busy()
TOKENS: list[str] = []
TURNS = cycle([True, True, True, False])
servers: list[Server] = []


def fresh() -> Server:
    """Return a server on a copy of the site, and sign in."""
    server = Server(World(ENGINE.copy(), like=WORLD))
    TOKENS[:] = [server.owner.token]
    server.activate()
    return server


CONFIG = SchemathesisConfig.from_dict(
    {
        "checks": {
            # RFC 6585 has a status of its own for the one header that edits require.
            "missing_required_header": {"expected-statuses": [400, 401, 428]},
            # What fits the description may be refused for what it means: a post that is not there
            # (404), a slug that cannot be one (400), a wrong password (401), a site that was set up
            # already (403), too many wrong passwords (429).
            "positive_data_acceptance": {
                "expected-statuses": ["2xx", 301, 304, 400, 401, 403, 404, 412, 415, 429]
            },
        },
    }
)
schema = schemathesis.openapi.from_asgi(f"{API}/openapi.json", fresh().app, config=CONFIG)


@pytest.fixture(autouse=True)
def restore_sample() -> None:
    """Restore the sample data if the previous operation may have changed it."""
    if not servers:
        servers.append(fresh())


@schema.parametrize()
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_operation_responds_as_described(case: schemathesis.Case[Any]) -> None:
    aim(case)
    if case.operation.method != "get":
        servers.clear()
    # It sends what has worked again, with a wrong token: there is nothing left after a deletion.
    changes = case.operation.method in ("delete", "put")
    case.call_and_validate(excluded_checks=[ignored_auth] if changes else [])


def aim(case: schemathesis.Case[Any]) -> None:
    """Make most of the valid requests use existing ids and a token."""
    parts = case.meta.components if case.meta else {}
    path, headers = parts.get(ParameterLocation.PATH), parts.get(ParameterLocation.HEADER)
    if path is not None and path.mode.is_positive and next(TURNS):
        for name in case.path_parameters:
            case.path_parameters[name] = NAMES[name][next(TURNS) - 1]
    if (headers is None or headers.mode.is_positive) and next(TURNS):
        case.headers["Authorization"] = f"Bearer {TOKENS[0]}"
    if headers is not None and headers.mode.is_positive and "if-match" in case.headers:
        case.headers["if-match"] = "*"
