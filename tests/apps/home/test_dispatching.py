"""A request goes to the app whose prefix its path has, in whole segments."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from singletable_apps.home.app import PrefixDispatcher


def _named(name: str) -> ASGIApp:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse(name)(scope, receive, send)

    return answer


PREFIXES = ("/polls", "/api/polls", "/api/polls/beta", "/static/*/polls", "/static/*/*")
SITE = PrefixDispatcher({prefix: _named(prefix) for prefix in PREFIXES}, _named("rest"))

PATHS = {
    "/polls": "/polls",
    "/polls/": "/polls",
    "/polls/7/results": "/polls",
    "/api/polls": "/api/polls",
    "/api/polls/7": "/api/polls",
    "/api/polls/beta/7": "/api/polls/beta",
    "/api/polls/betas": "/api/polls",
    "/static/a1b2/polls/ballot.js": "/static/*/polls",
    # A star is any segment, and one of two stars yields to one that is named.
    "/static/a1b2/shared/site.css": "/static/*/*",
    "/static/a1b2": "rest",
    "/": "rest",
    "/api": "rest",
    "/api/pollsters": "rest",
    "/pollsX": "rest",
    "/Polls": "rest",
    "//polls": "rest",
    # As apps read it: letters may be written in hexadecimal, and %2F is a slash in a name.
    "/%70olls/7": "/polls",
    "/polls%2F7": "rest",
    "/polls/%ff": "/polls",
    "/%ff": "rest",
}


@pytest.mark.parametrize("path", PATHS)
def test_an_app_has_what_is_under_its_prefixes(path: str) -> None:
    assert TestClient(SITE).get(f"http://testserver{path}").text == PATHS[path]


@pytest.mark.parametrize("prefix", ["", "/", "polls", "/polls/", "/api//polls"])
def test_a_prefix_that_is_none_is_refused(prefix: str) -> None:
    with pytest.raises(ValueError, match="Expected a prefix"):
        PrefixDispatcher({prefix: _named("app")}, _named("rest"))
