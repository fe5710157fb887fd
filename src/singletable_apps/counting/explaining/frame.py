"""What is said first and last about every count, whatever the method."""

from __future__ import annotations

from collections.abc import Iterator

from singletable_apps.counting.result import Place, Result
from singletable_apps.counting.text import format_number, join_names, pluralize


def opening(result: Result) -> Iterator[str]:
    """How many ballots there are, and what follows if there are none to count."""
    account = result.account
    if account.cast == 0:
        yield "No ballots were cast."
    elif account.blank == account.cast:
        yield f"All of the {pluralize(account.cast, 'ballot')} cast are blank."
    elif account.blank:
        yield (
            f"{pluralize(account.cast, 'ballot')} were cast; {format_number(account.blank)} "
            "of them "
            f"{'is' if account.blank == 1 else 'are'} blank."
        )
    else:
        yield f"{pluralize(account.cast, 'ballot')} {'was' if account.cast == 1 else 'were'} cast."
    if len(result.candidates) == 1:
        yield f"{result.candidates[0]} is the only candidate, and so wins."
    elif account.blank == account.cast:
        yield f"Nobody is preferred to anybody: {join_names(result.candidates)} are tied."


def is_told_by_opening(result: Result) -> bool:
    """Whether nothing is left to explain, for want of ballots or of a second candidate."""
    return len(result.candidates) == 1 or result.account.blank == result.account.cast


def closing(result: Result) -> Iterator[str]:
    """How ties were broken, and how close it was."""
    if result.tie_break is not None:
        for place in result.places:
            if len(place.candidates) > 1:
                yield _broken(result, place)
    if result.margin is not None:
        yield _margin(result)


def _broken(result: Result, place: Place) -> str:
    assert result.tie_break is not None
    order = [name for name in result.final_order if name in place.candidates]
    wins = f", so {order[0]} wins" if place.place == 1 else ""
    return f"The tie is broken by the seed '{result.tie_break.seed}': {join_names(order)}{wins}."


def _margin(result: Result) -> str:
    margin = result.margin
    assert margin is not None
    if margin.kind == "exact":
        said = f"Exactly {pluralize(margin.at_least, 'ballot')} would have to be different"
    elif margin.at_most is None:
        said = f"At least {pluralize(margin.at_least, 'ballot')} would have to be different"
    else:
        said = (
            f"At least {format_number(margin.at_least)} and at most "
            f"{pluralize(margin.at_most, 'ballot')} "
            "would have to be different"
        )
    return f"{said} for anyone else to win or share the win: {margin.why}."
