"""How each tie was broken, and whether it mattered."""

from __future__ import annotations

from singletable_apps.shared.counting.results.runoff import Round, RunoffResult, Tie
from singletable_apps.shared.counting.words import counted, listed

_MATTERED = {
    "yes": "It mattered: another choice could have let another option win.",
    "no": "It did not matter for who wins.",
    "not known": "Whether it mattered is not known: there are too many ways to look at.",
}
_MOST_NAMES = 6
MOST = 12


def ties_of(runoff: RunoffResult) -> list[str]:
    """A sentence or two for each tie; of many, for those that mattered, and the last ones."""
    tied = [(each, each.tie) for each in runoff.rounds if each.tie is not None]
    if len(tied) > MOST:
        mattered = [one for one in tied if one[1].mattered != "no"]
        tied = (mattered or tied)[-MOST:]
    return [_sentence(each, tie) for each, tie in tied]


def by_order(runoff: RunoffResult) -> bool:
    """Whether the order of the poll's id broke any of them."""
    return any(each.tie is not None and each.tie.broken_by == "seed" for each in runoff.rounds)


def _sentence(each: Round, tie: Tie) -> str:
    names = listed(tie.tied) if len(tie.tied) <= _MOST_NAMES else f"{len(tie.tied)} options"
    votes = counted(each.tally[tie.tied[0]], "vote")
    if tie.broken_by == "earlier rounds":
        how = f"{each.eliminated} had fewer in a round before, and left."
    else:
        how = f"No round before told them apart; {each.eliminated} is later in the order, and left."
    return (
        f"Round {each.number}: {names} were level for last, with {votes} each. {how} "
        f"{_MATTERED[tie.mattered]}"
    )
