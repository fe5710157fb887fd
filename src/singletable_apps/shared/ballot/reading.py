"""A ballot that was sent: the number in every box, or what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from singletable_apps.shared.ballot.paper import Choice

RANK = "rank."
LARGEST = 9999


@dataclass(frozen=True, slots=True)
class Typed:
    """What stood in the boxes, by name: as it was typed, as ranks, and what is no rank."""

    texts: Mapping[str, str]
    ranks: Mapping[str, int | None]
    faults: Mapping[str, str]

    def choices(self, names: Iterable[str]) -> tuple[Choice, ...]:
        """These choices, with what was typed for them."""
        return tuple(
            Choice(name, self.texts.get(name, ""), self.faults.get(name, "")) for name in names
        )


def read(values: Mapping[str, object]) -> Typed:
    """What was typed into the boxes among these fields. An empty box is not ranked."""
    texts = {key[len(RANK) :]: _text(value) for key, value in values.items() if _is_box(key)}
    ranks: dict[str, int | None] = {}
    faults: dict[str, str] = {}
    for name, text in texts.items():
        if not text:
            ranks[name] = None
        elif text.isascii() and text.isdecimal() and 0 < int(text[:6]) <= LARGEST:
            ranks[name] = int(text[:6])
        else:
            faults[name] = (
                f"Expected a place as 1, 2 or 3 (at most {LARGEST}), or nothing, but got "
                f"{text[:40]}."
            )
    return Typed(texts, ranks, faults)


def _is_box(key: str) -> bool:
    return key.startswith(RANK) and len(key) > len(RANK)


def _text(value: object) -> str:
    """One box for one name: what is sent twice is no number any more."""
    if isinstance(value, list | tuple):
        return " and ".join(str(each) for each in cast(Sequence[object], value))
    return str(value).strip()
