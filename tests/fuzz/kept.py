"""Requests that once broke something, or might, as data: adding one needs no code."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fuzz.corpus import target_of
from tests.fuzz.streams import Stream

CASES = Path(__file__).with_name("cases")


def bytes_of(pieces: Any) -> bytes:
    """The bytes that pieces stand for: text, {"hex": …}, [pieces, times], or several of these."""
    match pieces:
        case str():
            return pieces.encode()
        case {"hex": text}:
            return bytes.fromhex(text)
        case [inner, int(times)]:
            return bytes_of(inner) * times
        case _:
            return b"".join(map(bytes_of, pieces))


@dataclass(frozen=True, slots=True)
class Body:
    """A body, why it is kept, and the code and message of its refusal where they are settled."""

    why: str
    target: str
    text: bytes
    refusal: tuple[str, str] | None

    def __str__(self) -> str:
        return self.why


@dataclass(frozen=True, slots=True)
class Heard:
    """A stream, why it is kept, and the statuses of the answers to it."""

    why: str
    stream: Stream
    statuses: list[int]

    def __str__(self) -> str:
        return self.why


def _cases(file: str) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads((CASES / file).read_text())
    return cases


def _refusal(case: dict[str, Any]) -> tuple[str, str] | None:
    if "refusal" not in case:
        return None
    code, message = case["refusal"]
    return code, message


BODIES = [
    Body(case["why"], target_of(case["operation"]), bytes_of(case["body"]), _refusal(case))
    for case in _cases("bodies.json")
]
STREAMS = [
    Heard(
        case["why"],
        Stream([bytes_of(piece) for piece in case["pieces"]], 0, False, case.get("patience", 0)),
        case["statuses"],
    )
    for case in _cases("streams.json")
]
