"""Accept answers and votes.

An answer is written first, and then the state is read once more. If the phase is still open, the
answer was stored before it was closed, so it will be counted: only then it is acknowledged. No
transaction contains the state, so a thousand phones do not wait for each other. Answers that arrive
at the same time are written together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from singletable import Condition, ConditionFailed
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
    RoomClosed,
    WrongPhase,
)
from singletable_apps.games.moderation import status_of_text
from singletable_apps.games.phases import Phase, describe
from singletable_apps.games.questions import EngagementType, Question, QuestionType
from singletable_apps.games.rules import Play, is_due
from singletable_apps.games.scoring import required_ranks
from singletable_apps.games.service.context import Context, is_id
from singletable_apps.games.service.game_store import GameStore
from singletable_apps.games.service.rounds import Rounds
from singletable_apps.shared.text import InputChecks

MAX_CLIENT_ID = 64
# Answers in one transaction: each has to wait for the disk, or for the network.
_BATCH = 50
_ATTEMPTS = 5


class Outcome(StrEnum):
    """What became of an answer or a vote."""

    ACCEPTED = "accepted"
    # The same message came before, or the question takes one answer and has it.
    REPEATED = "repeated"
    # The phase was closed meanwhile. The result will show whether it was counted.
    LATE = "late"


@dataclass(frozen=True, slots=True)
class Submission:
    """An answer as a phone sends it. `received_at` is by the server's clock."""

    player_id: str
    question_id: str
    received_at: datetime
    text: str = ""
    choices: tuple[str, ...] = ()
    number: int | None = None
    client_id: str = ""


