"""Faults as a line of text, for a command's option and a request's header.

Members are separated by commas: `throttle=0.1,conflict=3x,latency=20ms,tables=votes+events`. A
chance is a probability, or a count such as `3x` for the next three. Names are separated by plus
signs. What would be mistaken for a separator is written as in a URL: `keys=A%2BB`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import cast
from urllib.parse import quote, unquote

from msgspec import ValidationError, convert
from msgspec.structs import asdict

from singletable.errors import FaultsError
from singletable.faults.description import Faults, Next

# So many digits are enough for anyone, and few enough for Python to read them.
_COUNT = re.compile(r"(\d{1,9})x")
_DECIMAL = re.compile(r"\d+(\.\d+)?|\.\d+")
_DURATION = re.compile(r"(\d{1,9}(?:\.\d+)?|\.\d+)(ms|s|min)")
_IN_A_SECOND = {"ms": 1000.0, "s": 1.0, "min": 1 / 60}
# One may be named as well as several.
_PLURALS = {"operation": "operations", "table": "tables", "index": "indexes", "key": "keys"}


def faults_from_text(text: str) -> Faults:
    """The faults that the text describes; FaultsError if it cannot be read."""
    members: dict[str, object] = {}
    for written in filter(None, (member.strip() for member in text.split(","))):
        name, _, value = (side.strip() for side in written.partition("="))
        name = _PLURALS.get(name, name)
        if name not in _READERS:
            raise FaultsError(
                f"'{written}' describes no fault: there is none named '{name}'. "
                f"There are: {', '.join(_READERS)}."
            )
        if name in members:
            raise FaultsError(f"{name} stands twice in '{text}'. Say it once.")
        members[name] = _READERS[name](name, value)
    try:
        return convert(members, Faults)
    except ValidationError as error:
        raise FaultsError(f"'{text}' cannot be read: {error}.") from None


def faults_to_text(faults: Faults) -> str:
    """The text that describes the faults; reading it gives equal ones."""
    off: dict[str, object] = asdict(Faults())
    members: dict[str, object] = asdict(faults)
    return ",".join(
        f"{name}={_written(name, value)}" for name, value in members.items() if value != off[name]
    )


def _read_chance(name: str, value: str) -> object:
    if match := _COUNT.fullmatch(value):
        return {"times": int(match[1])}
    if not _DECIMAL.fullmatch(value):
        raise _refusal(name, value, "a probability such as 0.1, or a count such as 3x")
    return float(value)


def _read_seconds(name: str, value: str) -> object:
    match = _DURATION.fullmatch(value)
    if match is None:
        raise _refusal(name, value, "a time such as 20ms, 1.5s or 2min")
    return float(match[1]) / _IN_A_SECOND[match[2]]


def _read_number(name: str, value: str) -> object:
    if not re.fullmatch(r"-?\d{1,19}", value):
        raise _refusal(name, value, "a whole number")
    return int(value)


def _read_names(name: str, value: str) -> object:
    names = [unquote(one) for one in value.split("+")]
    if "" in names:
        raise _refusal(name, value, "names with + between them")
    return names


def _read_word(name: str, value: str) -> object:
    return value


def _refusal(name: str, value: str, expected: str) -> FaultsError:
    return FaultsError(f"{name} is {expected}, and not '{value}'.")


_CHANCES = (
    "throttle",
    "unavailable",
    "internal",
    "internal_after",
    "in_progress",
    "conflict",
    "unprocessed",
    "stale",
)
_TIMES = ("latency", "jitter", "delay")
_WHOLE = ("behind", "seed")
_READERS: dict[str, Callable[[str, str], object]] = {
    **dict.fromkeys(_CHANCES, _read_chance),
    **dict.fromkeys(_TIMES, _read_seconds),
    **dict.fromkeys(_WHOLE, _read_number),
    **dict.fromkeys(("operations", "tables", "indexes", "keys"), _read_names),
    "limit": _read_word,
}


def _written(name: str, value: object) -> str:
    match value:
        case Next(times):
            return f"{times}x"
        case tuple():
            names = cast("tuple[str, ...]", value)  # no member holds a tuple of anything else
            return "+".join(quote(one, safe="#/:@") for one in names)
        case float() | int() if name not in _WHOLE:
            # In full: a small number is not to be written with an exponent.
            number = f"{Decimal(repr(value)):f}"
            return f"{number}s" if name in _TIMES else number
        case _:
            return str(value)
