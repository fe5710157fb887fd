"""Bodies on the wire: each is answered or refused, and a refusal changes nothing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable.errors import OperationError
from singletable.wire import TARGETS
from tests.fuzz import strategies
from tests.fuzz.asking import ask
from tests.fuzz.corpus import REQUESTS, Request
from tests.fuzz.kept import BODIES, Body
from tests.fuzz.world import World

MORE = settings(max_examples=8 * settings().max_examples)


# What is broken must have been whole.
@pytest.mark.parametrize("request_", REQUESTS, ids=str)
def test_a_valid_request_is_accepted(world: World, request_: Request) -> None:
    assert ask(world, request_.target, json.dumps(request_.body).encode()) is None


def test_every_operation_has_valid_requests() -> None:
    assert {request.target for request in REQUESTS} == set(TARGETS)


@pytest.mark.parametrize("body", BODIES, ids=str)
def test_a_body_that_once_broke_something_is_answered(world: World, body: Body) -> None:
    error = ask(world, body.target, body.text)
    if body.refusal is not None:
        assert isinstance(error, OperationError)
        assert (error.code, error.message) == body.refusal


@MORE
@given(asked=strategies.malformed())
def test_a_broken_request_is_answered(world: World, asked: tuple[str, bytes]) -> None:
    ask(world, *asked)


@given(target=strategies.targets, body=strategies.any_json)
def test_any_json_is_answered(world: World, target: str, body: bytes) -> None:
    ask(world, target, body)


@given(target=strategies.targets | st.text(max_size=20), body=strategies.any_bytes)
def test_any_bytes_are_answered(world: World, target: str, body: bytes) -> None:
    ask(world, target, body)
