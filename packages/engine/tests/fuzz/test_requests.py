"""Every body succeeds or is rejected, and an error changes nothing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamodb_engine.errors import OperationError
from dynamodb_engine.wire import TARGETS
from tests.fuzz import strategies
from tests.fuzz.regressions import BODIES, RecordedBody
from tools.testing.fuzz.sandbox import Sandbox, send
from tools.testing.fuzz.valid_requests import REQUESTS, Request

MORE = settings(max_examples=8 * settings().max_examples)


# Mutations must start from valid requests.
@pytest.mark.parametrize("request_", REQUESTS, ids=str)
def test_valid_request_is_accepted(sandbox: Sandbox, request_: Request) -> None:
    assert send(sandbox, request_.target, json.dumps(request_.body).encode()) is None


def test_every_operation_has_valid_requests() -> None:
    assert {request.target for request in REQUESTS} == set(TARGETS)


@pytest.mark.parametrize("body", BODIES, ids=str)
def test_recorded_body_is_answered(sandbox: Sandbox, body: RecordedBody) -> None:
    error = send(sandbox, body.target, body.text)
    if body.error is not None:
        assert isinstance(error, OperationError)
        assert (error.code, error.message) == body.error


@MORE
@given(request_=strategies.malformed())
def test_malformed_request_is_answered(sandbox: Sandbox, request_: tuple[str, bytes]) -> None:
    send(sandbox, *request_)


@given(target=strategies.targets, body=strategies.any_json)
def test_any_json_is_answered(sandbox: Sandbox, target: str, body: bytes) -> None:
    send(sandbox, target, body)


@given(target=strategies.targets | st.text(max_size=20), body=strategies.any_bytes)
def test_any_bytes_are_answered(sandbox: Sandbox, target: str, body: bytes) -> None:
    send(sandbox, target, body)
