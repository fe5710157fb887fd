"""What a game must come to, computed from what players were told, and from nothing else.

The rules are those of the documents, written a second time in the plainest way: points of trivia
fall from all to half within the time limit, ranked answers get 3, 2 and 1 points (in a game with
trivia, the best of them 1,000 and others a share), authors of the same answer share them, and equal
totals are decided by time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from itertools import combinations

from singletable_apps.games.entities import Answer, Round
from singletable_apps.games.questions import Question, QuestionType
from singletable_apps.games.service import GamesService

MEDALS = {1: 3, 2: 2, 3: 1}


def round_half_up(value: Fraction) -> int:
    """Return the nearest whole number, and the greater one of two."""
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    return int(exact.quantize(Decimal(1), ROUND_HALF_UP))


def trivia_points(
    chosen: Collection[str],
    correct: Collection[str],
    seconds: float,
    limit: int | None,
    points: int = 1_000,
) -> int:
    """Return the points of an answer: all for the first half second, half at the limit."""
    if set(chosen) != set(correct):
        return 0
    if seconds < 0.5 or not limit:
        return points
    used = min(Fraction(str(seconds)) / limit, Fraction(1))
    return round_half_up(points * (1 - used / 2))


def vote_points(
    authors: Mapping[str, Collection[str]],
    ballots: Mapping[str, Sequence[str]],
    most: int | None = None,
) -> dict[str, int]:
    """Return the points of each author, for the answers that each voter ranked, best first."""
    points = dict.fromkeys(authors, 0)
    for ranking in ballots.values():
        for rank, answer in enumerate(ranking, 1):
            points[answer] += MEDALS.get(rank, 0)
    if most and (best := max(points.values(), default=0)):
        points = {
            answer: round_half_up(Fraction(most * medals, best))
            for answer, medals in points.items()
        }
    return {
        player: round_half_up(Fraction(points[answer], len(players)))
        for answer, players in authors.items()
        for player in players
    }


def places(totals: Mapping[str, tuple[int, float]]) -> dict[str, int]:
    """Return the place of each player for points and seconds: one more than those ahead."""

    def is_ahead(one: tuple[int, float], other: tuple[int, float]) -> bool:
        return (-one[0], round(one[1], 3)) < (-other[0], round(other[1], 3))

    return {
        player: 1 + sum(is_ahead(other, own) for other in totals.values())
        for player, own in totals.items()
    }


# ------------------------------------------------------------------------------ audits


@dataclass
class Sent:
    """What a player sent for a question, and what the server said: accepted, late, refused."""

    choices: tuple[str, ...] = ()
    text: str = ""
    ranking: tuple[str, ...] = ()
    outcome: str = ""
    seconds: float = 0.0

    @property
    def is_acknowledged(self) -> bool:
        """Return whether the server has promised to count it."""
        return self.outcome in ("accepted", "repeated")


@dataclass
class PlayerLog:
    """What one player has done, by question."""

    player_id: str
    name: str
    answers: dict[str, Sent] = field(default_factory=dict[str, Sent])
    votes: dict[str, Sent] = field(default_factory=dict[str, Sent])


def check_game(service: GamesService, game_id: str, players: Sequence[PlayerLog]) -> list[str]:
    """Return where the stored results differ from what was acknowledged.

    If players do not know the seconds that they needed, the game must score without regard to
    speed.
    """
    state = service.context.get_state(game_id)
    questions = service.context.get_questions(service.context.get_game(game_id))
    faults: list[str] = []
    if len(set(state.scored)) < len(state.scored):
        faults.append(f"a question was scored twice: {state.scored}")
    totals = dict.fromkeys((each.player_id for each in players), 0)
    for entry in service.game_store.list_rounds(game_id):
        question = questions[entry.index]
        stored = {
            each.player_id: each
            for each in service.game_store.list_answers(game_id, entry.question_id)
        }
        check = _Round(service, entry, question, stored, players)
        faults += [f"question {entry.question_id}: {fault}" for fault in check.faults()]
        for player, points in check.points.items():
            totals[player] += points
    standings = {each.player: each for each in service.game_store.get_standings(state)}
    for player, points in totals.items():
        found = standings.get(player)
        if found is None and not state.scored:
            continue
        if found is None or found.total != points:
            faults.append(f"player {player} has {found and found.total} points, not {points}")
    ranked = places({each.player: (each.total, each.seconds) for each in standings.values()})
    faults += [
        f"player {each.player} has place {each.place}, not {ranked[each.player]}"
        for each in standings.values()
        if ranked[each.player] != each.place
    ]
    return faults


class _Round:
    """One question: its stored answers and result beside what players were told."""

    def __init__(
        self,
        service: GamesService,
        entry: Round,
        question: Question,
        stored: Mapping[str, Answer],
        players: Sequence[PlayerLog],
    ) -> None:
        self._service = service
        self._entry = entry
        self._question = question
        self._stored = stored
        self._players = players
        game = service.context.get_game(entry.game_id)
        kinds = {each.type for each in service.context.get_questions(game)}
        self._most = game.settings.points if QuestionType.TRIVIA in kinds else None
        self._result = {each.player: each for each in service.game_store.get_result(entry)}
        self.points: dict[str, int] = {}

    def faults(self) -> list[str]:
        """Return the faults, and set the points that players must have got."""
        faults = [fault for each in self._players for fault in self._answer_faults(each)]
        strangers = set(self._stored) - {each.player_id for each in self._players}
        faults += [f"an answer of {each}, who sent nothing" for each in strangers]
        if self._question.type is QuestionType.CALL_AND_ANSWER:
            faults += self._vote_faults()
        elif self._question.type is QuestionType.TRIVIA:
            self.points = {
                each.player_id: trivia_points(
                    sent.choices, self._question.correct, sent.seconds, self._question.seconds
                )
                for each in self._players
                if (sent := each.answers.get(self._entry.question_id)) is not None
                and (result := self._result.get(each.player_id)) is not None
                and result.has_answered
            }
            faults += self._point_faults()
        else:
            least = Counter(self._choices(acknowledged_only=True))
            most = Counter(self._choices(acknowledged_only=False))
            if not least <= Counter(self._entry.tally) <= most:
                faults.append(f"the tally is {self._entry.tally}, not {dict(least)}")
        return faults

    def _answer_faults(self, player: PlayerLog) -> list[str]:
        sent = player.answers.get(self._entry.question_id)
        stored = self._stored.get(player.player_id)
        name, faults = player.name, list[str]()
        if sent is None:
            return [f"an answer of {name}, who sent none"] if stored else []
        if stored is None:
            return [f"the answer of {name} is lost"] if sent.is_acknowledged else []
        if stored.choices != sent.choices or stored.text != sent.text:
            faults.append(f"{name} sent {sent}, but {stored.choices}{stored.text} is stored")
        result = self._result.get(player.player_id)
        if sent.is_acknowledged and self._result and not (result and result.has_answered):
            faults.append(f"the answer of {name} was acknowledged, but not counted")
        return faults

    def _choices(self, *, acknowledged_only: bool) -> list[str]:
        return [
            choice
            for each in self._players
            if (sent := each.answers.get(self._entry.question_id)) is not None
            and (sent.is_acknowledged or not acknowledged_only)
            for choice in sent.choices
        ]

    def _vote_faults(self) -> list[str]:
        ballot = self._service.game_store.get_ballot(self._entry)
        authors = {each.id: each.players for each in ballot}
        texts = {player: each.text for each in ballot for player in each.players}
        question_id = self._entry.question_id
        faults = [
            f"the answer of {each.name} is not on the ballot"
            for each in self._players
            if (sent := each.answers.get(question_id)) is not None
            and sent.is_acknowledged
            and texts.get(each.player_id) != sent.text
        ]
        if not self._result:
            return faults
        votes = {
            each.player_id: each.votes[question_id]
            for each in self._players
            if question_id in each.votes
        }
        sure = {player: sent.ranking for player, sent in votes.items() if sent.is_acknowledged}
        # Votes whose acknowledgment was lost may have been counted.
        more = self._entry.votes - len(sure)
        counted = [
            {**sure, **{player: votes[player].ranking for player in each}}
            for each in combinations(sorted(votes.keys() - sure.keys()), max(0, more))
        ]
        if more < 0 or not counted:
            return [*faults, f"{len(sure)} votes were acknowledged, {self._entry.votes} counted"]
        found: list[str] = []
        for ballots in counted:
            self.points = vote_points(authors, ballots, self._most)
            found = self._point_faults()
            if not found:
                return faults
        return faults + found

    def _point_faults(self) -> list[str]:
        return [
            f"{player} got {found.points} points, not {self.points.get(player, 0)}"
            for player, found in self._result.items()
            if found.points != self.points.get(player, 0)
        ]
