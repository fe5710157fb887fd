"""Signed requests, forged versions of them, and the credentials that may sign."""

from __future__ import annotations

import json

from hypothesis import strategies as st
from msgspec import structs

from dynamodb_engine.server.guard import Credential, Guard
from dynamodb_engine.server.guard.policy_document import read_policy
from dynamodb_engine.wire import HttpRequest
from tests.fuzz import strategies
from tests.server.guard.policies import policy, statement
from tests.server.guard.signing import ADA, HEADERS, NOW, REGION, signed
from tools.testing.fuzz.mutations import pick
from tools.testing.fuzz.valid_requests import REQUESTS

# Allows a few attributes of one partition.
RESTRICTED = read_policy(
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
CREDENTIALS = [ADA, Credential("restricted", "AKIAFINE", "secret", policy=RESTRICTED)]
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
    *("Thu, 01 Jan 2026 00:10:00 GMT", "Thu, 01 Jan 99999 00:10:00 +9999", "²0260101T001000Z"),
]


def new_guard() -> Guard:
    """Return a guard with two credentials: one unrestricted, one restricted."""
    return Guard(CREDENTIALS, region=REGION, account="123456789012", clock=lambda: NOW)


@st.composite
def forged(draw: st.DrawFn) -> tuple[HttpRequest, HttpRequest]:
    """Draw a signed request and a forged version of it."""
    signed_request = pick(draw, SIGNED)
    request = signed_request
    for _ in range(draw(st.integers(1, 3))):
        match draw(st.integers(0, 4)):
            case 0:
                request = structs.replace(request, body=draw(strategies.mangled(request.body)))
            case 1:
                request = structs.replace(request, target=_mangled(draw, request.target))
            case 2:
                request = structs.replace(
                    request, method=pick(draw, ["GET", "PUT", "post", "", "PÖST"])
                )
            case 3:
                name = pick(draw, [*request.headers, "date", "x-amz-security-token"])
                text = _mangled(draw, request.headers.get(name, ""))
                request = structs.replace(request, headers={**request.headers, name: text})
            case _:
                headers = {**request.headers, "x-amz-date": pick(draw, DATES)}
                del headers[pick(draw, list(headers))]
                request = structs.replace(request, headers=headers)
    return signed_request, request


def _mangled(draw: st.DrawFn, text: str) -> str:
    return draw(strategies.mangled(text.encode("latin-1"))).decode("latin-1")
