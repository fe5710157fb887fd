"""JSON that means the same to everybody (RFC 7493), or words about why it does not."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import NoReturn

from pydantic import JsonValue

from singletable_apps.shared.web.kinds import MALFORMED_BODY
from singletable_apps.shared.web.problems import Problem

DEEPEST = 64
_LARGEST = 1.7976931348623157e308


def check_json(body: bytes) -> None:
    """Raise a 400 problem unless the body is JSON that means the same to everybody."""
    try:
        value: JsonValue = json.loads(
            body.decode(),
            object_pairs_hook=_members,
            parse_constant=_no_number,
            parse_float=_float,
            parse_int=_int,
        )
    except UnicodeDecodeError as error:
        raise _malformed(f"Expected UTF-8, but the byte at {error.start} is not.") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise _malformed(f"Expected JSON, but {where} is none: {error.msg}.") from None
    except RecursionError:
        raise _too_deep() from None
    if body.count(b"[") + body.count(b"{") > DEEPEST or b"\\u" in body:
        _check_inside(value)


def _check_inside(value: JsonValue) -> None:
    """Go through all values, without recursion, for a depth and texts that would break later."""
    waiting = [(value, 1)]
    while waiting:
        found, depth = waiting.pop()
        if depth > DEEPEST and isinstance(found, list | dict):
            raise _too_deep()
        if isinstance(found, str):
            _check_text(found)
        elif isinstance(found, list):
            waiting += [(inner, depth + 1) for inner in found]
        elif isinstance(found, dict):
            for name, inner in found.items():
                _check_text(name)
                waiting.append((inner, depth + 1))


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(text[error.start]):04x}"
        raise _malformed(f"Expected characters, but {half} is half of one.") from None


def _members(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    members = dict(pairs)
    if len(members) < len(pairs):
        ((twice, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise _malformed(
            f"Expected each name once in an object, but {_short(twice)} is there twice."
        )
    return members


def _no_number(text: str) -> NoReturn:
    raise _malformed(f"Expected JSON, which has no {text}; null says that there is no number.")


def _float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise _malformed(f"Expected a number that a double can hold, but got {_short(text)}.")
    return number


def _int(text: str) -> int:
    # The digits are counted first, for Python refuses to read more than 4300 of them.
    if len(text) > 310 or abs(number := int(text)) > _LARGEST:
        raise _malformed(f"Expected a number that a double can hold, but got {_short(text)}.")
    return number


def _short(text: str) -> str:
    return ascii(text if len(text) <= 40 else f"{text[:40]}…")


def _too_deep() -> Problem:
    return _malformed(f"Expected JSON of at most {DEEPEST} levels, but it is deeper.")


def _malformed(detail: str) -> Problem:
    return Problem(MALFORMED_BODY, detail)
