"""Accept answers and votes.

An answer is written first, and then the state is read once more, unless it is certain to be the
same. If the phase is still open, the answer was stored before it was closed, so it will be counted:
only then it is acknowledged. No transaction contains the state, so a thousand phones do not wait
for each other. Answers that arrive at the same time are written together.
"""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from singletable import AsyncStore, Condition, ConditionFailed, Steps, Store, retry_conflicts
from singletable_apps.games import patterns
from singletable_apps.games.entities import (
    Answer,
    AnswerStatus,
    Game,
    GameState,
    Player,
    Round,
    Vote,
)
from singletable_apps.games.errors import (
    AppError,
    Busy,
    InvalidInput,
    NotFound,
    RoomClosed,
    WrongPhase,
)
from singletable_apps.games.kinds import kind_of
from singletable_apps.games.moderation import status_of_text
from singletable_apps.games.phases import Phase, describe
from singletable_apps.games.questions import EngagementType, Question
from singletable_apps.games.results import Reply
from singletable_apps.games.rules import Play, is_due
from singletable_apps.games.scoring import required_ranks
from singletable_apps.games.service.context import Context, is_id
from singletable_apps.games.service.game_store import GameStore
from singletable_apps.games.service.rounds import Rounds
from singletable_apps.shared.service import check_found

MAX_CLIENT_ID = 64
# Answers in one transaction, each of which waits for the disk or the network. An event loop runs
# short ones itself, which is faster than in a thread, and several share one wait for the disk.
_BATCH, _SHORT_BATCH = 100, 25
_NO_GAME = "Game not found. Please check the game ID."
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Outcome(StrEnum):
    """What became of an answer or a vote."""

    ACCEPTED = "accepted"
    # The same message came before, or the question takes one answer and has it.
    REPEATED = "repeated"
    # The phase was closed meanwhile. The result will show whether it was counted.
    LATE = "late"


class Submission(Struct, frozen=True):
    """An answer as a phone sends it. `received_at` is by the server's clock."""

    player_id: str
    question_id: str
    received_at: datetime
    text: str = ""
    choices: tuple[str, ...] = ()
    number: int | None = None
    client_id: str = ""


class VoteSubmission(Struct, frozen=True):
    """A vote as a phone sends it: the ids of answers of others, best first."""

    player_id: str
    question_id: str
    received_at: datetime
    ranking: tuple[str, ...]
    client_id: str = ""


class Receipt(Struct, frozen=True):
    """What the server answers to a submission: the outcome, and the answer that is stored."""

    outcome: Outcome
    answer: Answer | None = None
    vote: Vote | None = None


@dataclass(frozen=True, slots=True)
class _Batch:
    """Answers that arrived together: their games, those to store, and what became of the others."""

    sent: Sequence[tuple[str, Submission]]
    plays: Mapping[str, Play]
    prepared: dict[int, Answer]
    results: dict[int, Receipt | AppError]

    @property
    def repeated_games(self) -> set[str]:
        """Return the games of answers that were stored before."""
        return {self.sent[number][0] for number, each in self.results.items() if _is_repeated(each)}


