"""File downloads."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from fastapi import Response


def download(content: bytes, name: str, media_type: str) -> Response:
    """Return a response that browsers save as a file, with an ASCII name for old clients."""
    plain = re.sub(r"[^A-Za-z0-9._ -]", "_", name)
    disposition = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
    charset = "" if media_type.endswith("json") else "; charset=utf-8"
    headers: dict[str, Any] = {
        "Content-Disposition": disposition,
        "Content-Type": f"{media_type}{charset}",
    }
    return Response(content, headers=headers)
