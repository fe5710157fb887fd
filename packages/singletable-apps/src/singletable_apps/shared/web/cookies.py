"""Cookies and headers that a request adds to its response, of any kind.

A dependency or a handler calls `SESSION.set(request, token)`; the header is added when the response
starts, also to an error page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fastapi import Request
from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import Scope

from singletable_apps.shared.web.settings import site_of

# Browsers keep a cookie for 400 days at most.
LONGEST_AGE = 400 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Cookie:
    """A cookie that scripts cannot read.

    Over TLS its name has a prefix: with `__Host-` browsers accept it only from this host, for the
    path `/`. A cookie for one `path` has `__Secure-` instead. Without `max_age`, it lasts until
    the browser is closed.
    """

    name: str
    max_age: int | None = None
    same_site: Literal["lax", "strict"] = "lax"
    has_path: bool = False

    def full_name(self, *, secure: bool) -> str:
        """Return the name with its prefix."""
        prefix = "__Secure-" if self.has_path else "__Host-"
        return f"{prefix}{self.name}" if secure else self.name

    def read(self, request: Request) -> str:
        """Return the value that the browser sent, or an empty string."""
        return request.cookies.get(self.full_name(secure=_is_secure(request)), "")

    def set(
        self, request: Request, value: str, *, max_age: int | None = None, path: str = "/"
    ) -> None:
        """Set the cookie on the response to this request."""
        secure = _is_secure(request)
        response = Response()
        response.set_cookie(
            self.full_name(secure=secure),
            value,
            max_age=self.max_age if max_age is None else max_age,
            path=path,
            secure=secure,
            httponly=True,
            samesite=self.same_site,
        )
        pending, header = _pending(request), response.headers["set-cookie"]
        same = header.partition("=")[0] + "="
        pending[:] = [entry for entry in pending if not entry[1].startswith(same)]
        pending.append(("set-cookie", header))

    def delete(self, request: Request, *, path: str = "/") -> None:
        """Delete the cookie with the response to this request."""
        self.set(request, "", max_age=0, path=path)


_SHARED_CACHE_HEADERS = ("cdn-cache-control", "surrogate-control")


def set_header(request: Request, name: str, value: str) -> None:
    """Set a header of the response to this request, in place of the handler's own."""
    _pending(request).append((name, value))


def add_pending_headers(scope: Scope, headers: MutableHeaders) -> None:
    """Add the cookies and headers that were set while the request was handled.

    A response with cookies is for one reader, so no cache shared by several may keep it.
    """
    pending = scope["state"]["response_headers"]
    if "public" in headers.get("cache-control", "") and ("set-cookie" in dict(pending)):
        headers["cache-control"] = "private, no-store"
        for name in _SHARED_CACHE_HEADERS:
            del headers[name]
    for name, value in pending:
        if name == "set-cookie":
            headers.append(name, value)
        else:
            headers[name] = value


def _pending(request: Request) -> list[tuple[str, str]]:
    pending: list[tuple[str, str]] = request.state.response_headers
    return pending


def _is_secure(request: Request) -> bool:
    return site_of(request.scope).settings.secure_cookies
