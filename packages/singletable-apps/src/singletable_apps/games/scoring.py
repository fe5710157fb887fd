"""Points: quiz questions, votes on answers, the leaderboard and teams.

The rules are pure: ids are opaque, times are seconds by the server's clock, points are whole
numbers, and halves round up. `scoring.md` explains each rule with examples.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from random import Random
from typing import Literal, NamedTuple, TypeAlias
from unicodedata import category, combining, normalize

import ranked_ballots

TriviaMode: TypeAlias = Literal["speed", "classic", "accuracy"]


def round_points(value: float | Fraction) -> int:
    """Return the nearest whole number; halves round up, as in JavaScript."""
    return math.floor(value + Fraction(1, 2))


# ------------------------------------------------------------------------------ quiz

# Nobody can read and tap faster, so the first half second is free.
FREE_SECONDS = 0.5
CLASSIC_BONUS, CLASSIC_SECONDS = 5, 30
MAX_STREAK_BONUS = 5  # tenths of the points


class Partial(StrEnum):
    """The value of some of several correct options. A single correct one is worth all points.

    PER_OPTION: half of the points for each correct option, and nothing after a wrong one.
    BALANCED: an equal share for each correct option, minus one for each wrong one.
    """

    ALL_OR_NOTHING = "all-or-nothing"
    PER_OPTION = "per-option"
    BALANCED = "balanced"


class Judgment(NamedTuple):
    """The share of the points that an answer is worth, and whether it continues a streak."""

    share: Fraction
    is_correct: bool


@dataclass(frozen=True, slots=True)
class TriviaRules:
    """The quiz rules of a game. `floor` is the share of the points at the end of the time."""

    mode: TriviaMode = "speed"
    floor: float = 0.5
    streak: bool = False


@dataclass(frozen=True, slots=True)
class TriviaScore:
    """The points of one answer, and how many questions in a row were correct, with this one.

    `seconds` is the time of an answer that scored. Answers to other questions are neither correct
    nor wrong.
    """

    points: int = 0
    is_correct: bool | None = None
    streak: int = 0
    seconds: float = 0.0


def classic_points(points: int, seconds: float) -> int:
    """Return the points and a bonus of up to 5, which is gone after 30 seconds."""
    if points <= 0:
        return 0
    used = min(max(seconds, 0.0), CLASSIC_SECONDS) / CLASSIC_SECONDS
    return points + round_points(CLASSIC_BONUS * (1 - used))


def score_answer(
    rules: TriviaRules,
    judged: Judgment,
    *,
    points: int,
    seconds: float,
    limit: float | None,
    streak: int = 0,
) -> TriviaScore:
    """Return the score of an answer after `streak` correct ones in a row."""
    share, is_correct = judged
    streak = streak + 1 if is_correct else 0
    if points <= 0 or not share:
        return TriviaScore(0, is_correct, streak)
    match rules.mode:
        case "speed":
            earned = float(points * share) * speed_share(seconds, limit, rules.floor)
        case "classic":
            earned = float(classic_points(points, seconds) * share)
        case "accuracy":
            earned = float(points * share)
    bonus = min(max(streak - 1, 0), MAX_STREAK_BONUS) if rules.streak else 0
    return TriviaScore(
        round_points(earned) + round_points(Fraction(points * bonus, 10)), is_correct, streak
    )


def speed_share(seconds: float, limit: float | None, floor: float) -> float:
    """Return 1 for an immediate answer, falling to `floor` at the limit."""
    if not limit or limit < 0 or seconds < FREE_SECONDS:
        return 1.0
    return floor + (1 - floor) * (1 - min(seconds, limit) / limit)


def judge_choices(partial: Partial, correct: Iterable[str], chosen: Iterable[str]) -> Judgment:
    """Return what the chosen options are worth."""
    right, taken = frozenset(correct), frozenset(chosen)
    hits, misses = len(taken & right), len(taken - right)
    match partial:
        case _ if not hits:
            share = Fraction(0)
        case Partial.ALL_OR_NOTHING:
            share = Fraction(taken == right)
        case Partial.PER_OPTION:
            # Kahoot gives up to 500 of 1,000 points for each, so three are worth 1,500.
            share = Fraction(0 if misses else hits, min(len(right), 2))
        case Partial.BALANCED:
            share = Fraction(max(hits - misses, 0), len(right))
    return Judgment(share, bool(right) and taken == right)


@lru_cache(maxsize=1_000)
def fold_typed(text: str) -> str:
    """Return a text without case, accents, punctuation and blanks, if anything is left of it."""
    folded = normalize("NFKD", normalize("NFKC", text).casefold())
    # Marks below 200 are not accents: they are vowels and consonants of other scripts.
    kept = [each for each in folded if combining(each) < 200 and category(each)[0] not in "PZC"]
    return "".join(kept) or fold_answer(text)


# ------------------------------------------------------------------------------ votes on answers

MEDALS = (3, 2, 1)
# Ballots on a small part of many answers say too little for other methods than Borda.
MAX_COUNTED_ANSWERS = 100


class RankMethod(StrEnum):
    """A method that turns the rankings of players into points."""

    MEDALS = "medals"
    BORDA = "borda"
    SCHULZE = "schulze"
    IRV = "irv"


@dataclass(frozen=True, slots=True)
class AnswerGroup:
    """A distinct answer: its text as the first author wrote it, and all authors."""

    text: str
    players: tuple[str, ...]


class RoundScore(NamedTuple):
    """The points of players and of answers, by id."""

    points: dict[str, int]
    answers: dict[str, int]


@dataclass(frozen=True, slots=True)
class _Ballot:
    ranked: tuple[str, ...]
    unranked: tuple[str, ...]  # the answers that the voter saw, too


def fold_answer(text: str) -> str:
    """Return the text in the form in which answers are compared: NFKC, case-folded, one line."""
    return " ".join(normalize("NFKC", normalize("NFKC", text).casefold()).split())


def merge_answers(
    texts: Mapping[str, str], fold: Callable[[str], str] = fold_answer
) -> list[AnswerGroup]:
    """Return the distinct answers for the texts of players. Blank texts are left out."""
    groups: dict[str, list[str]] = {}
    for player, text in texts.items():
        if folded := fold(text):
            groups.setdefault(folded, []).append(player)
    return [AnswerGroup(texts[players[0]].strip(), tuple(players)) for players in groups.values()]


def required_ranks(offered: int) -> int:
    """Return how many answers a voter has to rank for medals."""
    return min(len(MEDALS), offered)


def assign_ballots(
    answers: Iterable[str],
    voters: Iterable[str],
    authors: Mapping[str, Collection[str]],
    seed: str,
    size: int,
) -> dict[str, tuple[str, ...]]:
    """Return the answers that each voter ranks, never an own one, in an order of the voter's own.

    Everybody ranks all others if there are at most `size` + 1 answers. Otherwise everybody ranks
    `size` of them, and every answer is on the same number of ballots, or on one more. Only an
    answer of so many authors that too few voters are left is on fewer.
    """
    ring, people = sorted(set(answers)), sorted(set(voters))
    if len(ring) < 2:
        return dict.fromkeys(people, ())
    own = _own_answers(ring, authors)
    if len(ring) <= size + 1:
        offered = {each: [answer for answer in ring if answer not in own[each]] for each in people}
    else:
        random = Random(seed)
        random.shuffle(ring)
        random.shuffle(people)
        # The authors of popular answers go first: the others can then make up for them.
        people.sort(
            key=lambda each: -max((len(authors[answer]) for answer in own[each]), default=0)
        )
        offered = _deal(ring, people, own, size)
        _balance(offered, own, ring)
    for each, shown in offered.items():
        Random(f"{seed} {each}").shuffle(shown)
    return {each: tuple(shown) for each, shown in offered.items()}


def _own_answers(
    answers: Iterable[str], authors: Mapping[str, Collection[str]]
) -> defaultdict[str, set[str]]:
    own = defaultdict[str, set[str]](set)
    for answer in answers:
        for player in authors.get(answer, ()):
            own[player].add(answer)
    return own


def _deal(
    ring: list[str], people: list[str], own: Mapping[str, set[str]], size: int
) -> dict[str, list[str]]:
    """Give everybody the next answers of the ring. Own answers stay for the next voter."""
    queue = deque(ring)
    offered: dict[str, list[str]] = {}
    for each in people:
        shown, kept = list[str](), list[str]()
        while queue and len(shown) < size:
            answer = queue.popleft()
            (kept if answer in own[each] else shown).append(answer)
        queue.extendleft(reversed(kept))
        queue.extend(shown)
        offered[each] = shown
    return offered


def _balance(offered: dict[str, list[str]], own: Mapping[str, set[str]], ring: list[str]) -> None:
    """Exchange answers that are on too many ballots for answers that are on too few."""
    judged = Counter(answer for shown in offered.values() for answer in shown)
    behind = set(ring)
    while behind:
        least = min(behind, key=lambda answer: (judged[answer], answer))
        if max(judged.values(), default=0) - judged[least] < 2:
            return
        exchanges = (
            (judged[answer], each, answer)
            for each, shown in offered.items()
            if least not in shown and least not in own[each]
            for answer in shown
        )
        number, each, most = max(exchanges, default=(0, "", ""))
        if number - judged[least] < 2:
            behind.remove(least)  # the other voters wrote it, or have it on their ballots
            continue
        offered[each][offered[each].index(most)] = least
        judged[most] -= 1
        judged[least] += 1


def score_votes(
    method: RankMethod,
    answers: Sequence[str],
    authors: Mapping[str, Collection[str]],
    ballots: Mapping[str, Sequence[str]],
    *,
    offered: Mapping[str, Collection[str]] | None = None,
    most: int | None = None,
) -> RoundScore:
    """Return what the ballots, which list answers best first, are worth to answers and authors.

    `offered` has the answers that voters were shown; all others saw everything. Anything else on a
    ballot, and own answers, are left out, and the answers below move up. The authors of an answer
    share its points equally. With `most`, the best answer gets that many points, others a share.
    """
    names = sorted(set(answers))
    cast = _read_ballots(names, authors, ballots, offered) if len(names) > 1 else []
    if method in (RankMethod.SCHULZE, RankMethod.IRV) and len(names) > MAX_COUNTED_ANSWERS:
        method = RankMethod.BORDA
    points = _answer_points(method, names, cast) if cast else dict.fromkeys(names, 0)
    if most is not None and (best := max(points.values(), default=0)):
        points = {name: round_points(Fraction(most * each, best)) for name, each in points.items()}
    totals = Counter[str]()
    for name in names:
        for player in (sharing := dict.fromkeys(authors.get(name, ()))):
            totals[player] += round_points(Fraction(points[name], len(sharing)))
    return RoundScore(dict(totals), {name: points[name] for name in dict.fromkeys(answers)})


def _read_ballots(
    names: list[str],
    authors: Mapping[str, Collection[str]],
    ballots: Mapping[str, Sequence[str]],
    offered: Mapping[str, Collection[str]] | None,
) -> list[_Ballot]:
    """Return the ballots with at least one answer that the voter could rank."""
    own = _own_answers(names, authors)
    known = set(names)
    read: list[_Ballot] = []
    for voter, ranking in ballots.items():
        shown = known if offered is None else known.intersection(offered.get(voter, known))
        allowed = shown - own[voter]
        if ranked := tuple(name for name in dict.fromkeys(ranking) if name in allowed):
            read.append(_Ballot(ranked, tuple(sorted(allowed.difference(ranked)))))
    return read


def _answer_points(method: RankMethod, names: list[str], cast: list[_Ballot]) -> dict[str, int]:
    match method:
        case RankMethod.MEDALS:
            medals = Counter(dict.fromkeys(names, 0))
            for each in cast:
                medals.update(dict(zip(each.ranked, MEDALS, strict=False)))
            return medals
        case RankMethod.BORDA:
            return _borda_points(names, cast)
        case RankMethod.SCHULZE:
            places = _schulze_places(names, cast)
        case RankMethod.IRV:
            places = _runoff_places(names, cast)
    steps = len(names) - 1
    return {
        name: round_points(Fraction(1000 * (len(names) - places[name]), steps)) for name in names
    }


def _borda_points(names: list[str], cast: list[_Ballot]) -> dict[str, int]:
    """Return 1,000 times the mean value on the ballots that could rank the answer.

    The value is 1 for the first of a ballot and 0 for the last; unranked answers share the mean of
    the values that are left. The best answer gets 10 % more, or 25 % if it is first everywhere.
    """
    values = {name: list[Fraction]() for name in names}
    for each in cast:
        steps = max(len(each.ranked) + len(each.unranked) - 1, 1)
        for at, name in enumerate(each.ranked):
            values[name].append(1 - Fraction(at, steps))
        for name in each.unranked:
            values[name].append(Fraction(len(each.unranked) - 1, 2 * steps))
    means = {name: sum(each, Fraction(0)) / max(len(each), 1) for name, each in values.items()}
    best = max(means.values())
    bonus = Fraction(5, 4) if best == 1 else Fraction(11, 10)
    return {
        name: round_points(1000 * mean * (bonus if mean == best else 1))
        for name, mean in means.items()
    }


def _schulze_places(names: list[str], cast: list[_Ballot]) -> dict[str, int]:
    # Unranked answers come last, but a ballot says nothing of answers that its voter did not see.
    rankings = [ranked_ballots.Ranking.from_levels([*each.ranked, each.unranked]) for each in cast]
    ballots = ranked_ballots.Ballots.from_rankings(names, rankings)
    return ranked_ballots.schulze(ballots, unranked="no opinion").place_numbers


def _runoff_places(names: list[str], cast: list[_Ballot]) -> dict[str, int]:
    rankings = [ranked_ballots.Ranking.from_levels(each.ranked) for each in cast]
    result = ranked_ballots.instant_runoff(ranked_ballots.Ballots.from_rankings(names, rankings))
    places = result.place_numbers
    # Answers that were tied for last and eliminated one after the other share the better place.
    # The last eliminated has it.
    tied: Collection[str] = ()
    group: list[str] = []
    for each in result.rounds:
        if each.eliminated is None:
            break
        if each.eliminated not in tied:
            tied, group = each.tie.tied if each.tie else (), []
        group.append(each.eliminated)
        places |= dict.fromkeys(group, places[each.eliminated])
    return places


# ------------------------------------------------------------------------------ leaderboard


def rank_players(totals: Mapping[str, tuple[float, float]]) -> dict[str, int]:
    """Return the places of players, best first, for their points and seconds of scoring answers.

    More points are better, and then less time, to the millisecond. Players with the same points
    and time share a place, and the next place is skipped: 1, 2, 2, 4. They are listed by id.
    """
    keys = {each: (-points, round(time, 3)) for each, (points, time) in totals.items()}
    first = {key: at for at, key in reversed([*enumerate(sorted(keys.values()), 1)])}
    return {each: first[keys[each]] for each in sorted(keys, key=lambda each: (keys[each], each))}


def team_totals(points: Mapping[str, int], teams: Mapping[str, str]) -> dict[str, float]:
    """Return the mean points of each team's members to one decimal, by team.

    `teams` has the team of each player. Members without points count as 0, and players with an
    empty team do not count.
    """
    members: dict[str, list[int]] = {}
    for player, team in teams.items():
        if team:
            members.setdefault(team, []).append(points.get(player, 0))
    return {
        team: round_points(Fraction(10 * sum(each), len(each))) / 10
        for team, each in members.items()
    }
