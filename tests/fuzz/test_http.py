"""Requests of HTTP: each has an answer, none blames the server, and a refusal changes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import given, settings

from singletable.server import AccessLog, DynamoDBApp, Metrics, Observer
from singletable.wire import HttpRequest
from tests.fuzz.exchanges import MOST, check_response, http_requests
from tests.fuzz.forgery import forged, new_guard
from tests.fuzz.work import bounded
from tests.fuzz.world import World

MORE = settings(max_examples=4 * settings().max_examples)


class Endpoint:
    """An application around an engine, and a loop to ask it in."""

    def __init__(self, runner: asyncio.Runner, world: World, app: DynamoDBApp) -> None:
        self.runner = runner
        self.world = world
        self.app = app

    def ask(self, request: HttpRequest) -> int:
        """Ask, hold the answer against what every answer must be, and give its status."""
        # What a body unpacks to is work too, but never more of it than a body may have.
        size = min(MOST, 1100 * len(request.body)) + sum(map(len, request.headers.values()))
        with bounded(size + len(request.target)):
            response = self.runner.run(self.app.handle(request))
        check_response(response)
        if self.world.is_changed():
            assert response.status == 200, "a refused request changed something"
            self.world.renew()
        return response.status


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def open_endpoint(runner: asyncio.Runner, world: World) -> Endpoint:
    return Endpoint(runner, world, DynamoDBApp(world, max_body=MOST))


@pytest.fixture(scope="module")
def guarded_endpoint(
    runner: asyncio.Runner, world: World, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Endpoint]:
    """One that asks who asks, counts, and writes down what it did."""
    with AccessLog(str(tmp_path_factory.mktemp("log") / "access.log")) as log:
        observer = Observer(Metrics(), log)
        app = DynamoDBApp(world, max_body=MOST, observer=observer, guard=new_guard())
        yield Endpoint(runner, world, app)


@MORE
@given(request_=http_requests())
def test_any_request_of_http_is_answered(open_endpoint: Endpoint, request_: HttpRequest) -> None:
    open_endpoint.ask(request_)


@given(request_=http_requests())
def test_who_does_not_say_who_asks_gets_nothing(
    guarded_endpoint: Endpoint, request_: HttpRequest
) -> None:
    status = guarded_endpoint.ask(request_)
    assert status != 200 or request_.method in ("GET", "HEAD")


@given(pair=forged())
def test_a_forged_request_is_answered(
    guarded_endpoint: Endpoint, pair: tuple[HttpRequest, HttpRequest]
) -> None:
    guarded_endpoint.ask(pair[1])
