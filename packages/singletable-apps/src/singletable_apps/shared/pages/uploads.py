"""Forms with files: `enctype="multipart/form-data"`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from fastapi import Depends, Request

from singletable_apps.shared.pages.forms import Form, posted_form
from singletable_apps.shared.pages.times import request_time_zone
from singletable_apps.shared.web import MALFORMED_BODY, UNSUPPORTED_MEDIA_TYPE, Problem

MULTIPART = "multipart/form-data"
_MAX_PARTS = 1_000
# The headers of a part, and the Content-Type of a request.
_MAX_HEADERS = 8_000
# The standard library's parser takes quadratic time. This one is linear, because no two
# alternatives start with the same character.
_PARAMETER = re.compile(r';\s*([a-z]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))', re.IGNORECASE)


@dataclass(frozen=True)
class UploadedFile:
    """A file in a form. The browser chose its name and type, so neither can be trusted."""

    filename: str
    media_type: str
    data: bytes


@dataclass(frozen=True)
class Upload:
    """A posted form with its files, by the name of their field."""

    form: Form
    files: Mapping[str, Sequence[UploadedFile]]

    def named(self, name: str) -> list[UploadedFile]:
        """Return the files that were chosen in a field."""
        # A file field without a choice is sent as a file without a name.
        return [file for file in self.files.get(name, ()) if file.filename or file.data]


def parse_multipart(
    body: bytes, boundary: bytes
) -> tuple[dict[str, list[str]], dict[str, list[UploadedFile]]]:
    """Return texts and files by field. Raise ValueError if the body is malformed."""
    texts: dict[str, list[str]] = {}
    files: dict[str, list[UploadedFile]] = {}
    mark = b"\r\n--" + boundary
    first, *parts = (b"\r\n" + body).split(mark, _MAX_PARTS + 1)
    if first.strip() or not parts or not parts[-1].startswith(b"--"):
        raise ValueError("The form is incomplete, or has too many fields.")
    for part in parts[:-1]:
        head, blank, content = part.lstrip(b" \t").removeprefix(b"\r\n").partition(b"\r\n\r\n")
        if len(head) > _MAX_HEADERS:
            raise ValueError(f"The headers of a field have more than {_MAX_HEADERS:,} bytes.")
        headers = _headers(head)
        _, disposition = parse_header(headers.get("content-disposition", ""))
        name, filename = disposition.get("name"), disposition.get("filename")
        if not blank or name is None:
            raise ValueError("A field of the form has no name.")
        if filename is None:
            texts.setdefault(name, []).append(content.decode().replace("\r\n", "\n"))
        else:
            # Some browsers send the path of the file.
            plain = filename.replace("\\", "/").rpartition("/")[2]
            media_type, _ = parse_header(headers.get("content-type", "text/plain"))
            files.setdefault(name, []).append(UploadedFile(plain, media_type, content))
    return texts, files


def _headers(head: bytes) -> dict[str, str]:
    lines = (line.partition(":") for line in head.decode().split("\r\n"))
    return {name.strip().lower(): value.strip() for name, colon, value in lines if colon}


def parse_header(text: str) -> tuple[str, dict[str, str]]:
    """Return a media type or disposition, and its parameters."""
    found = {
        name.lower(): plain or quoted.replace("\\\\", "\\").replace('\\"', '"')
        for name, quoted, plain in _PARAMETER.findall(text)
    }
    return text.partition(";")[0].strip().lower(), found


async def read_upload(request: Request) -> Upload:
    """Return the form and the files in the body of a request."""
    sent = request.headers.get("content-type", "")
    media_type, parameters = parse_header(sent[:_MAX_HEADERS])
    boundary = parameters.get("boundary")
    if media_type != MULTIPART or not boundary:
        raise Problem(
            UNSUPPORTED_MEDIA_TYPE, f"Expected a form ({MULTIPART}), but got {sent[:80]!a}."
        )
    try:
        texts, files = parse_multipart(await request.body(), boundary.encode())
    except ValueError as error:
        detail = "The form is not UTF-8." if isinstance(error, UnicodeDecodeError) else str(error)
        raise Problem(MALFORMED_BODY, detail) from None
    single = {name: each[0] if len(each) == 1 else each for name, each in texts.items()}
    return Upload(Form(single, zone=request_time_zone(request)), files)


async def read_pasted_or_file(request: Request) -> Upload:
    """Return a form with an optional file: it may be sent without one, as other forms are."""
    if request.headers.get("content-type", "").lower().startswith(MULTIPART):
        return await read_upload(request)
    return Upload(await posted_form(request), {})


PostedUpload: TypeAlias = Annotated[Upload, Depends(read_upload)]
PastedOrFile: TypeAlias = Annotated[Upload, Depends(read_pasted_or_file)]
