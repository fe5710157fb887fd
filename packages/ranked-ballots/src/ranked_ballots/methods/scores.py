"""Count by adding up scores: plurality, approval, Borda and Copeland. The highest score wins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from ranked_ballots.ballots import Ballots
from ranked_ballots.methods.explanation import (
    conclude,
    explain_condorcet,
    introduce,
    is_trivial,
    win_phrase,
)
from ranked_ballots.methods.first_choices import FirstChoices
from ranked_ballots.methods.margins import pairwise_margin, score_margin
from ranked_ballots.pairwise import (
    Matrix,
    Pairwise,
    count_pairs,
    find_condorcet_winner,
    find_smith_set,
)
from ranked_ballots.result import (
    BallotAccount,
    Number,
    Place,
    Result,
    Rule,
    break_ties,
    number_places,
)
from ranked_ballots.rules import (
    BordaVariant,
    EqualRanks,
    Unranked,
    borda_rule,
    equal_ranks_rule,
    ties_rule,
    unranked_rule,
)
from ranked_ballots.text import format_ordinal, join_names, pluralize
from ranked_ballots.tie_break import TieBreak

_COPELAND_POINTS = Rule(
    "points", "1 and 1/2", "A candidate gets one point for each victory and half for each tie."
)

_APPROVAL = Rule("approval", "ranked", "A ballot approves of every candidate it ranks.")
_UNITS = {"Plurality": "first choice", "Approval": "approval"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreResult(Result):
    """The result of plurality, approval or Borda: the score of each candidate."""

    scores: dict[str, Number]


@dataclass(frozen=True, slots=True, kw_only=True)
class CopelandResult(ScoreResult):
    """The result of Copeland's method: victories, ties and defeats head to head."""

    preferences: Matrix
    won: dict[str, int]
    tied: dict[str, int]
    lost: dict[str, int]
    condorcet_winner: str | None
    smith_set: tuple[str, ...]


def plurality(
    ballots: Ballots, *, equal_ranks: EqualRanks = "split", seed: str | None = None
) -> ScoreResult:
    """Count first choices. Ties are reported; a seed breaks them."""
    names = ballots.candidates
    tie_break = None if seed is None else TieBreak.from_seed(names, seed)
    choices = FirstChoices(ballots, equal_ranks)
    votes = choices.count(range(len(names)))
    scores = {names[each]: number for each, number in votes.tally.items()}
    places = _places_by_score(scores)
    result = ScoreResult(
        method="Plurality",
        candidates=names,
        rules=(equal_ranks_rule(equal_ranks), ties_rule(tie_break)),
        account=BallotAccount(ballots.cast, ballots.blank, votes.continuing, votes.exhausted),
        places=places,
        margin=score_margin(
            scores,
            2,
            is_exact=choices.ranks.strict,
            why="changing the first choice of one ballot shifts a difference by two",
        ),
        tie_break=tie_break,
        final_order=break_ties(places, tie_break),
        scores=scores,
    )
    return replace(result, explanation=tuple(explain_scores(result)))


def approval(ballots: Ballots | Pairwise, *, seed: str | None = None) -> ScoreResult:
    """Count the ballots that rank a candidate at all. Ties are reported; a seed breaks them.

    An approval ballot ranks those whom the voter approves of, all equally. On a ballot with ranks,
    `set_apart` removes the candidates below a line.
    """
    sums = count_pairs(ballots)
    tie_break = None if seed is None else TieBreak.from_seed(sums.candidates, seed)
    scores: dict[str, Number] = dict(zip(sums.candidates, sums.ranked, strict=True))
    places = _places_by_score(scores)
    result = ScoreResult(
        method="Approval",
        candidates=sums.candidates,
        rules=(_APPROVAL, ties_rule(tie_break)),
        account=BallotAccount(sums.cast, sums.blank, sums.cast - sums.blank),
        places=places,
        margin=score_margin(
            scores,
            2,
            is_exact=True,
            why="a ballot that approves of the other one instead shifts a difference by two",
        ),
        tie_break=tie_break,
        final_order=break_ties(places, tie_break),
        scores=scores,
    )
    return replace(result, explanation=tuple(explain_scores(result)))


def borda(
    ballots: Ballots | Pairwise, *, variant: BordaVariant = "shared", seed: str | None = None
) -> ScoreResult:
    """Count points by rank. Ties are reported; a seed breaks them."""
    sums = count_pairs(ballots)
    names = sums.candidates
    tie_break = None if seed is None else TieBreak.from_seed(names, seed)
    scores = {name: _borda_points(sums, at, variant) for at, name in enumerate(names)}
    places = _places_by_score(scores)
    # One ballot can move a candidate from first to last and another from last to first.
    steps = len(names) - 1 if variant == "shared" else len(names)
    result = ScoreResult(
        method="Borda",
        candidates=names,
        rules=(borda_rule(variant), ties_rule(tie_break)),
        account=BallotAccount(sums.cast, sums.blank, sums.cast - sums.blank),
        places=places,
        margin=score_margin(
            scores,
            2 * steps,
            is_exact=False,
            why=f"one ballot can shift a difference by at most {2 * steps} points",
        ),
        tie_break=tie_break,
        final_order=break_ties(places, tie_break),
        scores=scores,
    )
    return replace(result, explanation=tuple(explain_scores(result)))


