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
from singletable_apps.polls.entities import Protection, ResultsVisibility
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import ManagedPoll, Voter
from singletable_apps.polls.urls import API
from tests.apps.polls.api.client import OPTIONS, Server, make_server

# `make fuzz` asks for many.
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "2"))


def busy() -> tuple[Engine, list[ManagedPoll]]:
    """Create open and closed polls of every kind, with votes."""
    engine = Engine.in_memory()
    polls = make_server(driver=engine).polls
    made: list[ManagedPoll] = []
    for protection, results in zip(Protection, ResultsVisibility, strict=True):
        managed = polls.lifecycle.create(
            PollDraft("Best?", OPTIONS, protection=protection, results=results)
        )
        codes = polls.codes.issue(managed.poll.id, managed.admin_key, 3)
        for code in codes:
            polls.voting.cast(managed.poll.id, ["Go", "Rust"], Voter(code=code))
        made.append(managed)
    polls.lifecycle.close(made[0].poll.id, made[0].admin_key)
    made.append(polls.lifecycle.create(PollDraft("New?", OPTIONS)))
    return engine, made


ENGINE, MADE = busy()
server = make_server(driver=ENGINE.copy())
server.activate()
CONFIG = SchemathesisConfig.from_dict(
    {
        "checks": {
            # RFC 6585 has a status of its own for the one header that edits require.
            "missing_required_header": {"expected-statuses": [400, 401, 428]},
            # What fits the description may be refused for what it means: a poll that is not there
            # (404) or closed (409), a code that is none (403), two options alike (422).
            "positive_data_acceptance": {
                "expected-statuses": ["2xx", 304, 400, 401, 403, 404, 409, 412, 422]
            },
        },
    }
)
schema = schemathesis.openapi.from_asgi(f"{API}/openapi.json", server.app, config=CONFIG)
TURNS = cycle([True, True, True, False])
WHICH = cycle(MADE)
places: list[Server] = []


@pytest.fixture(autouse=True)
def restore_sample() -> None:
    """Restore the sample data if the previous operation may have changed it."""
    if not places:
        places.append(make_server(driver=ENGINE.copy()))
    places[0].activate()


@schema.parametrize()
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_operation_responds_as_described(case: schemathesis.Case[Any]) -> None:
    aim(case, next(WHICH))
    if case.operation.method != "get":
        places.clear()
    # It sends what has worked again, with a wrong key: there is nothing left after a deletion.
    deletes = case.operation.method == "delete"
    case.call_and_validate(excluded_checks=[ignored_auth] if deletes else [])


def aim(case: schemathesis.Case[Any], managed: ManagedPoll) -> None:
    """Let most of the requests that are in order be about a poll that is there, with its key."""
    parts = case.meta.components if case.meta else {}
    path, headers = parts.get(ParameterLocation.PATH), parts.get(ParameterLocation.HEADER)
    if path is not None and path.mode.is_positive and next(TURNS):
        case.path_parameters["poll_id"] = managed.poll.id
    if (headers is None or headers.mode.is_positive) and next(TURNS):
        case.headers["Authorization"] = f"Bearer {managed.admin_key}"
    if headers is not None and headers.mode.is_positive and "if-match" in case.headers:
        case.headers["if-match"] = "*"
