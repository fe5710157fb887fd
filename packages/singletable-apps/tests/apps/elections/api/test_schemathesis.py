"""Whatever the description allows is answered as it says, and so is what it does not allow."""

from __future__ import annotations

# Much of schemathesis is without types.
# pyright: reportUnknownMemberType=false, reportUntypedFunctionDecorator=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
import os
from collections.abc import Iterator
from itertools import cycle
from typing import Any
from urllib.parse import quote

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.core.parameters import ParameterLocation

from singletable_apps.elections.service import ElectionSettings
from singletable_apps.elections.urls import API
from tests.apps.elections.api.client import Api, make_api
from tests.apps.support.elections.world import PASSWORD

# `make fuzz` asks for many.
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "2"))


def busy_town() -> Api:
    """One owner with elections in every state; existing sessions stay valid."""
    api = make_api()
    elections = api.elections
    ada = elections.people.register("Ada", "ada@example.org", PASSWORD)
    ben = elections.people.register("Ben", "ben@example.org", PASSWORD)
    for name in ("Set up", "Open / #1", "Secret", "Closed"):
        elections.lifecycle.create(ada, name, ElectionSettings(secret_ballot=name == "Secret"))
        elections.lifecycle.set_candidates(ada, name, ["Assam", "Ceylon"])
        if name != "Set up":
            elections.lifecycle.launch(ada, name, allow_edit=True)
            for voter in (ada, ben):
                elections.voting.cast(voter, name, [("Assam", 1), ("Ceylon", 2)], "1")
    elections.lifecycle.close(ada, "Closed")
    return api


api = busy_town()
TOKEN = api.anonymous().post("/sign-in", {"name_or_email": "Ada", "password": PASSWORD})
CONFIG = SchemathesisConfig.from_dict(
    {
        "auth": {"openapi": {"access token": {"bearer": TOKEN.json()["access_token"]}}},
        "checks": {
            # RFC 6585 has a status of its own for the one header that most edits require.
            "missing_required_header": {"expected-statuses": [400, 401, 428]},
            # A value may be so long that the URL is refused before it is read.
            "negative_data_rejection": {
                "expected-statuses": [
                    *(400, 401, 403, 404, 405, 406, 409, 414, 415, 422, 428, 429),
                    "5xx",
                ]
            },
            # What fits the description may be refused for what it means: a name nobody has (404),
            # one that another has (409), letters that nobody sees (422), guesses without end (429).
            "positive_data_acceptance": {
                "expected-statuses": ["2xx", 400, 401, 403, 404, 409, 412, 422, 429]
            },
        },
    }
)
schema = schemathesis.openapi.from_asgi(f"{API}/openapi.json", api.app, config=CONFIG)

ELECTIONS = cycle(["Set up", "open / #1", "Secret", "Closed"])
USERS = cycle(["ben", "Ada"])
THERE: dict[str, Iterator[str]] = {
    "voter": USERS,
    "table": cycle(["vote_data", "vote_event_log"]),
    "relation": cycle(["users", "elections", "voters", "ballots", "rankings", "events", "counts"]),
}
TURNS = cycle([True, True, True, False])
towns: list[Api] = []


@pytest.fixture(autouse=True)
def restore_sample() -> None:
    """Restore the sample data if the previous operation may have changed it."""
    if not towns:
        towns.append(busy_town())
    towns[0].activate()


@schema.parametrize()
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_operation_matches_its_schema(case: schemathesis.Case[Any]) -> None:
    aim(case)
    if case.operation.method != "get":
        towns.clear()
    case.call_and_validate()


def aim(case: schemathesis.Case[Any]) -> None:
    """Let most of the requests that are in order be about something that is there."""
    parts = case.meta.components if case.meta else {}
    path, headers = parts.get(ParameterLocation.PATH), parts.get(ParameterLocation.HEADER)
    if path is not None and path.mode.is_positive and next(TURNS):
        named = USERS if "/users/" in case.path else ELECTIONS
        for name in case.path_parameters:
            if there := {"name": named, **THERE}.get(name):
                case.path_parameters[name] = quote(next(there), safe="")
    if headers is not None and headers.mode.is_positive and "if-match" in case.headers:
        case.headers["if-match"] = "*"