def copeland(
    ballots: Ballots | Pairwise, *, unranked: Unranked = "last", seed: str | None = None
) -> CopelandResult:
    """Count victories head to head. Ties are reported; a seed breaks them."""
    sums = count_pairs(ballots)
    names = sums.candidates
    preferences = sums.preferences(unranked)
    tie_break = None if seed is None else TieBreak.from_seed(names, seed)
    won, lost = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for a, name in enumerate(names):
        for b, other in enumerate(names):
            if preferences[a][b] > preferences[b][a]:
                won[name] += 1
                lost[other] += 1
    tied = {name: len(names) - 1 - won[name] - lost[name] for name in names}
    scores = {name: _halve(2 * won[name] + tied[name]) for name in names}
    places = _places_by_score(scores)
    result = CopelandResult(
        method="Copeland",
        candidates=names,
        rules=(_COPELAND_POINTS, unranked_rule(unranked), ties_rule(tie_break)),
        account=BallotAccount(sums.cast, sums.blank, sums.cast - sums.blank),
        places=places,
        tie_break=tie_break,
        final_order=break_ties(places, tie_break),
        scores=scores,
        preferences=preferences,
        won=won,
        tied=tied,
        lost=lost,
        condorcet_winner=find_condorcet_winner(names, preferences),
        smith_set=find_smith_set(names, preferences),
    )
    winner, *others = result.winners
    if not others:
        margin = pairwise_margin(sums, preferences, names.index(winner), must_beat_all=True)
        result = replace(result, margin=margin)
    return replace(result, explanation=tuple(explain_copeland(result)))


def _places_by_score(scores: Mapping[str, Number]) -> tuple[Place, ...]:
    levels: dict[Number, list[str]] = {}
    for name, points in scores.items():
        levels.setdefault(points, []).append(name)
    return number_places([levels[points] for points in sorted(levels, reverse=True)])


def _borda_points(sums: Pairwise, candidate: int, variant: BordaVariant) -> Number:
    """Return the points of a candidate over all ballots.

    They follow from the pairs: how many candidates each ballot ranks below, equal or above.
    """
    others = [other for other in range(len(sums.candidates)) if other != candidate]
    if variant == "shared":
        # A blank ballot has no preferences and gives no points.
        counted = sums.cast - sums.blank
        preferences = sums.preferences("last")
        doubled = sum(
            counted + preferences[candidate][other] - preferences[other][candidate]
            for other in others
        )
        return _halve(doubled)
    if variant == "listed":
        first = len(sums.candidates) * sums.ranked[candidate]
    else:
        first = sum(sums.both[candidate])
    # Each candidate above costs one point, and each equal one half a point.
    lost = sum(
        sums.both[candidate][other] + sums.above[other][candidate] - sums.above[candidate][other]
        for other in others
    )
    return _halve(2 * first - lost)


def _halve(doubled: int) -> Number:
    return Fraction(doubled, 2) if doubled % 2 else doubled // 2


def explain_scores(result: ScoreResult, is_final: bool = True) -> Iterator[str]:
    """Explain each place by its score."""
    unit = _UNITS.get(result.method, "point")
    yield from introduce(result, is_final)
    if not is_trivial(result):
        for reason, ballots in result.account.exhausted.items():
            if ballots:
                yield f"{pluralize(ballots, 'ballot')} could not be counted ({reason})."
        for place in result.places:
            yield _explain_place(result, place, unit, is_final)
    yield from conclude(result, is_final)


def explain_copeland(result: CopelandResult, is_final: bool = True) -> Iterator[str]:
    """Explain each place by victories and ties."""
    yield from introduce(result, is_final)
    if not is_trivial(result):
        yield from explain_condorcet(
            result.candidates,
            result.preferences,
            result.condorcet_winner,
            result.smith_set,
            is_final,
        )
        for name in result.candidates:
            yield (
                f"{name} beats {result.won[name]}, ties with {result.tied[name]} and loses to "
                f"{result.lost[name]}."
            )
        for place in result.places:
            yield _explain_place(result, place, "point", is_final)
    yield from conclude(result, is_final)


def _explain_place(result: ScoreResult, place: Place, unit: str, is_final: bool) -> str:
    name, *others = place.candidates
    score = pluralize(result.scores[name], unit)
    ordinal = format_ordinal(place.place)
    if others:
        return f"{join_names(place.candidates)} are tied for {ordinal} place with {score} each."
    if place.place == 1:
        return f"{name} {win_phrase(is_final)} with {score}."
    return f"{name} is {ordinal} with {score}."
