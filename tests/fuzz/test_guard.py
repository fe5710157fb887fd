"""The guard: what is signed, or said to be, is admitted or refused, but never once it changed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import given

from singletable.errors import OperationError, SingleTableError
from singletable.server.guard import Guard
from singletable.wire import HttpRequest, read_request, write_error
from tests.fuzz import strategies
from tests.fuzz.forgery import forged, new_guard
from tests.fuzz.kept import BODIES, Body
from tests.fuzz.work import bounded
from tests.fuzz.world import World


@pytest.fixture(scope="module")
def guard() -> Guard:
    return new_guard()


@given(pair=forged())
def test_what_was_changed_after_signing_is_not_admitted(
    guard: Guard, pair: tuple[HttpRequest, HttpRequest]
) -> None:
    honest, request = pair
    size = len(request.body) + len(request.target) + sum(map(len, request.headers.values()))
    try:
        with bounded(size):
            guard.authenticate(request)
    except OperationError as error:
        check_refusal(error)
        return
    assert (request.method, request.body) == (honest.method, honest.body)
    for name in ("x-amz-target", "host"):
        assert request.headers[name].split() == honest.headers[name].split()


def check_refusal(error: SingleTableError) -> None:
    status, _ = write_error(error)
    assert status in (400, 403)


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


def check(guard: Guard, world: World, runner: asyncio.Runner, target: str, body: bytes) -> None:
    """Ask for what the one who may do little asks for."""
    (fine,) = [identity for identity in guard.identities if identity.name == "fine"]
    try:
        with bounded(len(body)):
            operation = read_request(target, body)
            runner.run(guard.authorize(fine, operation, world))
    except SingleTableError as error:
        check_refusal(error)
    assert not world.is_changed()


@given(asked=strategies.malformed())
def test_a_broken_request_is_allowed_or_denied(
    world: World, guard: Guard, runner: asyncio.Runner, asked: tuple[str, bytes]
) -> None:
    check(guard, world, runner, *asked)


@pytest.mark.parametrize("body", BODIES, ids=str)
def test_a_body_that_once_broke_something_is_allowed_or_denied(
    world: World, guard: Guard, runner: asyncio.Runner, body: Body
) -> None:
    check(guard, world, runner, body.target, body.text)
