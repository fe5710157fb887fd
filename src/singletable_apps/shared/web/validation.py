"""What does not fit the description of a request, in words: what was expected, and what came."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from fastapi.exceptions import RequestValidationError
from pydantic import JsonValue

from singletable_apps.shared.web.kinds import INVALID, MALFORMED_BODY
from singletable_apps.shared.web.problems import Fault, Problem

MOST = 20
_SECRET = ("password", "passphrase", "secret", "token", "key")


def invalid(error: RequestValidationError) -> Problem:
    """The 422 problem with a fault for each place, or 400 if the body is no JSON at all."""
    found = cast(Sequence[Mapping[str, object]], error.errors())
    if any(each["type"] == "json_invalid" for each in found):
        return Problem(MALFORMED_BODY)
    faults = [_fault(each) for each in found[:MOST]]
    more = f" Only the first {MOST} are listed." if len(found) > MOST else ""
    many = "1 fault" if len(found) == 1 else f"{len(found)} faults"
    return Problem(INVALID, f"The request has {many}; `errors` says which.{more}", errors=faults)


def _fault(error: Mapping[str, object]) -> Fault:
    place, *inner = cast(tuple[str | int, ...], error["loc"])
    words = str(error["msg"])
    if error["type"] != "missing":
        words += f"; got {_came(error.get('input'), inner)}"
    words += "."
    match place:
        case "body":
            return Fault(words, pointer="".join(f"/{_escaped(part)}" for part in inner))
        case "header":
            return Fault(words, header=str(inner[0]) if inner else None)
        case "cookie":
            return Fault(words, header="Cookie")
        case _:
            return Fault(words, parameter=str(inner[0]) if inner else None)


def _escaped(part: str | int) -> str:
    """A name as it is in a JSON pointer (RFC 6901)."""
    return str(part).replace("~", "~0").replace("/", "~1")


def _came(value: object, place: Sequence[str | int]) -> str:
    """What came, short, and without secrets: an answer may end up in somebody's records."""
    last = next((part.lower() for part in reversed(place) if isinstance(part, str)), "")
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str() if any(word in last for word in _SECRET) or len(value) > 60:
            return f"a text of {len(value)} characters"
        case str():
            return f'"{value}"'
        case int() | float():
            return str(value) if abs(value) < 1e20 else "a large number"
        case list():
            return f"a list of {len(cast(list[JsonValue], value))}"
        case bytes():
            return f"{len(value)} bytes"
        case _:
            return "an object"