@dataclass(frozen=True, slots=True)
class VoteSubmission:
    """A vote as a phone sends it: the ids of answers of others, best first."""

    player_id: str
    question_id: str
    received_at: datetime
    ranking: tuple[str, ...]
    client_id: str = ""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the server answers to a submission: the outcome, and the answer that is stored."""

    outcome: Outcome
    answer: Answer | None = None
    vote: Vote | None = None


class Answers:
    """Stores answers and votes."""

    def __init__(self, context: Context, rounds: Rounds, store: GameStore) -> None:
        self._context = context
        self._rounds = rounds
        self._store = store

    def submit(self, game_id: str, submission: Submission) -> Receipt:
        """Store an answer, or raise an error that says why not."""
        (result,) = self.submit_many(game_id, [submission])
        if isinstance(result, AppError):
            raise result
        return result

    def submit_many(
        self,
        game_id: str,
        submissions: Sequence[Submission],
        known: Mapping[str, Player] | None = None,
    ) -> list[Receipt | AppError]:
        """Store answers of one game; for each, return a receipt, or why it was rejected.

        `known` has players who were read lately, so that they are not read again.
        """
        play = self._store.load(game_id)
        players = self._players(game_id, submissions, known or {})
        results = dict[int, Receipt | AppError]()
        stored = dict[int, Answer]()
        for number, sent in enumerate(submissions):
            try:
                prepared = self._prepare(play, players.get(sent.player_id), sent)
            except AppError as error:
                results[number] = error
            else:
                if isinstance(prepared, Receipt):
                    results[number] = prepared
                else:
                    stored[number] = prepared
        for batch in _batches(stored):
            results |= self._write(play, batch)
        after = self._context.get_state(game_id)
        if after.closed_at is not None and any(map(_is_repeated, results.values())):
            # Those who lost their acknowledgment want to know.
            after = self._rounds.finish_due(game_id)
        counted = dict[str, frozenset[str]]()
        for number, sent in enumerate(submissions):
            result, question_id = results[number], sent.question_id
            if isinstance(result, Receipt) and not is_open(play.game, after, question_id):
                if question_id not in counted:
                    counted[question_id] = self._counted(after, question_id)
                if sent.player_id not in counted[question_id]:
                    results[number] = Receipt(Outcome.LATE, result.answer)
        return [results[number] for number in range(len(submissions))]

    def _counted(self, state: GameState, question_id: str) -> frozenset[str]:
        """Return the players whose answers are known to be in the result.

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

    def _prepare(self, play: Play, player: Player | None, sent: Submission) -> Answer | Receipt:
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
        text, choices, number = check_answer(question, sent)
        opened = state.opened_at or sent.received_at
        seconds = (sent.received_at - opened).total_seconds() - state.paused_seconds
        status = status_of_text(game.settings, text) if text else AnswerStatus.VISIBLE
        return Answer(
            game_id=game.game_id,
            question_id=sent.question_id,
            player_id=player.player_id,
            name=player.name,
            text=text,
            choices=choices,
            number=number,
            seconds=round(max(0.0, seconds), 3),
            word_count=len(text.split()),
            status=status,
            client_id=client_id,
            submitted_at=sent.received_at,
            expires_at=game.expires_at,
        )

    def _write(self, play: Play, batch: Mapping[int, Answer]) -> dict[int, Receipt | AppError]:
        """Write answers of different players or questions in one transaction."""
        receipts = dict[int, Receipt | AppError]()
        left = dict(batch)
        for _ in range(_ATTEMPTS):
            if not left:
                return receipts
            try:
                with self._context.store.transaction() as tx:
                    for answer in left.values():
                        if self._is_final(play, answer):
                            tx.create(answer)
                        else:
                            tx.put(answer, if_=_is_new(answer))
            except ConditionFailed:
                keys = [Answer.key(*_identity(each)) for each in left.values()]
                found = self._context.store.get_many(keys, consistent=True)
                for number, answer, known in zip([*left], [*left.values()], found, strict=True):
                    is_same = known and known.client_id == answer.client_id != ""
                    if known and (is_same or self._is_final(play, answer)):
                        receipts[number] = Receipt(Outcome.REPEATED, known)
                        del left[number]
                    elif known and known.status is AnswerStatus.HIDDEN:
                        answer.status = AnswerStatus.PENDING
            else:
                return receipts | {
                    number: Receipt(Outcome.ACCEPTED, answer) for number, answer in left.items()
                }
        busy = Busy("Too many answers arrive at the same time. Send yours again.")
        return receipts | dict.fromkeys(left, busy)

    def _is_final(self, play: Play, answer: Answer) -> bool:
        """Return whether the first answer counts, as for trivia. Others can be changed."""
        return _question_of(play, answer.question_id).type is QuestionType.TRIVIA

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
        (result,) = self.vote_many(game_id, [sent])
        if isinstance(result, AppError):
            raise result
        return result

    def vote_many(
        self,
        game_id: str,
        votes: Sequence[VoteSubmission],
        known: Mapping[str, Player] | None = None,
    ) -> list[Receipt | AppError]:
        """Store votes of one game; for each, return a receipt, or why it was rejected."""
        play = self._store.load(game_id)
        players = self._players(game_id, votes, known or {})
        entry = self._store.get_round(game_id, play.state.question_id)
        results: list[Receipt | AppError] = []
        stored = dict[str, Vote]()
        for each in votes:
            try:
                vote = self._check_vote(play, entry, players.get(each.player_id), each)
            except AppError as error:
                results.append(error)
            else:
                stored[each.player_id] = vote
                results.append(Receipt(Outcome.ACCEPTED, vote=vote))
        self._context.store.put_many(stored.values())
        after = self._context.get_state(game_id)
        return [
            Receipt(Outcome.LATE, vote=result.vote)
            if isinstance(result, Receipt) and not _is_voting(after, each.question_id)
            else result
            for each, result in zip(votes, results, strict=True)
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

    def _players(
        self,
        game_id: str,
        sent: Sequence[Submission | VoteSubmission],
        known: Mapping[str, Player],
    ) -> dict[str, Player]:
        """Return players by id. Those who have just joined are read once more, consistently."""
        get_many = self._context.store.get_many
        ids = {each.player_id for each in sent if is_id(each.player_id)}
        found = {each: known[each] for each in ids if each in known}
        keys = [Player.key(game_id, each) for each in ids - found.keys()]
        found |= {each.player_id: each for each in get_many(keys) if each}
        if missing := ids - found.keys():
            keys = [Player.key(game_id, each) for each in missing]
            found |= {each.player_id: each for each in get_many(keys, consistent=True) if each}
        return found

    def find_answer(self, game_id: str, question_id: str, player_id: str) -> Answer | None:
        """Return the answer of a player, or None."""
        key = Answer.key(game_id, question_id, player_id)
        return self._context.store.get(key, consistent=True)

    def list_of_player(self, game_id: str, player_id: str, ids: Sequence[str]) -> list[Answer]:
        """Return the answers of a player to these questions."""
        keys = [Answer.key(game_id, question_id, player_id) for question_id in ids]
        return [each for each in self._context.store.get_many(keys, consistent=True) if each]

    def find_vote(self, game_id: str, question_id: str, player_id: str) -> Vote | None:
        """Return the vote of a player, or None."""
        return self._context.store.get(Vote.key(game_id, question_id, player_id), consistent=True)


# ------------------------------------------------------------------------------ rules


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


def _batches(answers: Mapping[int, Answer]) -> Iterator[dict[int, Answer]]:
    """Split answers, so that no batch has two answers of a player to the same question."""
    batch, seen = dict[int, Answer](), set[tuple[str, str, str]]()
    for number, answer in answers.items():
        if len(batch) == _BATCH or _identity(answer) in seen:
            yield batch
            batch, seen = {}, set[tuple[str, str, str]]()
        batch[number] = answer
        seen.add(_identity(answer))
    if batch:
        yield batch


def is_open(game: Game, state: GameState, question_id: str) -> bool:
    """Return whether answers to this question are accepted."""
    if state.phase is not Phase.OPEN or state.closed_at is not None:
        return False
    if game.type is EngagementType.SURVEY:
        return question_id in state.played
    return state.question_id == question_id


def _is_voting(state: GameState, question_id: str) -> bool:
    return (
        state.phase is Phase.VOTING and state.closed_at is None and state.question_id == question_id
    )


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


def check_answer(question: Question, sent: Submission) -> tuple[str, tuple[str, ...], int | None]:
    """Return the text, choices and number of an answer, or raise InvalidInput."""
    checks = InputChecks()
    ids = [option.id for option in question.choices]
    match question.type:
        case QuestionType.CALL_AND_ANSWER | QuestionType.TEXT:
            text = checks.text("text", sent.text, longest=question.longest, required=True)
            checks.raise_errors()
            return text, (), None
        case QuestionType.RATING:
            steps = question.scale.steps
            if sent.number is None or sent.number not in steps:
                raise InvalidInput({"number": f"Choose a number from {steps[0]} to {steps[-1]}."})
            return "", (), sent.number
        case QuestionType.RANK:
            if sorted(sent.choices) != sorted(ids):
                raise InvalidInput({"choices": "Put all options into an order."})
            return "", sent.choices, None
        case QuestionType.TRIVIA | QuestionType.CHOICE | QuestionType.YES_NO:
            most = len(question.correct) if question.type is QuestionType.TRIVIA else 0
            most = max(most, question.selections, 1)
            if len(question.correct) > 1:
                most = len(ids)
            chosen = tuple(each for each in ids if each in sent.choices)
            if not chosen or len(set(sent.choices) - set(ids)) or len(chosen) > most:
                text = "Choose one option." if most == 1 else f"Choose 1 to {most} options."
                raise InvalidInput({"choices": text})
            return "", chosen, None
