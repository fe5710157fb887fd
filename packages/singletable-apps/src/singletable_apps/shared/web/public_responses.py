"""Responses that browsers and CDNs can cache: the same for everyone, with validators (RFC 9111)."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from types import MappingProxyType

from fastapi import Request
from starlette.responses import Response

# Browsers revalidate each time, so that an author sees an edit at once; shared caches may be five
# minutes behind. A CDN may refresh in the background for a day; in Cache-Control, browsers would
# do so too and show yesterday's page first.
SHARED_FIVE_MINUTES: Mapping[str, str] = MappingProxyType(
    {
        "Cache-Control": "public, max-age=0, s-maxage=300",
        "CDN-Cache-Control": "public, max-age=300, stale-while-revalidate=86400",
    }
)
# For a URL that changes with its content.
FOREVER: Mapping[str, str] = MappingProxyType(
    {"Cache-Control": "public, max-age=31536000, immutable"}
)
# For a page of one reader, or one that must not be shown later.
NO_STORE: Mapping[str, str] = MappingProxyType({"Cache-Control": "no-store"})
_MIN_COMPRESSED_SIZE = 1000


def public_response(
    request: Request,
    content: str | bytes,
    media_type: str,
    status: int = 200,
    *,
    last_modified: datetime | None = None,
    caching: Mapping[str, str] = SHARED_FIVE_MINUTES,
    headers: Mapping[str, str] = MappingProxyType({}),
) -> Response:
    """Return a response with a strong ETag of its content, or 304 if the client has it already.

    Each encoding has an ETag of its own. `last_modified` is for clients without ETags, such as some
    crawlers. They do not see changes with an earlier time, so leave it out for lists from which
    something can be deleted.
    """
    body = content.encode() if isinstance(content, str) else content
    tag = hashlib.sha256(body).hexdigest()[:20]
    sent = {**caching, **headers, "Vary": "Accept-Encoding"}
    accepts_gzip = "gzip" in request.headers.get("accept-encoding", "")
    # Images are compressed already.
    if accepts_gzip and len(body) > _MIN_COMPRESSED_SIZE and not media_type.startswith("image/"):
        # Without a timestamp, the same content always has the same bytes.
        body, tag = gzip.compress(body, 6, mtime=0), f"{tag}-gzip"
        sent["Content-Encoding"] = "gzip"
    sent["ETag"] = f'"{tag}"'
    if last_modified is not None:
        sent["Last-Modified"] = format_datetime(last_modified.astimezone(UTC), usegmt=True)
    if status == 200 and _is_current(request, sent["ETag"], last_modified):
        sent.pop("Content-Encoding", None)
        return Response(status_code=304, headers=sent)
    return Response(body, status, sent, media_type)


def current_response(request: Request, response: Response) -> Response:
    """Return a public response to another request: 304 if that client has it already."""
    changed = response.headers.get("last-modified")
    last_modified = parsedate_to_datetime(changed) if changed else None
    if not _is_current(request, response.headers["etag"], last_modified):
        return response
    names = ("cache-control", "cdn-cache-control", "vary", "etag", "last-modified")
    kept = {name: response.headers[name] for name in names if name in response.headers}
    return Response(status_code=304, headers=kept)


def _is_current(request: Request, tag: str, last_modified: datetime | None) -> bool:
    """Return whether the client has the current content. ETags take precedence over times."""
    known = request.headers.get("if-none-match")
    if known is not None:
        # A CDN that compresses again makes our ETag a weak one.
        tags = {each.strip().removeprefix("W/") for each in known.split(",")}
        return "*" in tags or tag in tags
    since = request.headers.get("if-modified-since")
    if since is None or last_modified is None:
        return False
    try:
        return last_modified.replace(microsecond=0) <= parsedate_to_datetime(since)
    except (TypeError, ValueError):
        # A date that cannot be read is ignored, as is one without a time zone.
        return False
