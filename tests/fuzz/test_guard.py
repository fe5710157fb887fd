"""The guard: what is signed, or said to be, is admitted or refused, but never once it changed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import OperationError, SingleTableError
from singletable.server.guard import Credential, Guard
from singletable.server.guard.policy import read_policy
from singletable.wire import HttpRequest, read_request, write_error
from tests.fuzz import strategies
from tests.fuzz.corpus import REQUESTS
from tests.fuzz.mutations import pick
from tests.fuzz.work import bounded
from tests.fuzz.world import World
from tests.server.guard.policies import policy, statement
from tests.server.guard.signing import ADA, HEADERS, NOW, REGION, signed

# Allowed are three attributes of one partition.
FINE = read_policy(
    policy(
        statement(
            Action=["dynamodb:*Item", "dynamodb:Query", "dynamodb:Scan"],
            Condition={
                "ForAllValues:StringLike": {
                    "dynamodb:LeadingKeys": ["election#${aws:username}", "1", "AAE="],
                    "dynamodb:Attributes": ["pk", "sk", "n", "id", "at", "title"],
                },
                "StringEqualsIfExists": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"},
            },
        )
    ),
    {"aws:username": "1"},
)
CREDENTIALS = [ADA, Credential("fine", "AKIAFINE", "secret", policy=FINE)]
SIGNED = [
    signed(
        headers=HEADERS | {"X-Amz-Target": request.target},
        body=json.dumps(request.body).encode(),
        expires=expires,
    )
    for request, expires in zip(REQUESTS, [None, None, 60] * len(REQUESTS), strict=False)
]
DATES = [
    *("", "x", "20260101T001000Z", "99999999T999999Z", "00010101T000000Z", "20260101T001000Z "),
    *("Thu, 01 Jan 2026 00:10:00 GMT", "Thu, 01 Jan 99999 00:10:00 +9999", "٢٠٢٦0101T001000Z"),
]


@pytest.fixture(scope="module")
def guard() -> Guard:
    return Guard(CREDENTIALS, region=REGION, account="123456789012", clock=lambda: NOW)


@st.composite
def forged(draw: st.DrawFn) -> tuple[HttpRequest, HttpRequest]:
    """A signed request, and what someone made of it."""
    honest = pick(draw, SIGNED)
    request = honest
    for _ in range(draw(st.integers(1, 3))):
        match draw(st.integers(0, 4)):
            case 0:
                request = replace(request, body=draw(strategies.mangled(request.body)))
            case 1:
                request = replace(request, target=_mangled(draw, request.target))
            case 2:
                request = replace(request, method=pick(draw, ["GET", "PUT", "post", "", "PÖST"]))
            case 3:
                name = pick(draw, [*request.headers, "date", "x-amz-security-token"])
                text = _mangled(draw, request.headers.get(name, ""))
                request = replace(request, headers={**request.headers, name: text})
            case _:
                headers = {**request.headers, "x-amz-date": pick(draw, DATES)}
                del headers[pick(draw, list(headers))]
                request = replace(request, headers=headers)
    return honest, request


def _mangled(draw: st.DrawFn, text: str) -> str:
    return draw(strategies.mangled(text.encode("latin-1"))).decode("latin-1")


@given(pair=forged())
def test_what_was_changed_after_signing_is_not_admitted(
    guard: Guard, pair: tuple[HttpRequest, HttpRequest]
) -> None:
    honest, request = pair
    size = len(request.body) + len(request.target) + sum(map(len, request.headers.values()))
    try:
        with bounded(size):
            guard.admit(request)
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


@given(asked=strategies.malformed())
def test_a_broken_request_is_allowed_or_denied(
    world: World, guard: Guard, runner: asyncio.Runner, asked: tuple[str, bytes]
) -> None:
    (fine,) = [identity for identity in guard.identities if identity.name == "fine"]
    try:
        with bounded(len(asked[1])):
            operation = read_request(*asked)
            runner.run(guard.check(fine, operation, world))
    except SingleTableError as error:
        check_refusal(error)
    assert not world.is_changed()
