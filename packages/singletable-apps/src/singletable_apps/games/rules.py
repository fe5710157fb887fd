"""The rules of a game in progress: what is due, what comes next, what answers amount to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from singletable_apps.games.entities import Answer, Game, GameState, Leaderboard, Vote
from singletable_apps.games.phases import Phase
from singletable_apps.games.questions import WRITTEN, EngagementType, Question, QuestionType

# How long a question that was closed too early is open once more.
REOPENED = timedelta(seconds=10)
# Answers that were sent in time may arrive this much later, if it is the timer that closes.
GRACE = timedelta(seconds=2)


@dataclass(frozen=True, slots=True)
class Play:
    """A game at a moment: its state, and the question that is played, if any."""

    game: Game
    state: GameState
    questions: tuple[Question, ...]

    @property
    def question(self) -> Question | None:
        """Return the question that is played, or None."""
        index = self.state.question_index
        return self.questions[index] if 0 <= index < len(self.questions) else None


def question_id_of(number: int) -> str:
    """Return the id of the question that is played as this number, from 1."""
    return f"{number:03d}"


def is_interrupted(state: GameState) -> bool:
    """Return whether answers have to be counted, or the game has to be ended, before all else."""
    return state.closed_at is not None or state.is_ending


def due_at(state: GameState) -> datetime | None:
    """Return when a timer has run out, or since when a count or the end waits, or None."""
    if is_interrupted(state):
        return state.closed_at or state.updated_at
    if state.deadline is None:
        return None
    grace = GRACE if state.phase in (Phase.OPEN, Phase.VOTING) else timedelta()
    return state.deadline + grace


def is_due(state: GameState, now: datetime) -> bool:
    """Return whether a timer has run out, or a count or the end was interrupted."""
    due = due_at(state)
    return due is not None and (now >= due or is_interrupted(state))


def question_limit(game: Game, question: Question) -> int | None:
    """Return the time limit of a question in seconds, or None. Writing takes longer."""
    settings = game.settings
    own = settings.writing_seconds if question.type in WRITTEN else settings.question_seconds
    return (own if question.seconds is None else question.seconds) or None


def points_of(game: Game, question: Question) -> int:
    """Return the most points of a question."""
    return game.settings.points if question.points is None else question.points


def written_ids(play: Play) -> list[str]:
    """Return the ids of the questions that are played now and have texts as answers."""
    if play.game.type is EngagementType.SURVEY:
        pairs = zip(play.state.played, play.questions, strict=False)
        return [question_id for question_id, each in pairs if each.type in WRITTEN]
    is_written = play.question is not None and play.question.type in WRITTEN
    return [play.state.question_id] if is_written else []


def is_checkable(state: GameState) -> bool:
    """Return whether the host can approve and hide answers to the current question."""
    return state.phase in (Phase.OPEN, Phase.CHECKING) and state.closed_at is None


def questions_left(play: Play) -> list[int]:
    """Return the indexes of the questions that can be asked next, in order."""
    active, asked = set(play.game.active_categories), set(play.state.asked)
    return [
        index
        for index, question in enumerate(play.questions)
        if index not in asked and (not active or question.category in active)
    ]


def is_leaderboard_due(play: Play) -> bool:
    """Return whether the leaderboard comes after this reveal."""
    policy, state = play.game.settings.leaderboard, play.state
    if not state.scored or policy is Leaderboard.NEVER:
        return False
    left = questions_left(play)
    if not left:
        return True
    if policy is Leaderboard.EACH:
        return state.scored[-1] == state.question_id
    if policy is Leaderboard.CATEGORY and play.question is not None:
        return play.questions[left[0]].category != play.question.category
    return False


def tally_answers(question: Question, answers: Iterable[Answer]) -> dict[str, int]:
    """Count the options, numbers or orders that were chosen."""
    counts = dict[str, int]()
    for answer in answers:
        match question.type:
            case QuestionType.RATING:
                keys = [] if answer.number is None else [str(answer.number)]
            case QuestionType.RANK:
                keys = [">".join(answer.choices)] if answer.choices else []
            case _:
                keys = list(answer.choices)
        for key in keys:
            counts[key] = counts.get(key, 0) + 1
    return counts


def ranking_of(vote: Vote) -> list[str]:
    """Return the ids of the ranked answers, best first."""
    return sorted(vote.votes, key=lambda answer: vote.votes[answer])