class Answers:
    """Stores answers and votes."""

    def __init__(self, context: Context, rounds: Rounds, store: GameStore) -> None:
        self._context, self._rounds, self._store = context, rounds, store

    def submit(self, game_id: str, submission: Submission) -> Receipt:
        """Store an answer, or raise an error that says why not."""
        return _raise_error(self.submit_many([(game_id, submission)]))

    def submit_many(
        self,
        sent: Sequence[tuple[str, Submission]],
        known_players: Mapping[str, Mapping[str, Player]] = _NOTHING,
        known_plays: Mapping[str, Play] = _NOTHING,
    ) -> list[Receipt | AppError]:
        """Store answers, each with its game; return for each a receipt, or why it was rejected.

        Players and games that were read lately are not read again.
        """
        store, batch = self._context.store, self._prepare(sent, known_players, known_plays)
        for batches in _split(batch.prepared, _BATCH):
            for written in store.run_steps(*self._write_all(store, batch, batches)):
                batch.results.update(written)
        return self._confirm(batch)

    async def submit_many_async(
        self,
        store: AsyncStore,
        sent: Sequence[tuple[str, Submission]],
        known_players: Mapping[str, Mapping[str, Player]],
        known_plays: Mapping[str, Play],
    ) -> list[Receipt | AppError]:
        """Do the same as `submit_many` on an event loop, which does not wait for the disk."""
        batch = self._prepare(sent, known_players, known_plays)
        for batches in _split(batch.prepared, _SHORT_BATCH):
            for written in await store.run_steps(*self._write_all(store, batch, batches)):
                batch.results.update(written)
        # Only this may have to finish a question, which waits for the disk.
        if batch.repeated_games:
            return await to_thread(self._confirm, batch)
        return self._confirm(batch)

    def _prepare(
        self,
        sent: Sequence[tuple[str, Submission]],
        known_players: Mapping[str, Mapping[str, Player]],
        known_plays: Mapping[str, Play],
    ) -> _Batch:
        """Check answers, and return those to store."""
        plays, players = self._load(sent, known_players, known_plays)
        batch = _Batch(sent, plays, {}, {})
        for number, (game_id, each) in enumerate(sent):
            try:
                player = players.get((game_id, each.player_id))
                answer = self._check(check_found(plays.get(game_id), _NO_GAME), player, each)
            except AppError as error:
                batch.results[number] = error
            else:
                if isinstance(answer, Receipt):
                    batch.results[number] = answer
                else:
                    batch.prepared[number] = answer
        return batch

    def _confirm(self, batch: _Batch) -> list[Receipt | AppError]:
        """Return what became of all answers, after reading which questions are still open."""
        plays, results, is_newest = batch.plays, batch.results, self._context.is_newest
        states = {name: each.state for name, each in plays.items() if is_newest(each.state)}
        states |= self._context.get_states(plays.keys() - states.keys())
        for game_id in batch.repeated_games:
            # Phones that lost their acknowledgment wait for the result.
            if game_id in states and states[game_id].closed_at is not None:
                states[game_id] = self._rounds.finish_due(game_id)
        counted = dict[tuple[str, str], frozenset[str]]()
        for number, (game_id, each) in enumerate(batch.sent):
            result, asked = results[number], (game_id, each.question_id)
            if isinstance(result, AppError):
                continue
            after = states.get(game_id)
            if after is None:
                results[number] = NotFound(_NO_GAME)
            elif not is_open(plays[game_id].game, after, each.question_id):
                if asked not in counted:
                    counted[asked] = self._counted(after, each.question_id)
                if each.player_id not in counted[asked]:
                    results[number] = Receipt(Outcome.LATE, result.answer)
        return [results[number] for number in range(len(batch.sent))]

    def _counted(self, state: GameState, question_id: str) -> frozenset[str]:
        """Return the players with answers that are certain to be in the result.

        The last phone to answer may have lost its acknowledgment, and sends its answer again.
        """
        entry = self._store.get_round(state.game_id, question_id)
        if entry is None or (state.closed_at is not None and state.question_id == question_id):
            return frozenset()
        if entry.result:
            result = self._store.get_result(entry)
            return frozenset(each.player for each in result if each.has_answered)
        # If as many were counted as are stored, it was all of them.
        stored = self._store.list_answers(state.game_id, question_id) if entry.answers else []
        return frozenset(each.player_id for each in stored if len(stored) == entry.answers)

    def _check(self, play: Play, player: Player | None, sent: Submission) -> Answer | Receipt:
        """Return the answer to store, or a receipt for one that is stored; or raise."""
        game, state = play.game, play.state
        if player is None or not player.is_active:
            raise RoomClosed("You are not in this game any more.")
        client_id = sent.client_id[:MAX_CLIENT_ID]
        is_late = is_due(state, sent.received_at)
        if is_late or not is_open(game, state, sent.question_id):
            # The phone may have missed the acknowledgment of an answer that was in time.
            is_played = sent.question_id in state.played
            find = self.find_answer
            known = find(game.game_id, sent.question_id, player.player_id) if is_played else None
            if known is not None and known.client_id == client_id != "":
                return Receipt(Outcome.REPEATED, known)
            raise WrongPhase(_closed_text(state, is_late), state.phase, (Phase.OPEN,))
        question = _question_of(play, sent.question_id)
        opened = state.opened_at or sent.received_at
        seconds = (sent.received_at - opened).total_seconds() - state.paused_seconds
        return make_answer(game, player, question, sent, seconds)

    def _write_all(
        self, store: Store | AsyncStore, batch: _Batch, parts: Iterable[Mapping[int, Answer]]
    ) -> list[Steps[dict[int, Receipt | AppError]]]:
        return [self._write(store, batch.plays, part) for part in parts]

    def _write(
        self, store: Store | AsyncStore, plays: Mapping[str, Play], answers: Mapping[int, Answer]
    ) -> Steps[dict[int, Receipt | AppError]]:
        """Write answers of different players or questions in one transaction."""
        receipts, left = dict[int, Receipt | AppError](), dict(answers)
        try:
            yield from self._write_left(store, plays, left, receipts)
        except Busy as busy:
            return receipts | dict.fromkeys(left, busy)
        return receipts | {
            number: Receipt(Outcome.ACCEPTED, answer) for number, answer in left.items()
        }

    @retry_conflicts(
        otherwise=lambda: Busy("Too many answers arrive at the same time. Send yours again.")
    )
    def _write_left(
        self,
        store: Store | AsyncStore,
        plays: Mapping[str, Play],
        left: dict[int, Answer],
        receipts: dict[int, Receipt | AppError],
    ) -> Steps[None]:
        """Write the answers that are left, or move those that are stored already to `receipts`."""
        tx = store.begin()
        for answer in left.values():
            if _is_final(plays, answer):
                tx.create(answer)
            else:
                tx.put(answer, if_=_is_new(answer))
        try:
            yield from tx.commit()
        except ConditionFailed:
            keys = [patterns.answer(*_identity(each)) for each in left.values()]
            found = self._context.store.get_many(keys, consistent=True)
            for number, answer, known in zip([*left], [*left.values()], found, strict=True):
                is_same = known and known.client_id == answer.client_id != ""
                if known and (is_same or _is_final(plays, answer)):
                    receipts[number] = Receipt(Outcome.REPEATED, known)
                    del left[number]
                elif known and known.status is AnswerStatus.HIDDEN:
                    answer.status = AnswerStatus.PENDING
            raise

    def vote(
        self,
        game_id: str,
        player_id: str,
        question_id: str,
        ranking: Sequence[str],
        client_id: str = "",
    ) -> Receipt:
        """Store a ranking of answers, best first. It can be changed until voting closes."""
        sent = VoteSubmission(
            player_id, question_id, self._context.clock(), tuple(ranking), client_id
        )
        return _raise_error(self.vote_many([(game_id, sent)]))

    def vote_many(
        self,
        sent: Sequence[tuple[str, VoteSubmission]],
        known_players: Mapping[str, Mapping[str, Player]] = _NOTHING,
        known_plays: Mapping[str, Play] = _NOTHING,
    ) -> list[Receipt | AppError]:
        """Store votes, each with its game, as `submit_many` does with answers."""
        plays, players = self._load(sent, known_players, known_plays)
        states = [play.state for play in plays.values() if play.state.question_id]
        keys = [patterns.played_round(each.game_id, each.question_id) for each in states]
        found = self._context.store.get_many(keys, consistent=True)
        entries = {entry.game_id: entry for entry in found if entry}
        results: list[Receipt | AppError] = []
        stored = dict[tuple[str, str], Vote]()
        for game_id, each in sent:
            try:
                play = check_found(plays.get(game_id), _NO_GAME)
                player = (game_id, each.player_id)
                vote = self._check_vote(play, entries.get(game_id), players.get(player), each)
            except AppError as error:
                results.append(error)
            else:
                stored[player] = vote
                results.append(Receipt(Outcome.ACCEPTED, vote=vote))
        self._context.store.put_many(stored.values())
        after = self._context.get_states(plays)
        return [
            Receipt(Outcome.LATE, vote=result.vote)
            if isinstance(result, Receipt) and not _is_voting(after.get(game_id), each.question_id)
            else result
            for (game_id, each), result in zip(sent, results, strict=True)
        ]

    def _check_vote(
        self, play: Play, entry: Round | None, player: Player | None, sent: VoteSubmission
    ) -> Vote:
        if player is None or not player.is_active:
            raise RoomClosed("You are not in this game any more.")
        is_late = is_due(play.state, sent.received_at)
        if is_late or not _is_voting(play.state, sent.question_id):
            raise WrongPhase(_closed_text(play.state, is_late), play.state.phase, (Phase.VOTING,))
        hidden = set(entry.hidden) if entry else set[str]()
        ranking = tuple(each for each in sent.ranking if each not in hidden)
        offered = self._store.offered_to(play.game, entry, sent.player_id) if entry else ()
        if len(set(ranking)) < len(ranking) or not set(ranking) <= set(offered):
            raise InvalidInput({"ranking": "Rank only answers that you were shown, each once."})
        if not ranking:
            raise InvalidInput({"ranking": "Rank at least one answer."})
        return Vote(
            game_id=play.game.game_id,
            question_id=sent.question_id,
            player_id=sent.player_id,
            name=player.name,
            votes={answer: rank for rank, answer in enumerate(ranking, 1)},
            is_partial=len(ranking) < required_ranks(len(offered)),
            client_id=sent.client_id[:MAX_CLIENT_ID],
            submitted_at=sent.received_at,
            expires_at=play.game.expires_at,
        )

    def _load(
        self,
        sent: Sequence[tuple[str, Submission | VoteSubmission]],
        known_players: Mapping[str, Mapping[str, Player]],
        known_plays: Mapping[str, Play],
    ) -> tuple[dict[str, Play], dict[tuple[str, str], Player]]:
        """Return games, and players by game and id. New players are read twice."""
        missing = {game_id for game_id, _ in sent} - known_plays.keys()
        ids = {(game_id, each.player_id) for game_id, each in sent if is_id(each.player_id)}
        players = {
            each: player
            for each in ids
            if (player := known_players.get(each[0], _NOTHING).get(each[1]))
        }
        for consistent in (False, True):
            keys = [patterns.player(*each) for each in ids - players.keys()]
            found = self._context.store.get_many(keys, consistent=consistent)
            players |= {(each.game_id, each.player_id): each for each in found if each}
        return {**known_plays, **self._store.load_many(missing)}, players

    def find_answer(self, game_id: str, question_id: str, player_id: str) -> Answer | None:
        """Return the answer of a player, or None."""
        return self._context.store.run(patterns.answer, game_id, question_id, player_id)

    def list_of_player(self, game_id: str, player_id: str, ids: Sequence[str]) -> list[Answer]:
        """Return the answers of a player to these questions."""
        keys = [patterns.answer(game_id, question_id, player_id) for question_id in ids]
        return [each for each in self._context.store.get_many(keys, consistent=True) if each]

    def find_vote(self, game_id: str, question_id: str, player_id: str) -> Vote | None:
        """Return the vote of a player, or None."""
        return self._context.store.run(patterns.vote, game_id, question_id, player_id)


