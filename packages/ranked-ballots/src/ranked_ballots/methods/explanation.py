"""The sentences that explanations of all methods share: turnout, broken ties and the margin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ranked_ballots.pairwise import Matrix, describe_pair
from ranked_ballots.result import BallotAccount, Margin, Place, Result
from ranked_ballots.text import format_number, join_names, pluralize


def win_phrase(is_final: bool) -> str:
    """Return the verb for the winner, which is conditional while voting is open."""
    return "wins" if is_final else "would win if voting closed now"


def introduce(result: Result, is_final: bool) -> Iterator[str]:
    """Say how many ballots were cast, and the outcome if there is nothing to count."""
    account = result.account
    yield describe_turnout(account, is_final)
    if len(result.candidates) == 1:
        yield f"{result.candidates[0]} is the only candidate and {win_phrase(is_final)}."
    elif account.blank == account.cast:
        yield f"No candidate is preferred to another: {join_names(result.candidates)} are tied."


def describe_turnout(account: BallotAccount, is_final: bool) -> str:
    """Say how many ballots were cast, and how many of them are blank."""
    cast = f"{pluralize(account.cast, 'ballot')} {_verb(account.cast, is_final)}"
    if account.cast == 0:
        return "No ballots were cast." if is_final else "No ballots have been cast yet."
    if account.blank == account.cast:
        return f"{cast}; {'it is' if account.cast == 1 else 'all are'} blank."
    if account.blank:
        are = "is" if account.blank == 1 else "are"
        return f"{cast}; {format_number(account.blank)} {are} blank."
    return f"{cast}."


def is_trivial(result: Result) -> bool:
    """Return whether there is nothing to count: no rankings, or a single candidate."""
    return len(result.candidates) == 1 or result.account.blank == result.account.cast


def explain_condorcet(
    candidates: Sequence[str],
    preferences: Matrix,
    winner: str | None,
    smith_set: Sequence[str],
    is_final: bool,
) -> Iterator[str]:
    """Say whether a candidate beats all others, pair by pair."""
    if winner is None:
        sentence = "No candidate beats every other one head to head."
        if len(smith_set) < len(candidates):
            sentence += (
                f" {join_names(smith_set)} each beat every candidate outside this group, but none "
                "of them beats all others within it."
            )
        yield sentence
        return
    yield f"{winner} beats every other candidate head to head and {win_phrase(is_final)}."
    for other in candidates:
        if other != winner:
            yield f"{describe_pair(candidates, preferences, winner, other)}."


def conclude(result: Result, is_final: bool) -> Iterator[str]:
    """Say how ties were broken, and how close the result is."""
    if result.tie_break is not None:
        for place in result.places:
            if len(place.candidates) > 1:
                yield _explain_tie_break(result, place, is_final)
    if result.margin is not None:
        margin = describe_margin(result.margin, is_final=is_final)
        yield f"{margin.removesuffix('.')}: {result.margin.why}."


def describe_margin(margin: Margin, *, is_final: bool, noun: str = "ballot") -> str:
    """Return a sentence that says how many different ballots could change the result."""
    fewest = pluralize(margin.at_least, f"different {noun}")
    change, tie = "change the winner", "make it a tie"
    effect = {"yes": tie, "no": change, "not known": f"{change} or {tie}"}[margin.makes_tie]
    if margin.kind == "exact":
        if is_final:
            effect = f"have {effect.replace('change', 'changed').replace('make', 'made')}"
        if margin.at_least == 1:
            return f"One different {noun} could {effect}."
        return f"{fewest} could {effect}; fewer could not."
    take = "It would have taken" if is_final else "It would take"
    if margin.at_most is None:
        return f"{take} at least {fewest} to {effect}."
    most = pluralize(margin.at_most, f"different {noun}")
    if margin.at_most == margin.at_least + 1:
        return f"{take} {format_number(margin.at_least)} or {most} to {effect}."
    return f"{take} between {format_number(margin.at_least)} and {most} to {effect}."


def _verb(number: int, is_final: bool) -> str:
    if is_final:
        return "was cast" if number == 1 else "were cast"
    return "has been cast so far" if number == 1 else "have been cast so far"


def _explain_tie_break(result: Result, place: Place, is_final: bool) -> str:
    assert result.tie_break is not None
    order = [name for name in result.final_order if name in place.candidates]
    wins = f", so {order[0]} {win_phrase(is_final)}" if place.place == 1 else ""
    seed = result.tie_break.short_seed
    return f"The seed '{seed}' breaks the tie in this order: {join_names(order)}{wins}."
