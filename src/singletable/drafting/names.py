"""Names as Python has them, made of those that a table has."""

from __future__ import annotations

import keyword
import re
from collections.abc import Container

# What a drafted class uses by name: a field of that name would stand in the way.
RESERVED = frozenset(
    """
    Annotated Any Attr Binary Decimal Entity Index Key LocalIndex Number Provisioned Table
    TimeFormat UUID Unique attr bool bytes casefold dataclass date datetime dict expires int key
    list padded same set str
    """.split()  # noqa: SIM905 (words read better than quotes)
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+")


def snake(name: str) -> str:
    """`PlayerName`, `player-name` and `PLAYER_NAME` as `player_name`."""
    words = [word.lower() for word in _WORDS.findall(name)]
    return _not_a_number("_".join(words)) or "field"


def camel(name: str) -> str:
    """`USER_SKILL`, `user-skill` and `UserSkill` as `UserSkill`."""
    words = [word if _is_mixed(word) else word.capitalize() for word in _WORDS.findall(name)]
    return _not_a_number("".join(words)) or "Thing"


def singular(word: str) -> str:
    """One of several, for the usual plurals of English."""
    lower = word.lower()
    if lower.endswith("ies") and len(word) > 4:
        return word[:-3] + ("Y" if word.isupper() else "y")
    if lower.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if lower.endswith("s") and not lower.endswith(("ss", "us", "is")) and len(word) > 3:
        return word[:-1]
    return word


def free(name: str, taken: Container[str]) -> str:
    """The name, or one like it that is neither taken nor Python's own."""
    if keyword.iskeyword(name) or name in RESERVED:
        name = f"{name}_"
    if name not in taken:
        return name
    return next(f"{name}{number}" for number in range(2, 10_000) if f"{name}{number}" not in taken)


def _is_mixed(word: str) -> bool:
    return not word.isupper() and not word.islower()


def _not_a_number(name: str) -> str:
    return f"n{name}" if name[:1].isdigit() else name
