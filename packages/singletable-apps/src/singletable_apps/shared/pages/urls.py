"""URLs of this site: the current path, and where to go back to after signing in."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import FastAPI, Request
from starlette.routing import Match

from singletable_apps.shared.web import decode_segment

_MAX_LENGTH = 2000


def local_url(url: str | None, default: str) -> str:
    """Return `url` if it is a path on this site, or else `default`.

    Browsers treat `//host`, `/\\host` and URLs with tabs or line breaks as other sites.
    """
    if not url or len(url) > _MAX_LENGTH or not url.startswith("/"):
        return default
    if url[1:2] in ("/", "\\") or not url.isprintable():
        return default
    return url


def path_of(request: Request) -> str:
    """Return the request's path, quoted as in the links of pages.

    `request.url` is built from the decoded path, and ends at a # in a name.
    """
    segments: list[str] = request.scope["path"].split("/")
    return "/".join(quote(decode_segment(segment), safe="") for segment in segments)


def url_of(request: Request) -> str:
    """Return the request's path and query."""
    query = request.scope["query_string"].decode("latin-1")
    return path_of(request) + (f"?{query}" if query else "")


def sign_in_url(request: Request, sign_in: str) -> str:
    """Return the sign-in URL, with `next` set to this page if it can be opened.

    After a POST, that is the page with the form, if it has the same URL.
    """
    if request.method not in ("GET", "HEAD") and not _has_page(request):
        return sign_in
    return f"{sign_in}?next={quote(url_of(request), safe='')}"


def _has_page(request: Request) -> bool:
    """Return whether the URL of the request can be opened with GET."""
    scope = {**request.scope, "method": "GET"}
    app: FastAPI = request.app
    return any(route.matches(scope)[0] is Match.FULL for route in app.routes)
