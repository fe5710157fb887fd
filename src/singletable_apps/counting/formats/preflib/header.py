"""The metadata of a PrefLib file: lines that begin with # before the orders.

Files from before 2022 have no such lines: they begin with the number of candidates, a line for
each of them, and a line with three totals. Their orders have a comma after the count, not a colon.
"""

from __future__ import annotations

from dataclasses import dataclass

from singletable_apps.counting.errors import FormatError
from singletable_apps.counting.formats.digits import shown, whole_number

_NAME = "ALTERNATIVE NAME"


@dataclass(frozen=True, slots=True)
class Header:
    """What stands before the orders, which begin with byte `start` on line `line`."""

    candidates: tuple[str, ...]
    kind: str
    voters: int | None
    title: str
    start: int
    line: int
    old: bool = False


def header_of(data: bytes) -> Header:
    """The metadata of a file."""
    return _new(data) if data.startswith(b"#") else _old(data)


def _new(data: bytes) -> Header:
    names: dict[int, str] = {}
    said: dict[str, str] = {}
    at, line = 0, 1
    while data.startswith(b"#", at):
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        key, _, value = data[at + 1 : end].decode().partition(":")
        key, value = key.strip(), value.strip()
        if key.startswith(_NAME):
            _take_name(names, key.removeprefix(_NAME), value, line)
        else:
            said[key] = value
        at, line = end + 1, line + 1
    if not names:
        raise FormatError(
            "the header names nobody; it needs '# ALTERNATIVE NAME 1: …' for each.", line
        )
    if said.get("NUMBER ALTERNATIVES", "") not in ("", str(len(names))):
        raise FormatError(
            f"the header says that there are {shown(said['NUMBER ALTERNATIVES'])} alternatives "
            f"and names {len(names)}."
        )
    voters = said.get("NUMBER VOTERS", "")
    return Header(
        _in_order(names),
        said.get("DATA TYPE", "").lower(),
        whole_number(voters, line - 1, "NUMBER VOTERS") if voters else None,
        said.get("TITLE", ""),
        at,
        line,
    )


def _old(data: bytes) -> Header:
    first, _, rest = data.partition(b"\n")
    number = whole_number(first.decode(), 1, "The number of candidates")
    names: dict[int, str] = {}
    lines = rest.split(b"\n", number + 1) if number < len(data) else []
    if len(lines) < number + 1:
        raise FormatError(f"{number:,} candidates are announced, and the file ends before.", 1)
    for line, text in enumerate(lines[:number], start=2):
        at, _, name = text.decode().partition(",")
        _take_name(names, at.strip(), name.strip(), line)
    voters = lines[number].decode().partition(",")[0]
    start = len(data) - (len(lines[number + 1]) if len(lines) > number + 1 else 0)
    return Header(
        _in_order(names),
        "",
        whole_number(voters, number + 2, "The number of voters"),
        "",
        start,
        number + 3,
        old=True,
    )


def _take_name(names: dict[int, str], number: str, name: str, line: int) -> None:
    at = whole_number(number, line, "The number of an alternative")
    if at in names:
        raise FormatError(f"alternative {at} has the name {shown(names[at])} already.", line)
    if not name:
        raise FormatError(f"alternative {at} has no name.", line)
    names[at] = name


def _in_order(names: dict[int, str]) -> tuple[str, ...]:
    for number in range(1, len(names) + 1):
        if number not in names:
            raise FormatError(
                f"There are {len(names)} alternatives and none has the number {number}; number "
                "them from 1 on."
            )
    return tuple(names[number] for number in range(1, len(names) + 1))
