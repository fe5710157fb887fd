"""Names with a slash as one segment of a path: `/polls/tea%2Fcoffee` is about one poll."""

from __future__ import annotations

from typing import Annotated, TypeAlias
from urllib.parse import unquote_to_bytes

from pydantic import BeforeValidator
from starlette.types import ASGIApp, Receive, Scope, Send

from singletable_apps.shared.web.kinds import MALFORMED_PATH
from singletable_apps.shared.web.problems import Problem, problem_answer
from singletable_apps.shared.web.settings import site_of

# Servers decode %2F before routes are looked at, so a slash in a name would end its segment. It
# stands as a code point for private use until then, which no name contains.
SLASH = "\U0010fffd"


def name_in(segment: str) -> str:
    """The name that a segment of a decoded path is."""
    return segment.replace(SLASH, "/")


# Comes last, as in Annotated[Name, in_segment]: then the rules of names are about the name.
in_segment = BeforeValidator(name_in)
Segment: TypeAlias = Annotated[str, in_segment]


class Segments:
    """Middleware that decodes a path segment by segment."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through with slashes in names out of harm's way."""
        raw = scope.get("raw_path")
        if scope["type"] == "lifespan" or raw is None:
            await self.app(scope, receive, send)
            return
        try:
            path = decoded(raw)
        except Problem as problem:
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
                return
            await problem_answer(problem, scope, site_of(scope).prefix)(scope, receive, send)
            return
        await self.app({**scope, "path": path}, receive, send)


def decoded(raw: bytes) -> str:
    """The path with each segment decoded, and slashes in segments replaced."""
    try:
        segments = [unquote_to_bytes(part).decode() for part in raw.split(b"/")]
    except UnicodeDecodeError as error:
        raise Problem(
            MALFORMED_PATH, f"Expected UTF-8, but byte {error.object[error.start]:#x} is not."
        ) from None
    if any(SLASH in segment for segment in segments):
        raise Problem(MALFORMED_PATH, "The character U+10FFFD is in no name.")
    return "/".join(segment.replace("/", SLASH) for segment in segments)
