"""One app made of several: each answers what is under its prefixes, and one the rest."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import unquote

from starlette.types import ASGIApp, Receive, Scope, Send


class ByPrefix:
    """An app that hands on each request, as it is, to the app whose prefix its path has.

    A prefix is whole segments, of which `*` is any one; of several that fit, the longest counts.
    """

    def __init__(self, apps: Mapping[str, ASGIApp], rest: ASGIApp) -> None:
        for prefix in apps:
            if not prefix.startswith("/") or not all(prefix[1:].split("/")):
                raise ValueError(f"Expected a prefix as /polls or /api/polls, but got '{prefix}'.")
        by_length = sorted(apps, key=lambda prefix: prefix.count("/"), reverse=True)
        self._apps = [(prefix[1:].split("/"), apps[prefix]) for prefix in by_length]
        self._rest = rest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one app answer."""
        await self._app_for(scope)(scope, receive, send)

    def _app_for(self, scope: Scope) -> ASGIApp:
        if "path" not in scope:
            return self._rest
        segments = _segments(scope)
        for prefix, app in self._apps:
            if _begins(segments, prefix):
                return app
        return self._rest


def _segments(scope: Scope) -> list[str]:
    """The segments as apps read them: a slash within one, %2F, does not end it."""
    raw: bytes | None = scope.get("raw_path")
    if raw is None:
        path: str = scope["path"]
        return path.split("/")[1:]
    # What is no UTF-8 is a problem that the app tells of.
    return [unquote(part.decode("latin-1"), errors="replace") for part in raw.split(b"/")[1:]]


def _begins(segments: list[str], prefix: list[str]) -> bool:
    """Whether the path begins with all segments of a prefix."""
    return len(segments) >= len(prefix) and all(
        expected in ("*", found) for expected, found in zip(prefix, segments, strict=False)
    )
