"""What is on a ballot: the choices with their places, and the words around them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Choice:
    """One that can be ranked: what stands in its box, and what is wrong with that."""

    name: str
    rank: str = ""
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """What the form says of itself."""

    ranked: str = "Your ranking"
    rest: str = "Not ranked"
    rest_means: str = "Counted below all you ranked."
    start: str = "Tap a name to rank it first, or drag it here."
    review: str = "Review and cast"
    cast: str = "Cast ballot"
    sure: str = "Cast this ballot?"
    blank_sure: str = "Cast a blank ballot?"
    blank_means: str = "Nothing is ranked. A blank ballot is counted as cast, and prefers none."
    back: str = "Look again"


@dataclass(frozen=True, slots=True)
class Paper:
    """A form to rank on.

    It is sent to `to` with `fields`, and with `rank.NAME` for every choice. `means` is said beside
    the button: who will see the ballot, and whether it can be changed. A draft is kept in the
    browser under `draft`, as long as what it is based on has the same `basis`. Without
    `equals` nobody shares a place; without `blank` a ballot that ranks nobody is not cast.
    """

    to: str
    choices: tuple[Choice, ...]
    means: str = ""
    fields: Mapping[str, str] = field(default_factory=dict[str, str])
    draft: str = ""
    basis: str = ""
    words: Words = field(default_factory=Words)
    equals: bool = True
    blank: bool = True


def levels_of(ranks: Mapping[str, int | None]) -> tuple[list[list[str]], list[str]]:
    """The places from the first on, each with who is there, and those that have none."""
    places: dict[int, list[str]] = {}
    for name, rank in ranks.items():
        if rank is not None:
            places.setdefault(rank, []).append(name)
    return [places[rank] for rank in sorted(places)], _none(ranks.items())


def _none(pairs: Iterable[tuple[str, int | None]]) -> list[str]:
    return [name for name, rank in pairs if rank is None]
