"""Every HTTP request gets a response, never a server error, and an error changes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import given, settings

from dynamodb_engine.faults import HeaderFaults
from dynamodb_engine.server import AccessLog, DynamoDBApp, Metrics, Observer
from dynamodb_engine.wire import HttpRequest
from tests.fuzz.forged_requests import forged, new_guard
from tests.fuzz.http_messages import MAX_BODY, check_response, http_requests
from tools.testing.fuzz.call_budget import limit_calls
from tools.testing.fuzz.sandbox import Sandbox

MORE = settings(max_examples=4 * settings().max_examples)


class Endpoint:
    """An app around an engine, and an event loop to run it in."""

    def __init__(self, runner: asyncio.Runner, sandbox: Sandbox, app: DynamoDBApp) -> None:
        self.runner = runner
        self.sandbox = sandbox
        self.app = app

    def send(self, request: HttpRequest) -> int:
        """Send a request, check the response, and return its status."""
        # Decompressing is work too, but never more than for the largest body.
        size = min(MAX_BODY, 1100 * len(request.body)) + sum(map(len, request.headers.values()))
        with limit_calls(size + len(request.target)):
            response = self.runner.run(self.app.handle(request))
        check_response(response, request)
        if self.sandbox.is_changed():
            assert response.status == 200, "a rejected request changed something"
            self.sandbox.reset()
        return response.status


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def open_endpoint(runner: asyncio.Runner, sandbox: Sandbox) -> Endpoint:
    app = DynamoDBApp(sandbox, driver_for=HeaderFaults(sandbox))
    app.max_body = MAX_BODY
    return Endpoint(runner, sandbox, app)


@pytest.fixture(scope="module")
def guarded_endpoint(
    runner: asyncio.Runner, sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Endpoint]:
    """Return an endpoint with authentication, metrics and an access log."""
    with AccessLog(str(tmp_path_factory.mktemp("log") / "access.log")) as log:
        observer = Observer(Metrics(), log)
        app = DynamoDBApp(
            sandbox,
            observer=observer,
            guard=new_guard(),
            driver_for=HeaderFaults(sandbox),
        )
        app.max_body = MAX_BODY
        yield Endpoint(runner, sandbox, app)


@MORE
@given(request_=http_requests())
def test_any_http_request_is_answered(open_endpoint: Endpoint, request_: HttpRequest) -> None:
    open_endpoint.send(request_)


@given(request_=http_requests())
def test_unsigned_request_is_rejected(guarded_endpoint: Endpoint, request_: HttpRequest) -> None:
    status = guarded_endpoint.send(request_)
    assert status != 200 or request_.method in ("GET", "HEAD")


@given(pair=forged())
def test_forged_request_is_answered(
    guarded_endpoint: Endpoint, pair: tuple[HttpRequest, HttpRequest]
) -> None:
    guarded_endpoint.send(pair[1])
