"""Rounds in sentences: who has how many votes, and where those of the eliminated one go."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from singletable_apps.counting.result import Number
from singletable_apps.counting.results.runoff import Round, RunoffResult
from singletable_apps.counting.text import format_number, join_names, pluralize


def exhausted(round_: Round) -> Number:
    """How many ballots count for nobody any more, whatever the reason."""
    return sum(round_.exhausted.values())


def round_words(result: RunoffResult) -> str:
    """Every number of every round, a line for each round and for what its elimination moved."""
    return "\n".join(line for each in result.rounds for line in _lines(each))


def _lines(round_: Round) -> Iterator[str]:
    tally = ", ".join(
        f"{name} {format_number(votes)}"
        for name, votes in sorted(round_.tally.items(), key=lambda entry: -entry[1])
    )
    gone = exhausted(round_)
    yield (
        f"Round {round_.number}: {tally}. {pluralize(round_.continuing, 'ballot')} "
        f"{'counts' if round_.continuing == 1 else 'count'}, more than "
        f"{format_number(half(round_))} wins; {format_number(gone)} "
        f"{'is' if gone == 1 else 'are'} exhausted."
    )
    if round_.winner is not None:
        yield f"{round_.winner} wins in round {round_.number}."
    elif round_.eliminated is not None:
        yield _moved(round_, round_.eliminated)
    elif round_.tie is not None:
        yield f"{join_names(round_.tie.tied)} are tied, and nothing breaks the tie."


def half(round_: Round) -> Number:
    """Half of the ballots that count in the round: more than these make a winner."""
    return Fraction(round_.continuing, 2)


def _moved(round_: Round, eliminated: str) -> str:
    moves = [
        f"{format_number(move.votes)} to {move.target}"
        if move.target is not None
        else f"{format_number(move.votes)} exhausted ({move.reason})"
        for move in round_.transfers
    ]
    if not moves:
        return f"{eliminated} is eliminated, and no votes move."
    return f"{eliminated} is eliminated: {', '.join(moves)}."
