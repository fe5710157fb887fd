"""Requests of HTTP: each has an answer, none blames the server, and a refusal changes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import given, settings

from singletable.server import DynamoDBApp
from singletable.wire import HttpRequest
from tests.fuzz.exchanges import MOST, check_response, http_requests
from tests.fuzz.work import bounded
from tests.fuzz.world import World

MORE = settings(max_examples=4 * settings().max_examples)


class Endpoint:
    """An application around an engine, and a loop to ask it in."""

    def __init__(self, runner: asyncio.Runner) -> None:
        self.world = World()
        self.runner = runner
        self.app = DynamoDBApp(self.world, max_body=MOST)

    def ask(self, request: HttpRequest) -> int:
        """Ask, hold the answer against what every answer must be, and give its status."""
        # What a body unpacks to is work too, but never more of it than a body may have.
        size = min(MOST, 1100 * len(request.body)) + sum(map(len, request.headers.values()))
        with bounded(size):
            response = self.runner.run(self.app.answer(request))
        check_response(response)
        if self.world.is_changed():
            assert response.status == 200, "a refused request changed something"
            self.world.renew()
        return response.status


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with asyncio.Runner() as runner:
        endpoint = Endpoint(runner)
        yield endpoint
        endpoint.world.engine.close()


@MORE
@given(request_=http_requests())
def test_any_request_of_http_is_answered(endpoint: Endpoint, request_: HttpRequest) -> None:
    endpoint.ask(request_)
