"""Rules about rolls: read a list of voters, merge duplicates, and find all its problems.

A line is `Name <mail>`, an address, a name, or cells of a spreadsheet: name, e-mail address, group
and weight, in the order of the headings, which may have rows above them. Without headings, the cell
with an @ is the address, a number is the weight, and the others are name and group.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from urllib.parse import unquote

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
# The words of headings without spaces and punctuation, the most certain ones first: an “Address” is
# a postal one if there is an “E-mail”.
_WORDS = {
    "name": "name fullname voter member person participant mitglied wähler vollständigername "
    "namevorname nachnamevorname vornamename vornamenachname vorundnachname nom nomcomplet "
    "nomprénom nombrecompleto nombreyapellidos apellidosynombre nomecompleto nomecognome naam",
    "first": "firstname givenname forename first vorname rufname prénom prenom nombre nome "
    "voornaam",
    "last": "lastname surname familyname last nachname familienname zuname nomdefamille apellido "
    "apellidos cognome achternaam",
    "email": "email mail emailaddress mailaddress emailadresse mailadresse adresseemail "
    "adressemail courriel correoelectrónico correo indirizzoemail emailadres address adresse",
    "group": "group section department unit team class abteilung gruppe sparte bereich mannschaft "
    "klasse groupe grupo sección gruppo sezione groep afdeling",
    "weight": "weight votes shares numberofvotes votingweight voteweight votingrights stimmen "
    "stimmenzahl stimmenanzahl anzahlstimmen anzahlderstimmen stimmgewicht stimmrechte gewicht "
    "anteile voix nombredevoix votos voti stemmen",
}
_HEADINGS: Mapping[str, tuple[str, int]] = {
    word: (field, rank)
    for field, words in _WORDS.items()
    for rank, word in enumerate(words.split())
}
# Titles, dates and notes may be above the headings.
MOST_ROWS_ABOVE = 20
_NUMBER = re.compile(r"[0-9]+([.,][0-9]+)?")
_IN_BRACKETS = re.compile(r"(.*)<([^<>]*)>")


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
    """The people in a list, its problems, and what is not read.

    `merged` are lines about the same person, `shared` those about different people with one
    address. `unused` are the headings of columns, and `above` the rows over the headings;
    `has_headings` if there are any.
    """

    lines: Sequence[RollLine]
    problems: Sequence[RollProblem] = ()
    merged: Sequence[RollProblem] = ()
    shared: Sequence[RollProblem] = ()
    unused: Sequence[str] = ()
    above: Sequence[str] = ()
    has_headings: bool = False


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
    """Return the cells of each line of a text, with its number.

    Headings decide about the delimiter; without them, each line does.
    """
    first = [*islice(filter(str.strip, text.splitlines()), MOST_ROWS_ABOVE)]
    for delimiter in "\t;,":
        rows = [(0, _split_line(line, delimiter)) for line in first]
        at = _find_heading_row(rows)
        if at is not None and len(rows[at][1]) > 1:
            yield from _split_table(text.splitlines(), delimiter)
            return
    for number, line in enumerate(text.splitlines(), 1):
        head, mark, tail = line.rstrip(" ,;").rpartition("<")
        if mark and tail.endswith(">"):
            yield number, [head.strip().strip("\"'"), f"<{tail[:-1].strip()}>"]
        elif "\t" in line:  # copied from a spreadsheet
            yield number, line.split("\t")
        else:
            yield number, _split_line(line, ";" if ";" in line else ",")


def _split_line(line: str, delimiter: str) -> list[str]:
    try:
        reader = csv.reader([line], delimiter=delimiter, skipinitialspace=True)
        return next(reader, list[str]())
    except csv.Error:  # a cell of more than 128 KB
        return [line]


def _split_table(lines: Sequence[str], delimiter: str) -> Rows:
    """Return the rows of a table; its cells may contain line breaks."""
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, skipinitialspace=True)
    while (number := reader.line_num) < len(lines):
        try:
            yield number + 1, next(reader, list[str]())
        except csv.Error:  # a cell of more than 128 KB
            yield number + 1, [lines[number]]


def pick_sheet(sheets: Sequence[Sequence[tuple[int, Sequence[str]]]]) -> int:
    """Return the position of the sheet with the people: it has headings, or else an address."""
    with_headings = (at for at, rows in enumerate(sheets) if _find_heading_row(rows) is not None)
    with_address = (
        at for at, rows in enumerate(sheets) if any(_has_address(row) for _, row in rows)
    )
    return next(with_headings, next(with_address, 0))


def format_text(lines: Iterable[RollLine]) -> str:
    """Return people as text that `split_text` reads."""
    rows = [FIELDS, *((one.name, one.email, one.group, str(one.weight or "")) for one in lines)]
    quoted = (['"' + cell.replace('"', '""') + '"' for cell in row] for row in rows)
    return "".join("\t".join(row) + "\n" for row in quoted)


def parse_roll(rows: Rows) -> ParsedRoll:
    """Read people from rows of cells. Nothing is raised: all problems are in the result."""
    table = [(number, [text.strip() for text in texts]) for number, texts in rows]
    table = [(number, cells) for number, cells in table if any(cells)]
    at = _find_heading_row(table)
    headings = table[at][1] if at is not None else []
    columns = _find_headings(headings) if headings else None
    read: list[RollLine] = []
    problems: list[RollProblem] = []
    used = {*columns.values()} if columns else set[int]()
    filled = {index for _, cells in table for index, cell in enumerate(cells) if cell}
    unused = [
        cell or f"column {index + 1}"
        for index, cell in enumerate(headings)
        if index not in used and index in filled
    ]
    above: list[str] = []
    for row, (number, cells) in enumerate(table):
        if row == at:
            continue
        try:
            if at is not None:
                check_place(at, row, cells, len(headings))
            if at is not None and row < at:
                above.append(", ".join(filter(None, cells)))
                continue
            read.append(parse_line(number, columns, cells))
        except InvalidInput as error:
            said = quote(", ".join(filter(None, cells)))
            problems.append(RollProblem(number, f"{error} The line says {said}."))
    joined = _join_lines(read)
    problems = sorted([*problems, *joined.problems], key=lambda problem: problem.line)
    if len(joined.lines) > MAX_VOTERS:
        text = f"That’s {len(joined.lines):,} people. A roll can have at most {MAX_VOTERS:,}."
        problems.insert(0, RollProblem(0, text))
    return replace(
        joined, problems=problems, unused=unused, above=above, has_headings=columns is not None
    )


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


def check_place(headings: int, row: int, cells: Sequence[str], width: int) -> None:
    """Raise InvalidInput for someone above the row of headings, or beside its columns."""
    if row < headings and _has_address(cells):
        raise InvalidInput({"people": "This line is above the headings."})
    beside = [*filter(None, cells[width:])]
    if row > headings and beside:
        text = f"{quote(beside[0])} is in a column without a heading."
        raise InvalidInput({"people": text})


def _find_heading_row(rows: Sequence[tuple[int, Sequence[str]]]) -> int | None:
    """Return the position of the headings: the first row, or one below with two known words."""
    for at, (_, cells) in enumerate(rows[:MOST_ROWS_ABOVE]):
        columns = _find_headings(cells)
        if columns is not None and (at == 0 or len(columns) > 1):
            return at
    return None


def _find_headings(cells: Sequence[str]) -> Mapping[str, int] | None:
    """Return the columns of the fields if this is a row of headings."""
    found: dict[str, tuple[int, int]] = {}
    for at, cell in enumerate(cells):
        # A list may begin with “Member 1”, but “E-Mail 1” is no one.
        key = _heading_key(cell)
        field, rank = _HEADINGS.get(key) or _HEADINGS.get(key.rstrip("0123456789"), ("", 0))
        if key in _HEADINGS or field == "email":
            found[field] = min(found.get(field, (rank, at)), (rank, at))
    columns = {field: at for field, (_, at) in found.items()}
    if not columns.keys() & {"name", "first", "last", "email"}:
        return None
    if "name" in columns and "first" in columns and "last" not in columns:
        columns["last"] = columns["name"]
    if "first" in columns or "last" in columns:
        columns.pop("name", None)
    return columns


def _heading_key(text: str) -> str:
    """Return a heading without spaces and punctuation, up to a parenthesis."""
    return "".join(filter(str.isalnum, text[:100].partition("(")[0].casefold()))


def _has_address(cells: Iterable[str]) -> bool:
    """Return whether a cell is an e-mail address, not only mentions one."""
    return any("@" in cell and len(cell.split()) == 1 for cell in cells)


def parse_line(number: int, columns: Mapping[str, int] | None, cells: Sequence[str]) -> RollLine:
    """Return the person on a line, or raise InvalidInput."""
    values = (
        _guess(cells)
        if columns is None
        else {field: cells[at] if at < len(cells) else "" for field, at in columns.items()}
    )
    full = " ".join(filter(None, (values.get("first", ""), values.get("last", ""))))
    sent = {
        "name": full,
        **{field: values.get(field, "") for field in FIELDS if not full or field != "name"},
    }
    named, sent["email"] = _split_address(sent["email"])
    if named and sent["name"] and person_key(named) != person_key(sent["name"]):
        text = f"Which name is it: {quote_names([sent['name'], named])}?"
        raise InvalidInput({"people": text})
    sent["name"] = sent["name"] or named
    if "@" in sent["name"] and not sent["email"]:
        sent["name"], sent["email"] = _split_address(sent["name"])
    email = clean_email(sent["email"]) if sent["email"] else ""
    if not email and not sent["name"]:
        raise InvalidInput({"people": "There is no name and no e-mail address."})
    name, group = (clean_optional(sent[field], field, "people") for field in ("name", "group"))
    return RollLine(number, name, email, group, _parse_weight(sent["weight"]))


def _split_address(text: str) -> tuple[str, str]:
    """Return the name and the address in `Ada <ada@example.org>` or `mailto:ada@example.org`."""
    match = _IN_BRACKETS.fullmatch(text)
    name, address = (match[1].strip(" \"'"), match[2].strip()) if match else ("", text)
    if address.casefold().startswith("mailto:"):
        address = unquote(address[len("mailto:") :].partition("?")[0])
    return name, address


def _guess(cells: Sequence[str]) -> Mapping[str, str]:
    """Return the fields of a line without headings, or raise InvalidInput if they are unclear."""
    emails = [cell for cell in cells if "@" in cell or cell.startswith("<")]
    if emails[1:]:
        text = f"Which address is it: {quote_names(emails)}? Write a line for each person."
        raise InvalidInput({"people": text})
    others = [cell for cell in cells if cell and cell not in emails]
    numbers = [cell for cell in (others[1:] or others) if _NUMBER.fullmatch(cell)]
    words = [cell for cell in others if cell not in numbers]
    unclear = [*words[2:], *numbers[1:]]
    if words[1:] and _NUMBER.fullmatch(words[0]):
        unclear = words[:1]
    if unclear:
        raise InvalidInput(
            {
                "people": f"What is {quote(unclear[0])}? Write name, e-mail address, group and "
                "weight, or headings above the list."
            }
        )
    if words[1:] and emails and cells.index(emails[0]) > cells.index(words[1]):
        raise InvalidInput(
            {
                "people": f"Is {quote(words[1])} a part of the name, or the group? Write headings "
                "above the list, such as: Last name, First name, E-mail."
            }
        )
    name, group, *_ = [*words, "", ""]
    return {
        "name": name,
        "email": "".join(emails),
        "group": group,
        "weight": "".join(numbers),
    }


def _parse_weight(text: str) -> int:
    number = re.sub(r"[.,]0{1,2}$", "", text)
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
