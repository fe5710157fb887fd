"""What the text of a key's part may be: a word that stays, a number, a time, an identifier."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Literal, TypeAlias

from singletable.schema import TimeFormat

Look: TypeAlias = Literal["uuid", "ulid", "time", "date", "number", "email", "address", "code"]

# Words that tell what an item is, and never which one.
USUAL = frozenset(
    """
    all config counter counts current default detail details info item latest main meta metadata
    profile root self settings state stats status summary
    """.split()  # noqa: SIM905 (words read better than quotes)
)
# Of these, the ones that say no more than the partition does.
SAYS_NOTHING = frozenset({"data", "detail", "details", "info", "item", "main", "meta", "metadata"})

_LOOKS: tuple[tuple[Look, re.Pattern[str]], ...] = (
    ("uuid", re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")),
    ("ulid", re.compile("[0-7][0-9A-HJKMNP-TV-Z]{25}")),
    ("time", re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?")),
    ("date", re.compile(r"\d{4}-\d{2}-\d{2}")),
    ("number", re.compile(r"-?\d+(\.\d+)?")),
    ("email", re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")),
    ("address", re.compile(r"\d{1,3}(\.\d{1,3}){3}")),
    ("code", re.compile("(?=.*[0-9])[0-9A-Za-z=_-]{8,}")),
)
_WORD = re.compile("[A-Za-z][A-Za-z_-]*")
_TIME_FORMS = (
    (TimeFormat.SECONDS, re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")),
    (TimeFormat.MILLISECONDS, re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")),
    (TimeFormat.MICROSECONDS, re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")),
)


def look_of(text: str) -> Look | None:
    """What the text looks like, if it is not ordinary words."""
    return next((look for look, shape in _LOOKS if shape.fullmatch(text)), None)


def common_look(texts: Sequence[str]) -> Look | None:
    """What all of the texts look like, if that is one thing."""
    first = look_of(texts[0])
    return first if all(look_of(text) == first for text in texts) else None


def is_word(text: str) -> bool:
    """Whether it could be a text that stays: letters only, and no identifier."""
    return _WORD.fullmatch(text) is not None and look_of(text) is None


def is_loud(text: str) -> bool:
    """Whether it is a word in capitals, as the texts that stay usually are."""
    return is_word(text) and text.isupper()


def is_usual(text: str) -> bool:
    """Whether it is a word that many designs have in keys."""
    return text.lower() in USUAL


def time_form(texts: Sequence[str]) -> TimeFormat | None:
    """The form of time in which all of the texts are written, down to the last digit."""
    for form, shape in _TIME_FORMS:
        if all(shape.fullmatch(text) and _is_time(text) for text in texts):
            return form
    return None


def are_dates(texts: Sequence[str]) -> bool:
    """Whether all of the texts are days as Python writes them."""
    return all(_is_date(text) for text in texts)


def padded_width(texts: Sequence[str]) -> int | None:
    """How many digits each of the texts has, if they are numbers with zeros before them."""
    widths = {len(text) for text in texts}
    if len(widths) > 1 or not all(text.isascii() and text.isdigit() for text in texts):
        return None
    (width,) = widths
    # Without a zero in front nobody knows whether the next number would have one.
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
