"""Receipts as people bring them: pasted, or as a file, and sometimes something else."""

from __future__ import annotations

import json
from dataclasses import dataclass
from email.parser import BytesParser
from email.policy import HTTP
from typing import NoReturn
from urllib.parse import parse_qs

from fastapi import Request
from pydantic import JsonValue

# A receipt of a hundred candidates with the longest names, closed, has less than half of it.
LARGEST = 512 * 1024
TOO_LARGE = f"A receipt has at most {LARGEST // 1024} kB, and this is larger. Is it the right file?"


class ReceiptRefused(Exception):
    """What came is no receipt; the text says why."""


@dataclass(frozen=True, slots=True)
class Given:
    """What was given: pasted text, or the bytes of a file."""

    pasted: str = ""
    file: bytes = b""


async def given(request: Request) -> Given:
    """What the form holds: fields as text, or with a file in parts."""
    body = await request.body()
    kind = request.headers.get("content-type", "")
    if not kind.lower().startswith("multipart/form-data"):
        fields = parse_qs(body.decode(errors="replace"))
        return Given(fields.get("receipt", [""])[0])
    parts = _parts(kind, body)
    return Given(parts.get("receipt", b"").decode(errors="replace"), parts.get("file", b""))


def _parts(kind: str, body: bytes) -> dict[str, bytes]:
    """The parts of the form by their names: mail has them too, and Python reads mail."""
    head = f"Content-Type: {kind}\r\n\r\n".encode("latin-1", "replace")
    whole = BytesParser(policy=HTTP).parsebytes(head + body)
    found: dict[str, bytes] = {}
    for part in whole.iter_parts() if whole.is_multipart() else ():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(content, bytes):
            found[name] = content
    return found


def parsed(sent: Given) -> JsonValue:
    """The receipt as JSON has it; refused in words if it is none. A file comes before a paste."""
    raw = sent.file or sent.pasted.encode()
    if len(raw) > LARGEST:
        raise ReceiptRefused(TOO_LARGE)
    if not raw.strip():
        raise ReceiptRefused("Paste the text of your receipt, or choose its file.")
    try:
        text = raw.decode("utf-8-sig")
        value: JsonValue = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise ReceiptRefused(_why(raw, error)) from error
    if not isinstance(value, dict):
        raise ReceiptRefused("A receipt begins with { and ends with }, and this does not.")
    if str(value.get("format", "")).startswith("singletable election publication"):
        raise ReceiptRefused(
            "This is what was published of an election, and no receipt. checker.py checks it, "
            "alone or together with your receipt."
        )
    return value


def _why(raw: bytes, error: Exception) -> str:
    if raw.startswith(b"%PDF") or b"\0" in raw[:200]:
        return (
            "This is no text. A receipt is the file that ends in .json, not a print or a picture."
        )
    if isinstance(error, json.JSONDecodeError):
        where = f"line {error.lineno}, column {error.colno}"
        return f"This is no receipt, or not the whole of it: {where} cannot be read ({error.msg})."
    if isinstance(error, UnicodeDecodeError):
        return "This is no text in UTF-8. Take the file as it was downloaded."
    if isinstance(error, RecursionError):
        return "This is no receipt: it is nested far too deeply."
    return f"This is no receipt: {error}"


def _once(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    """An object, if each name is in it once: of two, one is checked, and another read."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a name is in it twice.")
    return members


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text[:20]} is no number of JSON.")
