"""Where somebody goes back to after signing in: addresses of this site, and no other."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import Request

_LONGEST = 2000


def local_address(text: str | None, otherwise: str) -> str:
    """The address if it is a path of this site; else the other.

    Browsers read `//host`, `/\\host` and addresses with tabs or line ends as other sites.
    """
    if not text or len(text) > _LONGEST or not text.startswith("/"):
        return otherwise
    if text[1:2] in ("/", "\\") or any(not sign.isprintable() for sign in text):
        return otherwise
    return text


def sign_in_address(request: Request, sign_in: str) -> str:
    """Where to sign in, and to come back here from if this is something to look at."""
    if request.method not in ("GET", "HEAD"):
        return sign_in
    here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return f"{sign_in}?next={quote(here, safe='')}"
