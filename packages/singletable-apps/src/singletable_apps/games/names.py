"""Names of players: what is accepted, which ones look the same, and friendly suggestions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random, SystemRandom
from unicodedata import category, combining

from singletable_apps.games.entities import GameSettings
from singletable_apps.games.errors import InvalidInput
from singletable_apps.games.moderation import BLANKS, fold, is_denied, read_words
from singletable_apps.shared.text import has_visible_text, normalize_line

MAX_NAME = 24
# How many accents a letter can have. More are only used to fill the screen.
_MAX_MARKS = 3
# Joins emoji, and letters of Indic scripts and Persian.
_JOINERS = "\u200c\u200d"
_ADJECTIVES, _ANIMALS = read_words("adjectives"), read_words("animals")
_SAME = str.maketrans("i1|!0", "llllo")
_RESERVED = frozenset(each.translate(_SAME) for each in read_words("reserved"))


def name_key(name: str) -> str:
    """Return a text that is equal for names that look the same, such as Bill and BiIl."""
    return fold(name).translate(_SAME) or name.casefold()


def tidy_name(name: str) -> str:
    """Return a name without invisible characters and without piles of accents."""
    shown: list[str] = []
    marks = 0
    for before, each, after in zip(f" {name}", name, f"{name} "[1:], strict=False):
        marks = marks + 1 if combining(each) else 0
        is_joining = each in _JOINERS and not (before.isascii() or after.isascii())
        is_hidden = each in BLANKS or (category(each) == "Cf" and not is_joining)
        if not is_hidden and marks <= _MAX_MARKS:
            shown.append(each)
    return normalize_line("".join(shown))


def check_name(settings: GameSettings, name: str) -> str:
    """Return a name as it is shown, or raise InvalidInput."""
    chosen = tidy_name(name)
    if not has_visible_text(chosen):
        raise InvalidInput({"name": "Please fill this in."})
    if settings.generated_names and not is_generated(chosen):
        raise InvalidInput({"name": "Names are drawn in this game. Take one of those."})
    letters = re.sub(r"[\W_]|(?<!\d)\d++$", "", fold(chosen)).removeprefix("the").translate(_SAME)
    if letters in _RESERVED:
        raise InvalidInput({"name": "This name is for hosts. Choose another one."})
    if is_denied(settings, chosen):
        raise InvalidInput({"name": "Please choose another name."})
    return chosen


def is_generated(name: str) -> bool:
    """Return whether a name is one that `draw_names` can return."""
    adjective, _, rest = name.partition(" ")
    animal, _, number = rest.partition(" ")
    return (
        adjective in _ADJECTIVES
        and animal in _ANIMALS
        and re.fullmatch(r"([2-9]|[1-9][0-9]{1,3})?", number, re.ASCII) is not None
    )


def draw_names(random: Random | None = None) -> Iterator[str]:
    """Return random friendly names: an adjective and an animal, then also with a number."""
    chosen = random or SystemRandom()
    for attempt in range(24):
        name = f"{chosen.choice(_ADJECTIVES)} {chosen.choice(_ANIMALS)}"
        yield name if attempt < 12 else f"{name} {chosen.randint(2, 9_999)}"


def similar_names(name: str, random: Random | None = None) -> list[str]:
    """Return names like one that is taken: with a number, or with an adjective."""
    chosen = random or SystemRandom()
    adjectives = chosen.sample(_ADJECTIVES, 4)
    numbers = [2, 3, 4, *chosen.sample(range(5, 100), 5)]
    names = [f"{name[: MAX_NAME - 3].rstrip()} {number}" for number in numbers]
    names[1:1] = [each for word in adjectives if len(each := f"{word} {name}") <= MAX_NAME]
    return names
