"""Infer the format of texts and the Python type of a field from its values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal, TypeAlias

from dynamodb_engine.values import AttributeValue, type_of
from singletable.schema import TimeFormat
from singletable_design.introspection.names import RESERVED, pascal_case, singular, unused_name

TextFormat: TypeAlias = Literal[
    "uuid", "ulid", "time", "date", "number", "email", "address", "code"
]

# Words that say what kind of item a key is for, and never which one.
COMMON_LABELS = frozenset(
    """
    all config counter counts current default detail details info item latest main meta metadata
    profile root self settings state stats status summary
    """.split()  # noqa: SIM905 (words read better than quotes)
)
# Words that add nothing to the name of the partition.
GENERIC_LABELS = frozenset(
    {"data", "detail", "details", "info", "item", "main", "meta", "metadata"}
)

_TEXT_FORMATS: tuple[tuple[TextFormat, re.Pattern[str]], ...] = (
    ("uuid", re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")),
    ("ulid", re.compile("[0-7][0-9A-HJKMNP-TV-Z]{25}")),
    ("time", re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?")),
    ("date", re.compile(r"\d{4}-\d{2}-\d{2}")),
    ("number", re.compile(r"-?\d+(\.\d+)?")),
    ("email", re.compile(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)+")),
    ("address", re.compile(r"\d{1,3}(\.\d{1,3}){3}")),
    ("code", re.compile("(?=.*[0-9])[0-9A-Za-z=_-]{8,}")),
)
# Other libraries start the fixed texts of their keys with a dollar sign.
_WORD = re.compile(r"[A-Za-z][A-Za-z_-]*|\$[A-Za-z][A-Za-z0-9_-]*")
_TIME_FORMATS = (
    (TimeFormat.SECONDS, re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")),
    (TimeFormat.MILLISECONDS, re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")),
    (TimeFormat.MICROSECONDS, re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")),
)


def text_format(text: str) -> TextFormat | None:
    """Return the format of the text, or None for ordinary words."""
    return next((name for name, pattern in _TEXT_FORMATS if pattern.fullmatch(text)), None)


def common_text_format(texts: Sequence[str]) -> TextFormat | None:
    """Return the format that all texts share, or None."""
    first = text_format(texts[0])
    return first if all(text_format(text) == first for text in texts) else None


def is_word(text: str) -> bool:
    """Return whether the text could be a constant: letters only, and not an identifier."""
    return _WORD.fullmatch(text) is not None and text_format(text) is None


def is_uppercase_word(text: str) -> bool:
    """Return whether the text is an uppercase word, as constants in keys usually are."""
    return is_word(text) and text.isupper()


def is_common_label(text: str) -> bool:
    """Return whether the text is a constant that many designs have in keys."""
    return text.lower() in COMMON_LABELS


def infer_time_format(texts: Sequence[str]) -> TimeFormat | None:
    """Return the time format in which all texts are written, or None."""
    for time_format, pattern in _TIME_FORMATS:
        if all(pattern.fullmatch(text) and _is_time(text) for text in texts):
            return time_format
    return None


def are_dates(texts: Sequence[str]) -> bool:
    """Return whether all texts are ISO dates."""
    return all(_is_date(text) for text in texts)


def padded_width(texts: Sequence[str]) -> int | None:
    """Return the number of digits if all texts are zero-padded numbers of one width."""
    widths = {len(text) for text in texts}
    if len(widths) > 1 or not all(text.isascii() and text.isdigit() for text in texts):
        return None
    (width,) = widths
    # Numbers of equal length are padded for certain only if one begins with a zero.
    return width if width > 1 and any(text.startswith("0") for text in texts) else None


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


_SETS = {"SS": "set[str]", "BS": "set[bytes]"}
_SIMPLE = {"S": "str", "BOOL": "bool", "B": "bytes"}
_TIME_NAME = re.compile("(at|on|time|date|stamp|since|until|expires?|expiry)$", re.IGNORECASE)
# From 2001 to 2096; other numbers are hardly timestamps.
_SECONDS = range(10**9, 4 * 10**9)
_MILLISECONDS = range(10**12, 4 * 10**12)
# A map with more members than this is a dict, not a dataclass.
MAX_MEMBERS = 20


@dataclass(frozen=True, slots=True)
class FieldType:
    """A type as Python source, and the time format of its values."""

    text: str
    time_format: TimeFormat | None = None


@dataclass(frozen=True, slots=True)
class DataclassSpec:
    """A dataclass for the maps in items: its name, and the names and types of its members."""

    name: str
    members: tuple[tuple[str, str], ...]


@dataclass
class DataclassRegistry:
    """The dataclasses that the fields of a table need, without duplicates."""

    taken: set[str] = field(default_factory=set[str])
    specs: dict[frozenset[tuple[str, str]], DataclassSpec] = field(
        default_factory=dict[frozenset[tuple[str, str]], DataclassSpec]
    )

    def name_for(self, wanted: str, members: Sequence[tuple[str, str]]) -> str:
        """Return the name of the dataclass with these members, adding it if it is new."""
        known = frozenset(members)
        if known not in self.specs:
            name = unused_name(pascal_case(singular(wanted)), self.taken)
            self.taken.add(name)
            self.specs[known] = DataclassSpec(name, tuple(members))
        return self.specs[known].name


def infer_type(
    name: str, values: Sequence[AttributeValue], records: DataclassRegistry
) -> FieldType:
    """Return the narrowest type that encodes every value as it is stored."""
    tags = {type_of(value) for value in values}
    if tags == {"S"}:
        return infer_text_type([value["S"] for value in values])
    if tags == {"N"}:
        return _infer_number_type(name, [value["N"] for value in values])
    return FieldType(_infer_nested_type(name, values, records))


def infer_text_type(texts: Sequence[str]) -> FieldType:
    """Return datetime, date or UUID if all texts are written as one, and str otherwise."""
    time_format = infer_time_format(texts)
    if time_format is not None:
        return FieldType("datetime", time_format)
    if are_dates(texts):
        return FieldType("date")
    return FieldType("UUID" if all(text_format(text) == "uuid" for text in texts) else "str")


def _infer_number_type(name: str, numbers: Sequence[str]) -> FieldType:
    if not _are_integers(numbers):
        return FieldType("Decimal")
    if _TIME_NAME.search(name):
        if all(int(number) in _SECONDS for number in numbers):
            return FieldType("datetime", TimeFormat.EPOCH_SECONDS)
        if all(int(number) in _MILLISECONDS for number in numbers):
            return FieldType("datetime", TimeFormat.EPOCH_MILLISECONDS)
    return FieldType("int")


def _are_integers(numbers: Sequence[str]) -> bool:
    return all(number.removeprefix("-").isdigit() for number in numbers)


def _infer_nested_type(
    name: str, values: Sequence[AttributeValue], records: DataclassRegistry
) -> str:
    """Return the type of values that may be nested in others, where times stay strings."""
    tags = {type_of(value) for value in values}
    if len(tags) != 1:
        return "Any"
    (tag,) = tags
    match tag:
        case "S" | "BOOL" | "B":
            return _SIMPLE[tag]
        case "N":
            return "int" if _are_integers([value["N"] for value in values]) else "Decimal"
        case "SS" | "BS":
            return _SETS[tag]
        case "NS":
            whole = _are_integers([number for value in values for number in value["NS"]])
            return f"set[{'int' if whole else 'Decimal'}]"
        case "L":
            members = [member for value in values for member in value["L"]]
            return f"list[{_infer_nested_type(name, members, records)}]"
        case "M":
            return _infer_map_type(name, [value["M"] for value in values], records)
        case _:
            return "Any"


def _infer_map_type(
    name: str, maps: Sequence[Mapping[str, AttributeValue]], records: DataclassRegistry
) -> str:
    """Return a dataclass if all maps have the same names, valid in Python; a dict otherwise."""
    names = list(maps[0])
    same = all(set(each) == set(names) for each in maps)
    valid = [n for n in names if n.isidentifier() and n == unused_name(n, RESERVED)]
    if same and valid == names and 0 < len(names) <= MAX_MEMBERS:
        members = [
            (member, _infer_nested_type(member, [each[member] for each in maps], records))
            for member in names
        ]
        if not any("Any" in text for _, text in members):
            return records.name_for(name, members)
    values = [value for each in maps for value in each.values()]
    inner = _infer_nested_type(singular(name), values, records) if values else "Any"
    return f"dict[str, {inner}]"
