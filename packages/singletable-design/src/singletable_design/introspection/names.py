"""Turn names of tables, attributes and key parts into Python names."""

from __future__ import annotations

import keyword
import re
from collections.abc import Container

# Names that the generated classes use; a field of that name would shadow them.
RESERVED = frozenset(
    """
    Annotated Any Attr Binary Decimal Entity Index Key LocalIndex Number Provisioned Table
    TimeFormat UUID Unique attr bool bytes casefold concat dataclass date datetime dict expires int
    key list padded repeated set str
    """.split()  # noqa: SIM905 (words read better than quotes)
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+")


def snake_case(name: str) -> str:
    """Turn `PlayerName`, `player-name` and `PLAYER_NAME` into `player_name`."""
    words = [word.lower() for word in _WORDS.findall(name)]
    name = "_".join(words)
    return f"n{name}" if name[:1].isdigit() else name or "field"


def pascal_case(name: str) -> str:
    """Turn `USER_SKILL`, `user-skill` and `UserSkill` into `UserSkill`."""
    words = [word if _is_mixed_case(word) else word.capitalize() for word in _WORDS.findall(name)]
    name = "".join(words)
    # Uppercase, unlike in snake_case: a class must not have the name of a field that uses it.
    return f"N{name}" if name[:1].isdigit() else name or "Thing"


def singular(word: str) -> str:
    """Return the singular of a regular English plural."""
    lower = word.lower()
    if lower.endswith("ies") and len(word) > 4:
        return word[:-3] + ("Y" if word.isupper() else "y")
    if lower.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if lower.endswith("s") and not lower.endswith(("ss", "us", "is")) and len(word) > 3:
        return word[:-1]
    return word


def plural(word: str) -> str:
    """Return the regular English plural of a word in lower case."""
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")


def unused_name(name: str, taken: Container[str]) -> str:
    """Return the name, changed if it is taken, reserved or a keyword."""
    if keyword.iskeyword(name) or name in RESERVED:
        name = f"{name}_"
    if name not in taken:
        return name
    return next(f"{name}{number}" for number in range(2, 10_000) if f"{name}{number}" not in taken)


def _is_mixed_case(word: str) -> bool:
    return not word.isupper() and not word.islower()


# Names that say nothing about their content: `PK`, `GSI1SK`, `GSI-1`.
_GENERIC_ATTRIBUTE = re.compile(
    r"_*((g|l)si|data|index|idx|sort|partition|hash|range)?[_-]?\d*[_-]?"
    r"(pk|sk|hk|rk|hash|range|key|partition|sort|partition_?key|sort_?key|data)[_-]?\d*",
    re.IGNORECASE,
)
_GENERIC_INDEX = re.compile(
    r"_*((g|l)si|index|idx|inverted|reverse)?([_-]?index)?[_-]?\d*", re.IGNORECASE
)


def is_generic_attribute(attribute: str) -> bool:
    """Return whether the name of a key attribute is generic, such as `GSI1PK`."""
    return _GENERIC_ATTRIBUTE.fullmatch(attribute) is not None


def is_generic_index(name: str) -> bool:
    """Return whether the name of an index is generic, such as `GSI-1`."""
    return _GENERIC_INDEX.fullmatch(name) is not None
