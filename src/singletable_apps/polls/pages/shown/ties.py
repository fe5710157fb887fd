"""How each tie was broken, and whether it mattered."""

from __future__ import annotations

from dataclasses import dataclass

from singletable_apps.counting import Round, RunoffResult, Tie, join_names, pluralize

_MATTERED = {
    "yes": "It mattered: another choice could have let another option win.",
    "no": "It did not matter for who wins.",
    "not known": "Whether it mattered is not known: there are too many ways to look at.",
}
_MOST_NAMES = 6


@dataclass(frozen=True, slots=True)
class Ties:
    """Ties that mattered, or may have, and the others, in sentences.

    `by_order` is whether the order that the poll's id makes broke any of them.
    """

    mattered: tuple[str, ...]
    others: tuple[str, ...]
    by_order: bool


def ties_of(runoff: RunoffResult) -> Ties:
    """A sentence or two for each tie."""
    tied = [(each, each.tie) for each in runoff.rounds if each.tie is not None]
    return Ties(
        tuple(_sentence(each, tie) for each, tie in tied if tie.mattered != "no"),
        tuple(_sentence(each, tie) for each, tie in tied if tie.mattered == "no"),
        any(tie.broken_by == "seed" for _, tie in tied),
    )


def _sentence(each: Round, tie: Tie) -> str:
    names = join_names(tie.tied) if len(tie.tied) <= _MOST_NAMES else f"{len(tie.tied)} options"
    votes = pluralize(each.tally[tie.tied[0]], "vote")
    if tie.broken_by == "earlier rounds":
        how = f"{each.eliminated} had fewer in a round before, and left."
    else:
        how = f"No round before told them apart; {each.eliminated} is later in the order, and left."
    return (
        f"Round {each.number}: {names} were level for last, with {votes} each. {how} "
        f"{_MATTERED[tie.mattered]}"
    )
