"""Methods at an address: HEAD wherever GET is, OPTIONS everywhere, and 405 for others."""

from __future__ import annotations

from starlette.responses import Response
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from singletable_apps.shared.web.kinds import METHOD_NOT_ALLOWED, NOT_FOUND
from singletable_apps.shared.web.problems import Problem, problem_answer
from singletable_apps.shared.web.settings import site_of

_KNOWN = ("GET", "POST", "PUT", "PATCH", "DELETE")


class Methods:
    """Middleware that answers HEAD by GET without a body, OPTIONS by Allow, and refuses the rest.

    It does so before a body is looked at: there is nothing to say about the body of a request
    that has no handler.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through if there is a handler for its method."""
        if scope["type"] != "http" or scope["method"] == "GET":
            await self.app(scope, receive, send)
            return
        if scope["method"] == "HEAD":
            await self.app({**scope, "method": "GET"}, receive, _without_body(send))
            return
        methods = allowed(scope)
        if scope["method"] in methods and scope["method"] != "OPTIONS":
            await self.app(scope, receive, send)
        elif scope["method"] == "OPTIONS" and methods:
            await Response(status_code=204, headers={"Allow": ", ".join(methods)})(
                scope, receive, send
            )
        else:
            refusal = no_handler(scope, methods)
            await problem_answer(refusal, scope, site_of(scope).prefix)(scope, receive, send)


def no_handler(scope: Scope, methods: list[str]) -> Problem:
    """The problem of a request that no route takes: 404 or 405."""
    if not methods:
        return Problem(NOT_FOUND, "There is nothing at this address.")
    allow = ", ".join(methods)
    detail = f"Expected one of {allow} at this address, but got {scope['method'][:40]}."
    return Problem(METHOD_NOT_ALLOWED, detail, headers={"Allow": allow})


def allowed(scope: Scope) -> list[str]:
    """The methods that routes take at the address of a request; none if there is nothing."""
    routes = scope["app"].router.routes

    def is_taken(method: str) -> bool:
        asked = {**scope, "method": method}
        return any(route.matches(asked)[0] is Match.FULL for route in routes)

    methods = [method for method in _KNOWN if is_taken(method)]
    if "GET" in methods:
        methods.append("HEAD")
    return [*methods, "OPTIONS"] if methods else []


def _without_body(send: Send) -> Send:
    """Send the headers of an answer as they would be, and nothing after them."""

    async def send_head(message: Message) -> None:
        if message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return send_head