# ------------------------------------------------------------------------------ rules


def _raise_error(results: Sequence[Receipt | AppError]) -> Receipt:
    """Return the receipt of the only submission, or raise its error."""
    (result,) = results
    if isinstance(result, AppError):
        raise result
    return result


def _is_final(plays: Mapping[str, Play], answer: Answer) -> bool:
    """Return whether the first answer counts, as in a quiz. Others can be changed."""
    return kind_of(_question_of(plays[answer.game_id], answer.question_id)).is_quiz


def _is_repeated(result: Receipt | AppError) -> bool:
    return isinstance(result, Receipt) and result.outcome is Outcome.REPEATED


def _identity(answer: Answer) -> tuple[str, str, str]:
    return answer.game_id, answer.question_id, answer.player_id


def _is_new(answer: Answer) -> Condition[Answer] | None:
    """Return the condition that this message was not stored before.

    If the host has hidden an answer, another one of the player waits for the host, too.
    """
    is_other = Answer.client_id.missing() | (Answer.client_id != answer.client_id)
    is_shown = Answer.status.missing() | (Answer.status != AnswerStatus.HIDDEN)
    if answer.status is not AnswerStatus.VISIBLE:
        return is_other if answer.client_id else None
    return is_other & is_shown if answer.client_id else is_shown


