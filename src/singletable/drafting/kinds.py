"""The type of a field, found in the values that items have in it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from singletable.drafting.names import RESERVED, camel, free, singular
from singletable.drafting.text import are_dates, look_of, time_form
from singletable.schema import TimeFormat
from singletable.values import AttributeValue, type_of

_SETS = {"SS": "set[str]", "BS": "set[bytes]"}
_SIMPLE = {"S": "str", "BOOL": "bool", "B": "bytes"}
_TIMELY = re.compile("(at|on|time|date|stamp|since|until|expires?|expiry)$", re.IGNORECASE)
# From 2001 to 2096: other numbers are hardly times.
_SECONDS = range(10**9, 4 * 10**9)
_MILLISECONDS = range(10**12, 4 * 10**12)
# A map with more names than this holds data by name; it is no record.
MOST_MEMBERS = 20


@dataclass(frozen=True, slots=True)
class Kind:
    """A type as it is written, and the form of the times in it."""

    text: str
    form: TimeFormat | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """A dataclass for the maps in items: its name, and its members with their types."""

    name: str
    members: tuple[tuple[str, str], ...]


@dataclass
class Records:
    """The dataclasses that the fields of a draft need, each once."""

    taken: set[str] = field(default_factory=set[str])
    found: dict[frozenset[tuple[str, str]], Record] = field(
        default_factory=dict[frozenset[tuple[str, str]], Record]
    )

    def name_for(self, wanted: str, members: Sequence[tuple[str, str]]) -> str:
        """The name of the dataclass with these members."""
        known = frozenset(members)
        if known not in self.found:
            name = free(camel(singular(wanted)), self.taken)
            self.taken.add(name)
            self.found[known] = Record(name, tuple(members))
        return self.found[known].name


def kind_of(name: str, values: Sequence[AttributeValue], records: Records) -> Kind:
    """The type that holds all of the values, so that each is written back as it was."""
    tags = {type_of(value) for value in values}
    if tags == {"S"}:
        return text_kind([value["S"] for value in values])
    if tags == {"N"}:
        return _number_kind(name, [value["N"] for value in values])
    return Kind(_inner(name, values, records))


def text_kind(texts: Sequence[str]) -> Kind:
    """The type of texts: a time, a day or an identifier if all of them are written as one."""
    form = time_form(texts)
    if form is not None:
        return Kind("datetime", form)
    if are_dates(texts):
        return Kind("date")
    return Kind("UUID" if all(look_of(text) == "uuid" for text in texts) else "str")


def _number_kind(name: str, numbers: Sequence[str]) -> Kind:
    if not _are_whole(numbers):
        return Kind("Decimal")
    if _TIMELY.search(name):
        if all(int(number) in _SECONDS for number in numbers):
            return Kind("datetime", TimeFormat.EPOCH_SECONDS)
        if all(int(number) in _MILLISECONDS for number in numbers):
            return Kind("datetime", TimeFormat.EPOCH_MILLISECONDS)
    return Kind("int")


def _are_whole(numbers: Sequence[str]) -> bool:
    return all(number.removeprefix("-").isdigit() for number in numbers)


def _inner(name: str, values: Sequence[AttributeValue], records: Records) -> str:
    """The type of values that may be inside of others, where times stay texts."""
    tags = {type_of(value) for value in values}
    if len(tags) != 1:
        return "Any"
    (tag,) = tags
    match tag:
        case "S" | "BOOL" | "B":
            return _SIMPLE[tag]
        case "N":
            return "int" if _are_whole([value["N"] for value in values]) else "Decimal"
        case "SS" | "BS":
            return _SETS[tag]
        case "NS":
            whole = _are_whole([number for value in values for number in value["NS"]])
            return f"set[{'int' if whole else 'Decimal'}]"
        case "L":
            members = [member for value in values for member in value["L"]]
            return f"list[{_inner(name, members, records)}]"
        case "M":
            return _map(name, [value["M"] for value in values], records)
        case _:
            return "Any"


def _map(name: str, maps: Sequence[Mapping[str, AttributeValue]], records: Records) -> str:
    """A dataclass if all maps have the same names, which Python can have; a dict otherwise."""
    names = list(maps[0])
    same = all(set(one) == set(names) for one in maps)
    fit = [one for one in names if one.isidentifier() and one == free(one, RESERVED)]
    if same and fit == names and 0 < len(names) <= MOST_MEMBERS:
        members = [(one, _inner(one, [each[one] for each in maps], records)) for one in names]
        if not any("Any" in text for _, text in members):
            return records.name_for(name, members)
    inside = [value for one in maps for value in one.values()]
    return f"dict[str, {_inner(singular(name), inside, records) if inside else 'Any'}]"
