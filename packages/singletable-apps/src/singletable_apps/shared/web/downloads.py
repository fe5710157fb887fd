"""File downloads: any content, or a table in the format that the client asks for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import chain
from typing import Any, Literal, TypeAlias
from urllib.parse import quote

from fastapi import Response
from starlette.responses import StreamingResponse

from ranked_ballots import replace_control_characters
from singletable_apps.shared.spreadsheets import MEDIA_TYPES, write_table
from singletable_apps.shared.web.openapi import FILE_NAME

TableFormat: TypeAlias = Literal["csv", "xlsx", "json"]
_TYPES = ["application/json", *(each.partition(";")[0] for each in MEDIA_TYPES.values())]
# For `responses=`: a table as a file, in the format that the client asks for.
TABLE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file.",
        "headers": FILE_NAME,
        "content": {media_type: {} for media_type in _TYPES},
    }
}


def download(content: bytes, name: str, media_type: str) -> Response:
    """Return a response that browsers save as a file, with an ASCII name for old clients."""
    charset = "" if media_type.endswith("json") else "; charset=utf-8"
    return Response(content, headers=_headers(name, f"{media_type}{charset}"))


def stream(chunks: Iterator[bytes], name: str, media_type: str) -> Response:
    """Return a file that is sent while it is made.

    The first chunk is made before the response starts, so an error in it has its own response.
    """
    return StreamingResponse(chain([next(chunks)], chunks), headers=_headers(name, media_type))


def download_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str | float | date]],
    name: str,
    format: TableFormat,  # noqa: A002
) -> Response:
    """Return a table as a file, sent while its rows are read; JSON is a list of objects."""
    if format == "json":
        body, media_type = _write_json(columns, rows), "application/json"
    else:
        body, media_type = write_table(columns, rows, format), MEDIA_TYPES[format]
    return stream(body, f"{name}.{format}", media_type)


def _write_json(
    columns: Sequence[str], rows: Iterable[Sequence[str | float | date]]
) -> Iterator[bytes]:
    start = b"["
    for row in rows:
        yield start + json.dumps(dict(zip(columns, row, strict=True)), default=str).encode()
        start = b",\n"
    yield b"[]" if start == b"[" else b"]"


def _headers(name: str, media_type: str) -> dict[str, str]:
    # No names that shells or spreadsheets take for options, hidden files or formulas.
    name = re.sub(r"^[\s=+\-@.]+", "_", replace_control_characters(name))
    plain = re.sub(r"[^A-Za-z0-9._ -]", "_", name)
    quoted = quote(name, safe="")
    disposition = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quoted}"
    return {"Content-Disposition": disposition, "Content-Type": media_type}
