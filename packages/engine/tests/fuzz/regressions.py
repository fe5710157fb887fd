"""Requests that once broke something, or might, as data: add one without code."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fuzz.socket_streams import Stream
from tools.testing.fuzz.valid_requests import target_of

CASES = Path(__file__).with_name("cases")


def decode_pieces(pieces: Any) -> bytes:
    """Return the bytes of pieces: text, {"hex": …}, [pieces, times], or several of these."""
    match pieces:
        case str():
            return pieces.encode()
        case {"hex": text}:
            return bytes.fromhex(text)
        case [inner, int(times)]:
            return decode_pieces(inner) * times
        case _:
            return b"".join(map(decode_pieces, pieces))


@dataclass(frozen=True, slots=True)
class RecordedBody:
    """A body, why it is recorded, and the code and message of its error if they are known."""

    why: str
    target: str
    text: bytes
    error: tuple[str, str] | None

    def __str__(self) -> str:
        return self.why


@dataclass(frozen=True, slots=True)
class RecordedStream:
    """A stream, why it is recorded, and the expected status of each response."""

    why: str
    stream: Stream
    statuses: list[int]

    def __str__(self) -> str:
        return self.why


def _cases(file: str) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads((CASES / file).read_text())
    return cases


def _error(case: dict[str, Any]) -> tuple[str, str] | None:
    if "error" not in case:
        return None
    code, message = case["error"]
    return code, message


BODIES = [
    RecordedBody(
        case["why"], target_of(case["operation"]), decode_pieces(case["body"]), _error(case)
    )
    for case in _cases("bodies.json")
]
STREAMS = [
    RecordedStream(
        case["why"],
        Stream([decode_pieces(piece) for piece in case["pieces"]], 0, False, case.get("delay", 0)),
        case["statuses"],
    )
    for case in _cases("streams.json")
]
