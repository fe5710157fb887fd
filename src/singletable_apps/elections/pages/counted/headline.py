"""Who won, or that nobody has yet, in one line and a sentence."""

from __future__ import annotations

from singletable_apps.counting import join_names, pluralize
from singletable_apps.elections.pages.counted.model import Count
from singletable_apps.shared.counted import Headline, margin_words


def headline(count: Count) -> Headline:
    """What is said first about the count."""
    account = count.result.account
    eyebrow = "Result" if count.is_final else "So far"
    if account.cast == 0:
        return _nobody(count, eyebrow)
    if len(count.result.candidates) == 1:
        name = count.result.candidates[0]
        return Headline(eyebrow, f"{name} is the only candidate", f"Nobody stands beside {name}.")
    if account.blank == account.cast:
        why = f"{_ballots(count)} cast, and every one is blank. {_lot(count)}"
        return Headline(eyebrow, "Everybody is tied", why)
    if len(count.result.winners) > 1:
        return Headline(eyebrow, _tie_title(count), f"{_level(count)} {_lot(count)}")
    return _won(count, eyebrow)


def _nobody(count: Count, eyebrow: str) -> Headline:
    if count.is_final:
        return Headline(eyebrow, "Nobody voted", f"It closed without a ballot. {_lot(count)}")
    return Headline(eyebrow, "Nobody has voted yet", "The count is here as soon as somebody has.")


def _won(count: Count, eyebrow: str) -> Headline:
    result = count.result
    name = result.winners[0]
    if result.condorcet_winner is not None:
        why = f"{name} beats every other candidate head to head."
    else:
        why = (
            f"Nobody beats everybody head to head, so chains of victories decide: to each of the "
            f"others, {name} has the stronger one."
        )
    verb = "wins" if count.is_final else "leads"
    margin = "" if result.margin is None else margin_words(result.margin, final=count.is_final)
    return Headline(eyebrow, f"{name} {verb}", why, margin)


def _tie_title(count: Count) -> str:
    names = count.result.winners
    if count.result.final_order:
        return f"{count.result.final_order[0]} wins a tie"
    return (
        f"{join_names(names)} are tied" if len(names) < 4 else f"{len(names)} candidates are tied"
    )


def _level(count: Count) -> str:
    names = count.result.winners
    if len(names) > 2:
        why = "none has a stronger chain of victories to another of them than that one has back"
    else:
        why = "neither has a stronger chain of victories to the other than the other has back"
    return f"{join_names(names)} share the first place: {why}."


def _lot(count: Count) -> str:
    """How the tie at the top was broken, or would be."""
    if count.result.final_order:
        first = count.result.final_order[0]
        return f"Ties go by an order that nobody could choose or foresee, and {first} is first."
    return (
        "If it stays so, an order decides that nobody can choose or foresee: it is made at the "
        "close."
    )


def _ballots(count: Count) -> str:
    cast = count.result.account.cast
    return f"{pluralize(cast, 'ballot')} {'was' if cast == 1 else 'were'}"
