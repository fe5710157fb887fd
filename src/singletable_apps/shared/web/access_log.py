"""One line of JSON for each request, and an answer when a handler broke."""

from __future__ import annotations

import json
import logging
import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from singletable_apps.shared.web.kinds import UNFORESEEN
from singletable_apps.shared.web.limits import key_of
from singletable_apps.shared.web.problems import Problem, problem_answer
from singletable_apps.shared.web.settings import site_of

ACCESS = logging.getLogger("singletable_apps.access")
ERRORS = logging.getLogger("singletable_apps.errors")


class AccessLog:
    """Middleware that writes down what was asked, how it ended and how long it took.

    Queries are left out, for they may hold what is nobody's business. What nobody foresaw is
    written down with its traceback, and the caller learns nothing but the number of the request.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, whatever happens, and write it down."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()
        status = 0

        async def send_and_see(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_and_see)
        except Exception:
            ERRORS.exception("Request %s broke.", scope["state"]["request_id"])
            if status:
                # Half an answer is out; only a broken connection tells that it is not whole.
                raise
            broken = problem_answer(Problem(UNFORESEEN), scope, site_of(scope).prefix)
            await broken(scope, receive, send_and_see)
        finally:
            ACCESS.info("%s", _line(scope, status, time.perf_counter() - began))


def _line(scope: Scope, status: int, seconds: float) -> str:
    raw: bytes = scope.get("raw_path") or scope["path"].encode("utf-8", "backslashreplace")
    return json.dumps(
        {
            "request": scope["state"]["request_id"],
            "client": key_of(scope, site_of(scope).settings.proxies),
            "method": scope["method"],
            "path": raw.decode("ascii", "backslashreplace"),
            "status": status,
            "ms": round(seconds * 1000, 1),
        }
    )
