"""Rules about rolls: read a list of voters, merge duplicates, and find all its problems.

A line is `Name <mail>`, an address, a name, or cells of a spreadsheet: name, e-mail address, group
and weight, in the order of the headings. Without headings, the cell with an @ is the address, a
number is the weight, and the others are name and group.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from singletable_apps.elections.entities import RollVoter
from singletable_apps.elections.rules.names import (
    MAX_VOTERS,
    clean_email,
    clean_optional,
    person_key,
    quote,
    quote_names,
    roll_identity,
)
from singletable_apps.shared.errors import InvalidInput

MAX_WEIGHT = 1_000_000
FIELDS = ("name", "email", "group", "weight")
_HEADINGS: Mapping[str, str] = {
    heading: field
    for field, headings in {
        "name": "name|full name|voter|member",
        "email": "email|e-mail|mail|email address|e-mail address|address",
        "group": "group|section|department|unit|team|class",
        "weight": "weight|votes|shares",
    }.items()
    for heading in headings.split("|")
}


@dataclass(frozen=True, slots=True)
class RollLine:
    """A person in a list, and the line it is on. What the line does not say is empty, or 0."""

    line: int
    name: str
    email: str = ""
    group: str = ""
    weight: int = 0


@dataclass(frozen=True, slots=True)
class RollProblem:
    """What is wrong with a line; 0 for the list as a whole."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class ParsedRoll:
    """The people in a list, its problems, and the headings of unused columns.

    `merged` are lines about the same person, `shared` those about different people with one
    address.
    """

    lines: Sequence[RollLine]
    problems: Sequence[RollProblem] = ()
    merged: Sequence[RollProblem] = ()
    shared: Sequence[RollProblem] = ()
    unused: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class RollChange:
    """What a list changes in a roll; `changed` has entries as they are, and as they will be.

    `shared` are lines with the address of someone on the roll who has another name: another person,
    or another spelling, which only the owner knows.
    """

    added: Sequence[RollVoter]
    changed: Sequence[tuple[RollVoter, RollVoter]]
    removed: Sequence[RollVoter]
    unchanged: int
    problems: Sequence[RollProblem]
    warnings: Sequence[RollProblem] = ()
    shared: Sequence[RollProblem] = ()


Rows = Iterable[tuple[int, Sequence[str]]]


def split_text(text: str) -> Rows:
    """Return the cells of each line of a text, with its number."""
    for number, line in enumerate(text.splitlines(), 1):
        head, mark, tail = line.rstrip(" ,;").rpartition("<")
        if mark and tail.endswith(">"):
            yield number, [head.strip().strip("\"'"), f"<{tail[:-1].strip()}>"]
        elif "\t" in line:  # copied from a spreadsheet
            yield number, line.split("\t")
        else:
            delimiter = ";" if ";" in line else ","
            reader = csv.reader([line], delimiter=delimiter, skipinitialspace=True)
            try:
                yield number, next(reader, list[str]())
            except csv.Error:  # a cell of more than 128 KB
                yield number, [line]


def write_text(lines: Iterable[RollLine]) -> str:
    """Return people as text that `split_text` reads; no field contains a tab."""
    rows = [FIELDS, *((one.name, one.email, one.group, str(one.weight or "")) for one in lines)]
    return "".join("\t".join(row) + "\t\n" for row in rows)


def parse_roll(rows: Rows) -> ParsedRoll:
    """Read people from rows of cells. Nothing is raised: all problems are in the result."""
    read: list[RollLine] = []
    problems: list[RollProblem] = []
    unused: list[str] = []
    columns: Mapping[str, int] | None = None
    is_first = True
    for number, texts in rows:
        cells = [text.strip() for text in texts]
        if not any(cells):
            continue
        if is_first:
            columns, is_first = _find_headings(cells), False
            if columns:
                unused = [cell for cell in cells if cell and cell.casefold() not in _HEADINGS]
                continue
        try:
            read.append(parse_line(number, columns, cells))
        except InvalidInput as error:
            said = quote(", ".join(filter(None, cells)))
            problems.append(RollProblem(number, f"{error} The line says {said}."))
    joined = _join_lines(read)
    problems = sorted([*problems, *joined.problems], key=lambda problem: problem.line)
    if len(joined.lines) > MAX_VOTERS:
        text = f"That’s {len(joined.lines):,} people. A roll can have at most {MAX_VOTERS:,}."
        problems.insert(0, RollProblem(0, text))
    return replace(joined, problems=problems, unused=unused)


