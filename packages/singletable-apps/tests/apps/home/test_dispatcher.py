"""PrefixDispatcher passes a request to the app whose prefix its path has, in whole segments."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from singletable_apps.home.app import PrefixDispatcher


def _app_that_says(text: str) -> ASGIApp:
    async def respond(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse(text)(scope, receive, send)

    return respond


PREFIXES = ("/polls", "/api/polls", "/api/polls/beta", "/static/*/polls", "/static/*/*")
SITE = PrefixDispatcher(
    {prefix: _app_that_says(prefix) for prefix in PREFIXES}, _app_that_says("fallback")
)

PATHS = {
    "/polls": "/polls",
    "/polls/": "/polls",
    "/polls/7/results": "/polls",
    "/api/polls": "/api/polls",
    "/api/polls/7": "/api/polls",
    "/api/polls/beta/7": "/api/polls/beta",
    "/api/polls/betas": "/api/polls",
    "/static/a1b2/polls/ballot.js": "/static/*/polls",
    # A star matches any segment; of two prefixes of one length, the one with fewer stars wins.
    "/static/a1b2/shared/site.css": "/static/*/*",
    "/static/a1b2": "fallback",
    "/": "fallback",
    "/api": "fallback",
    "/api/pollsters": "fallback",
    "/pollsX": "fallback",
    "/Polls": "fallback",
    "//polls": "fallback",
    # As apps read paths: characters may be percent-encoded, and %2F is a slash within a segment.
    "/%70olls/7": "/polls",
    "/polls%2F7": "fallback",
    "/polls/%ff": "/polls",
    "/%ff": "fallback",
}


@pytest.mark.parametrize("path", PATHS)
def test_request_goes_to_the_app_with_the_longest_matching_prefix(path: str) -> None:
    assert TestClient(SITE).get(f"http://testserver{path}").text == PATHS[path]


@pytest.mark.parametrize("prefix", ["", "/", "polls", "/polls/", "/api//polls"])
def test_malformed_prefix_is_rejected(prefix: str) -> None:
    with pytest.raises(ValueError, match="Expected a prefix"):
        PrefixDispatcher({prefix: _app_that_says("app")}, _app_that_says("fallback"))
