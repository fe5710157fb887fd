"""Forms with files: `enctype="multipart/form-data"`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.message import Message
from typing import Annotated, TypeAlias

from fastapi import Depends, Request

from singletable_apps.shared.pages.forms import Form
from singletable_apps.shared.pages.times import request_time_zone
from singletable_apps.shared.web import MALFORMED_BODY, UNSUPPORTED_MEDIA_TYPE, Problem

MULTIPART = "multipart/form-data"
_MAX_PARTS = 1_000


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
        headers = _headers(head)
        name = headers.get_param("name", header="content-disposition")
        if not blank or not isinstance(name, str):
            raise ValueError("A field of the form has no name.")
        filename = headers.get_filename()
        if filename is None:
            texts.setdefault(name, []).append(content.decode().replace("\r\n", "\n"))
        else:
            # Some browsers send the path of the file.
            plain = filename.replace("\\", "/").rpartition("/")[2]
            file = UploadedFile(plain, headers.get_content_type(), content)
            files.setdefault(name, []).append(file)
    return texts, files


def _headers(head: bytes) -> Message:
    message = Message()
    for line in head.decode().split("\r\n"):
        name, colon, value = line.partition(":")
        if colon:
            message[name.strip()] = value.strip()
    return message


async def _posted_upload(request: Request) -> Upload:
    """Return the form and the files in the body of a request."""
    content_type = Message()
    content_type["content-type"] = request.headers.get("content-type", "")
    boundary = content_type.get_param("boundary")
    if content_type.get_content_type() != MULTIPART or not isinstance(boundary, str):
        sent = request.headers.get("content-type", "")[:80]
        raise Problem(UNSUPPORTED_MEDIA_TYPE, f"Expected a form ({MULTIPART}), but got {sent!a}.")
    try:
        texts, files = parse_multipart(await request.body(), boundary.encode())
    except ValueError as error:
        detail = "The form is not UTF-8." if isinstance(error, UnicodeDecodeError) else str(error)
        raise Problem(MALFORMED_BODY, detail) from None
    single = {name: each[0] if len(each) == 1 else each for name, each in texts.items()}
    return Upload(Form(single, zone=request_time_zone(request)), files)


PostedUpload: TypeAlias = Annotated[Upload, Depends(_posted_upload)]