def _join_lines(lines: Sequence[RollLine]) -> ParsedRoll:
    """Join the lines about the same person. Another name with the same address is another person.

    The order of the lines does not matter for who is a person of their own.
    """
    at_address: dict[str, dict[str, str]] = {}
    for one in lines:
        if one.email and one.name:
            names = at_address.setdefault(roll_identity("", one.email), {})
            names.setdefault(person_key(one.name), one.name)
    found: dict[tuple[str, str], RollLine] = {}
    problems: list[RollProblem] = []
    merged: list[RollProblem] = []
    for one in lines:
        identity, key = roll_identity(one.name, one.email), ""
        if one.email:
            names = at_address.get(identity, {})
            if not one.name and len(names) > 1:
                people = quote_names([*names.values()])
                text = f"{quote(one.email)} is the address of {people}. Write which of them it is."
                problems.append(RollProblem(one.line, text))
                continue
            key = person_key(one.name) if one.name else next(iter(names), "")
        known = found.get((identity, key))
        try:
            found[identity, key] = one if known is None else merge_lines(known, one)
        except InvalidInput as error:
            problems.append(RollProblem(one.line, str(error)))
            continue
        if known is not None:
            who = quote(one.name or one.email)
            merged.append(RollProblem(one.line, f"{who} is also on line {known.line:,}."))
    shared: list[RollProblem] = []
    first: dict[str, RollLine] = {}
    for (identity, _), one in found.items():
        other = first.setdefault(identity, one)
        if other is not one:
            has = f"{quote(one.name)} has the same address as {quote(other.name)}"
            shared.append(RollProblem(one.line, f"{has} on line {other.line:,}."))
    return ParsedRoll([*found.values()], problems, merged, shared)


def _find_headings(cells: Sequence[str]) -> Mapping[str, int] | None:
    """Return the columns of the fields if this is a row of headings."""
    fields = [_HEADINGS.get(cell.casefold()) for cell in cells]
    columns = {field: at for at, field in reversed([*enumerate(fields)]) if field is not None}
    return columns if columns.keys() & {"name", "email"} else None


def parse_line(number: int, columns: Mapping[str, int] | None, cells: Sequence[str]) -> RollLine:
    """Return the person on a line, or raise InvalidInput."""
    values = (
        _guess(cells)
        if columns is None
        else {field: cells[at] if at < len(cells) else "" for field, at in columns.items()}
    )
    sent = {field: values.get(field, "") for field in FIELDS}
    sent["email"] = sent["email"].removeprefix("<").removesuffix(">")
    if "@" in sent["name"] and not sent["email"]:
        sent["name"], sent["email"] = "", sent["name"]
    email = clean_email(sent["email"]) if sent["email"] else ""
    if not email and not sent["name"]:
        raise InvalidInput({"people": "There is no name and no e-mail address."})
    name, group = (clean_optional(sent[field], field, "people") for field in ("name", "group"))
    return RollLine(number, name, email, group, _parse_weight(sent["weight"]))


def _guess(cells: Sequence[str]) -> Mapping[str, str]:
    """Return the fields of a line without headings."""
    email = next((cell for cell in cells if "@" in cell or cell.startswith("<")), "")
    others = [cell for cell in cells if cell and cell is not email]
    weight = next((cell for cell in others[1:] or others if cell.isdecimal()), "")
    words = [cell for cell in others if cell is not weight]
    name, group, *more = [*words, "", ""]
    if any(more):
        raise InvalidInput(
            {"people": f"What is {quote(more[0])}? Write name, e-mail address, group and weight."}
        )
    return {"name": name, "email": email, "group": group, "weight": weight}


def _parse_weight(text: str) -> int:
    number = text.removesuffix(".0")
    is_number = number.isascii() and number.isdecimal()
    return check_weight(int(number[:20]) if is_number else 0, text, "people") if text else 0


def check_weight(weight: int, text: str = "", field: str = "weight") -> int:
    """Return the weight, or raise InvalidInput; `text` is what was entered."""
    if 1 <= weight <= MAX_WEIGHT:
        return weight
    said = quote(text or str(weight))
    message = f"The weight is {said}. Use a whole number from 1 to {MAX_WEIGHT:,}."
    raise InvalidInput({field: message})


def merge_lines(known: RollLine, other: RollLine) -> RollLine:
    """Return one line for a person listed twice, or raise InvalidInput."""
    if known.weight and other.weight and known.weight != other.weight:
        raise InvalidInput(
            {
                "people": f"{quote(other.email or other.name)} has the weight {other.weight:,} "
                f"here and {known.weight:,} on line {known.line:,}."
            }
        )
    return replace(
        known,
        name=known.name or other.name,
        group=known.group or other.group,
        weight=known.weight or other.weight,
    )