def _split(answers: Mapping[int, Answer], size: int) -> Iterator[list[dict[int, Answer]]]:
    """Yield batches that can be written at the same time: a player has one answer in them."""
    batches, seen = [dict[int, Answer]()], set[tuple[str, str, str]]()
    for number, answer in answers.items():
        if (identity := _identity(answer)) in seen:
            yield batches
            batches, seen = [dict[int, Answer]()], set[tuple[str, str, str]]()
        elif len(batches[-1]) == size:
            batches.append({})
        batches[-1][number] = answer
        seen.add(identity)
    yield batches


def is_open(game: Game, state: GameState, question_id: str) -> bool:
    """Return whether answers of a room to this question are accepted."""
    if state.phase is not Phase.OPEN or state.closed_at is not None or game.homework:
        return False
    if game.type is EngagementType.SURVEY:
        return question_id in state.played
    return state.question_id == question_id


def _is_voting(state: GameState | None, question_id: str) -> bool:
    is_voting = state and state.phase is Phase.VOTING and state.closed_at is None
    return bool(is_voting and state and state.question_id == question_id)


def _closed_text(state: GameState, is_late: bool) -> str:
    if is_late and state.phase in (Phase.OPEN, Phase.VOTING):
        return "Time is up. Answers are being counted."
    return f"The game is {describe(state.phase)}, so this cannot be sent now."


def _question_of(play: Play, question_id: str) -> Question:
    if play.game.type is EngagementType.SURVEY:
        return play.questions[play.state.played.index(question_id)]
    question = play.question
    assert question is not None
    return question


def make_answer(
    game: Game, player: Player, question: Question, sent: Submission, seconds: float
) -> Answer:
    """Return the answer to store, or raise InvalidInput. Others never see those of a homework."""
    kind = kind_of(question)
    reply = kind.read(question, Reply(sent.choices, sent.number, sent.text))
    is_safe = not reply.text or game.homework is not None
    # A text that is right is one of the author's.
    is_safe = is_safe or (kind.is_quiz and kind.judge(question, reply).is_correct)
    return Answer(
        game_id=game.game_id,
        question_id=sent.question_id,
        player_id=player.player_id,
        name=player.name,
        text=reply.text,
        choices=reply.choices,
        number=reply.number,
        seconds=round(max(0.0, seconds), 3),
        word_count=len(reply.text.split()),
        status=AnswerStatus.VISIBLE if is_safe else status_of_text(game.settings, reply.text),
        client_id=sent.client_id[:MAX_CLIENT_ID],
        submitted_at=sent.received_at,
        expires_at=game.expires_at,
    )
