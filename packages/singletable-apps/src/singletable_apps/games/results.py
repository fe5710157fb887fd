"""Summaries of the answers to a question as values, and how answers are counted.

Screens and reports show the same `Summary`, which can be written as JSON. `kinds.py` makes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum
from unicodedata import category, normalize

import ranked_ballots
from singletable_apps.games.questions import QuestionType
from singletable_apps.games.scoring import round_points

MAX_WORDS = 60
# Words that say nothing about an answer.
_STOP_WORDS = """
a about after again all also am an and any are as at be because been before being both but by can
could did do does doing don't down each even ever every few for from further get go got had has have
having he her here hers him his how i i'd i'll i'm i've if in into is isn't it it's its just let
like lot made make many me more most much my no nor not now of off on once one only or other our out
over own really same she should so some such than that that's the their them then there these they
they're thing things this those through to too under until up us use very was we we're were what
when where which while who why will with would yes you you're your yours
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of one player: options (best first, to be ranked), a number, or a text."""

    choices: tuple[str, ...] = ()
    number: int | None = None
    text: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class OptionCount:
    """The count of an option or a step of a scale, also in percent of answers and of players.

    `is_correct` is None where answers are not right or wrong.
    """

    option: str
    text: str
    count: int
    of_answers: float
    of_players: float
    is_correct: bool | None = None


@dataclass(frozen=True, slots=True)
class RankedOption:
    """An option that was ranked. `place` is its place by Schulze's method.

    On a ranking of a part, the options that are left share the mean of the positions that are left.
    """

    option: str
    text: str
    place: int
    mean_position: float
    first_choices: int


@dataclass(frozen=True, slots=True)
class WordCount:
    """A word, and how many answers contain it."""

    word: str
    count: int


@dataclass(frozen=True, slots=True)
class Summary:
    """The answers to a question. What a type of question does not have is empty or None.

    `hidden` is a sentence if the distribution must not be shown, and empty otherwise. `options` has
    choices, numbers, or how many have put an option into its right place. `texts` are in
    alphabetical order, which does not show who was first.
    """

    type: QuestionType
    answered: int
    players: int
    hidden: str = ""
    options: tuple[OptionCount, ...] = ()
    ranking: tuple[RankedOption, ...] = ()
    texts: tuple[str, ...] = ()
    words: tuple[WordCount, ...] = ()
    correct: int | None = None
    correct_percent: float | None = None
    mean_seconds: float | None = None
    mean: float | None = None
    median: float | None = None
    # Net promoter score, for the scale from 0 to 10: % who chose 9 or 10 minus % up to 6.
    nps: int | None = None


def count_words(texts: Iterable[str]) -> tuple[WordCount, ...]:
    """Return the most frequent words. A word counts once per text, and stop words do not."""
    counts = Counter(word for text in texts for word in _words(text) - STOP_WORDS)
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(WordCount(*each) for each in ordered[:MAX_WORDS])


def _words(text: str) -> set[str]:
    folded = normalize("NFKC", text).lower().replace("\u2019", "'")
    # Marks are parts of letters in many scripts, so words end at anything but letters and marks.
    spaced = "".join(each if each in "'-" or category(each)[0] in "LMN" else " " for each in folded)
    words = {word.strip("'-") for word in spaced.split()}
    return {word for word in words if any(each.isalpha() for each in word)}


def percent(count: int, total: int) -> float:
    """Return a share in percent to one decimal."""
    return round_points(Fraction(1000 * count, total)) / 10 if total else 0.0


def mean(values: Sequence[float]) -> float | None:
    """Return the mean to two decimals; None without values."""
    return round_points(fsum(values) * 100 / len(values)) / 100 if values else None


def count_options(
    base: Summary,
    labels: Mapping[str, str],
    chosen: Iterable[str],
    correct: Collection[str] | None = None,
) -> tuple[OptionCount, ...]:
    """Return how often each of the labeled options was chosen."""
    counts = Counter(chosen)
    return tuple(
        OptionCount(
            option,
            text,
            counts[option],
            percent(counts[option], base.answered),
            percent(counts[option], base.players),
            None if correct is None else option in correct,
        )
        for option, text in labels.items()
    )


def rank_options(labels: Mapping[str, str], replies: Sequence[Reply]) -> tuple[RankedOption, ...]:
    """Return the options as all replies together rank them, best first."""
    if not replies:
        return ()
    positions: dict[str, list[float]] = {option: [] for option in labels}
    for reply in replies:
        left = (len(reply.choices) + 1 + len(labels)) / 2
        places = {option: float(at) for at, option in enumerate(reply.choices, 1)}
        for option, numbers in positions.items():
            numbers.append(places.get(option, left))
    rankings = [ranked_ballots.Ranking.from_levels(reply.choices) for reply in replies]
    ballots = ranked_ballots.Ballots.from_rankings(sorted(labels), rankings)
    schulze = ranked_ballots.schulze(ballots).place_numbers
    first = Counter(reply.choices[0] for reply in replies)
    ranked = [
        RankedOption(
            option,
            text,
            schulze[option],
            mean(positions[option]) or 0.0,
            first[option],
        )
        for option, text in labels.items()
    ]
    return tuple(sorted(ranked, key=lambda each: (each.place, each.mean_position)))
