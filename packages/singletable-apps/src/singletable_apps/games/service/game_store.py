"""Load games with their players, questions, answers and votes; store ballots and results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from singletable_apps.games import entities, patterns
from singletable_apps.games.questions import EngagementType
from singletable_apps.games.rules import Play, written_ids
from singletable_apps.games.scoring import assign_ballots
from singletable_apps.games.service.context import Context, is_id
from singletable_apps.games.tokens import new_id

T = TypeVar("T")
# Of a DynamoDB item's 400 KB.
_PART_BYTES = 200_000
_CACHED_ROUNDS = 100


class GameStore:
    """Reads the parts of a game. Ballots and results never change, so they are cached."""

    def __init__(self, context: Context) -> None:
        self._context = context
        # By game, question and attempt.
        self._ballots = lru_cache(_CACHED_ROUNDS)(self._read_ballot)
        self._results = lru_cache(_CACHED_ROUNDS)(self._read_result)
        # Which answers each author ranks: every vote asks, and a thousand answers take long.
        self._offered = lru_cache(_CACHED_ROUNDS)(self._offer)

    def load(self, game_id: str) -> Play:
        """Return a game with its state and questions."""
        context = self._context
        game = context.get_game(game_id)
        return Play(game, context.get_state(game_id), context.get_questions(game))

    def load_many(self, game_ids: Collection[str]) -> dict[str, Play]:
        """Return games with their states and questions, without those that do not exist."""
        context = self._context
        games = context.store.get_many(
            map(patterns.game_metadata, filter(is_id, game_ids)), consistent=True
        )
        states = context.get_states(game_ids)
        return {
            each.game_id: Play(each, states[each.game_id], context.get_questions(each))
            for each in games
            if each and each.game_id in states
        }

    def get_round(self, game_id: str, question_id: str) -> entities.Round | None:
        """Return a question that was played, or None. Before the first one, the id is empty."""
        if not question_id:
            return None
        return self._context.store.run(patterns.played_round, game_id, question_id)

    def list_players(self, game_id: str) -> list[entities.Player]:
        """Return all players of a game, including removed ones."""
        return list(self._context.store.run(patterns.all_players, game_id))

    def list_rounds(self, game_id: str) -> list[entities.Round]:
        """Return all questions that were played, in order."""
        return list(self._context.store.run(patterns.played_rounds, game_id))

    def list_answers(self, game_id: str, question_id: str) -> list[entities.Answer]:
        """Return all answers to a question."""
        return list(self._context.store.run(patterns.question_answers, game_id, question_id))

    def list_written(self, play: Play) -> list[entities.Answer]:
        """Return the texts that were sent for the current question, or for all of a survey.

        Texts of a survey that too few people have answered are shown to nobody.
        """
        least = play.game.settings.min_cell if play.game.type is EngagementType.SURVEY else 0
        found = [self.list_answers(play.game.game_id, each) for each in written_ids(play)]
        return [answer for answers in found if len(answers) >= least for answer in answers]

    def list_asked(self, game_id: str) -> list[entities.AudienceQuestion]:
        """Return all questions of players to the host."""
        return list(self._context.store.run(patterns.asked_questions, game_id))

    def list_votes(self, game_id: str, question_id: str) -> list[entities.Vote]:
        """Return all votes on the answers to a question."""
        return list(self._context.store.run(patterns.question_votes, game_id, question_id))

    def get_ballot(self, entry: entities.Round) -> tuple[entities.BallotAnswer, ...]:
        """Return the frozen answers of a round."""
        return self._ballots(entry.game_id, entry.question_id, entry.ballot)

    def _read_ballot(
        self, game_id: str, question_id: str, attempt: str
    ) -> tuple[entities.BallotAnswer, ...]:
        if not attempt:
            return ()
        parts = self._context.store.run(patterns.question_ballot, game_id, question_id, attempt)
        return tuple(each for part in parts for each in part.answers)

    def get_result(self, entry: entities.Round) -> tuple[entities.Standing, ...]:
        """Return the standings after a round, best first."""
        return self._results(entry.game_id, entry.question_id, entry.result)

    def _read_result(
        self, game_id: str, question_id: str, attempt: str
    ) -> tuple[entities.Standing, ...]:
        if not attempt:
            return ()
        parts = self._context.store.run(patterns.leaderboard, game_id, question_id, attempt)
        return tuple(each for part in parts for each in part.standings)

    def get_standings(self, state: entities.GameState) -> tuple[entities.Standing, ...]:
        """Return the standings after the last round with points."""
        entry = self.get_round(state.game_id, state.scored[-1]) if state.scored else None
        return self.get_result(entry) if entry else ()

    def offered_to(self, game: entities.Game, entry: entities.Round, player_id: str) -> list[str]:
        """Return the answers that a player is asked to rank, in the order to show them.

        Players who did not answer get the list of a random place.
        """
        size = game.settings.ballot_size
        dealt = self._offered(entry.game_id, entry.question_id, entry.ballot, size).get(player_id)
        if dealt is None:
            dealt = assign_ballots(
                [answer.id for answer in self.get_ballot(entry)],
                [player_id],
                {},
                seed=f"{entry.ballot} {player_id}",
                size=size,
            )[player_id]
        return [each for each in dealt if each not in entry.hidden]

    def _offer(
        self, game_id: str, question_id: str, attempt: str, size: int
    ) -> dict[str, tuple[str, ...]]:
        frozen = self._ballots(game_id, question_id, attempt)
        authors = {answer.id: answer.players for answer in frozen}
        voters = {player for players in authors.values() for player in players}
        return assign_ballots(authors, voters, authors, attempt, size)

    def store_ballot(self, entry: entities.Round, frozen: Sequence[entities.BallotAnswer]) -> None:
        """Store the frozen answers of a round, which the round refers to when it is written."""
        entry.ballot = new_id() if frozen else ""
        parts = enumerate(_parts(frozen, lambda each: 4 * len(each.text) + 100))
        self._context.store.put_many(
            entities.BallotPart(**_part_of(entry), attempt=entry.ballot, part=number, answers=part)
            for number, part in parts
        )

    def store_result(self, entry: entities.Round, standings: Sequence[entities.Standing]) -> None:
        """Store the standings after a round, which the round refers to when it is written."""
        entry.result = new_id()
        self._context.store.put_many(
            entities.ResultPart(
                **_part_of(entry), attempt=entry.result, part=number, standings=part
            )
            for number, part in enumerate(_parts(standings, lambda _: 200))
        )


def _part_of(entry: entities.Round) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in ("game_id", "question_id", "expires_at")}


def _parts(items: Sequence[T], size: Callable[[T], int]) -> Iterator[list[T]]:
    """Split a list into parts that fit into an item each."""
    part, total = list[T](), 0
    for item in items:
        if part and total + size(item) > _PART_BYTES:
            yield part
            part, total = [], 0
        part.append(item)
        total += size(item)
    if part:
        yield part
