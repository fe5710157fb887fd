"""The guard admits or rejects signed requests, and never admits a changed one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import given

from dynamodb_engine.errors import EngineError, OperationError
from dynamodb_engine.server.guard import Guard
from dynamodb_engine.wire import HttpRequest, read_request, write_error
from tests.fuzz import strategies
from tests.fuzz.forged_requests import forged, new_guard
from tests.fuzz.regressions import BODIES, RecordedBody
from tools.testing.fuzz.call_budget import limit_calls
from tools.testing.fuzz.sandbox import Sandbox


@pytest.fixture(scope="module")
def guard() -> Guard:
    return new_guard()


@given(pair=forged())
def test_changed_request_is_not_admitted(
    guard: Guard, pair: tuple[HttpRequest, HttpRequest]
) -> None:
    signed_request, request = pair
    size = len(request.body) + len(request.target) + sum(map(len, request.headers.values()))
    try:
        with limit_calls(size):
            guard.authenticate(request)
    except OperationError as error:
        check_status(error)
        return
    assert (request.method, request.body) == (signed_request.method, signed_request.body)
    for name in ("x-amz-target", "host"):
        assert request.headers[name].split() == signed_request.headers[name].split()


def check_status(error: EngineError) -> None:
    status, _ = write_error(error)
    assert status in (400, 403)


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


def check(guard: Guard, sandbox: Sandbox, runner: asyncio.Runner, target: str, body: bytes) -> None:
    """Authorize a request with the restricted credential."""
    (restricted,) = [identity for identity in guard.identities if identity.name == "restricted"]
    try:
        with limit_calls(len(body)):
            operation = read_request(target, body)
            runner.run(guard.authorize(restricted, operation, sandbox))
    except EngineError as error:
        check_status(error)
    assert not sandbox.is_changed()


@given(request_=strategies.malformed())
def test_malformed_request_is_allowed_or_denied(
    sandbox: Sandbox, guard: Guard, runner: asyncio.Runner, request_: tuple[str, bytes]
) -> None:
    check(guard, sandbox, runner, *request_)


@pytest.mark.parametrize("body", BODIES, ids=str)
def test_recorded_body_is_allowed_or_denied(
    sandbox: Sandbox, guard: Guard, runner: asyncio.Runner, body: RecordedBody
) -> None:
    check(guard, sandbox, runner, body.target, body.text)
