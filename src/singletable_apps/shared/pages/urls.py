"""Where somebody goes back to after signing in: addresses of this site, and no other."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import Request

from singletable_apps.shared.web import decode_segment

_LONGEST = 2000


def local_url(text: str | None, otherwise: str) -> str:
    """The address if it is a path of this site; else the other.

    Browsers read `//host`, `/\\host` and addresses with tabs or line ends as other sites.
    """
    if not text or len(text) > _LONGEST or not text.startswith("/"):
        return otherwise
    if text[1:2] in ("/", "\\") or any(not sign.isprintable() for sign in text):
        return otherwise
    return text


def path_of(request: Request) -> str:
    """The path of what was asked for, quoted as addresses in pages are.

    Not that of request.url, which is made of the decoded path, and ends at a # in a name.
    """
    segments: list[str] = request.scope["path"].split("/")
    return "/".join(quote(decode_segment(segment), safe="") for segment in segments)


def sign_in_address(request: Request, sign_in: str) -> str:
    """Where to sign in, and to come back here from if this is something to look at."""
    if request.method not in ("GET", "HEAD"):
        return sign_in
    query = request.scope["query_string"].decode("latin-1")
    here = path_of(request) + (f"?{query}" if query else "")
    return f"{sign_in}?next={quote(here, safe='')}"
