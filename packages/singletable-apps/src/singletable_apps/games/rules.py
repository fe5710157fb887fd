"""The rules of a game in progress: what is due, what comes next, what answers amount to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from singletable import evolve
from singletable_apps.games.entities import (
    Answer,
    AskedStatus,
    AudienceQuestion,
    Game,
    GameState,
    HostAbsence,
    Leaderboard,
    Player,
    Round,
    Standing,
    Vote,
)
from singletable_apps.games.kinds import kind_of
from singletable_apps.games.phases import Command, Phase
from singletable_apps.games.questions import EngagementType, Option, Question
from singletable_apps.games.results import Reply
from singletable_apps.games.scoring import TriviaRules, TriviaScore, rank_players, score_answer

# How long a question that was closed too early is open once more.
REOPENED = timedelta(seconds=10)
# Answers that were sent in time may arrive this much later, if it is the timer that closes.
GRACE = timedelta(seconds=2)
# A host has left after this time, and results then stay that long.
ABSENCE, ABSENCE_STEP = timedelta(seconds=60), timedelta(seconds=10)


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


def open_all(state: GameState, questions: int, now: datetime) -> GameState:
    """Return the state in which all questions of a survey or a homework are open."""
    return evolve(
        state,
        phase=Phase.OPEN,
        question_started_at=now,
        opened_at=now,
        played=[question_id_of(number) for number in range(1, questions + 1)],
        asked=[*range(questions)],
    )


def running_phase(state: GameState) -> Phase:
    """Return the phase, or while the game is paused, the one that goes on afterward."""
    return (state.paused_phase if state.phase is Phase.PAUSED else None) or state.phase


def asked_status(asked: AudienceQuestion, state: GameState) -> AskedStatus:
    """Return the status of a question to the host in this phase of the game."""
    is_over = asked.status is AskedStatus.SHOWN and asked.shown_in != state.phases_begun
    return AskedStatus.VISIBLE if is_over else asked.status


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


def command_without_host(
    policy: HostAbsence, state: GameState, host_seen_at: datetime, now: datetime
) -> Command | None:
    """Return the command that the settings give when no host has been there for a minute."""
    if now - host_seen_at < ABSENCE or state.phase in (Phase.WAITING, Phase.ENDED):
        return None
    if policy is HostAbsence.END:
        return Command.END
    is_shown = state.phase in (Phase.CHECKING, Phase.REVEAL, Phase.LEADERBOARD)
    if policy is HostAbsence.CONTINUE and is_shown and now - state.updated_at >= ABSENCE_STEP:
        return Command.NEXT
    return None


def question_limit(game: Game, question: Question) -> int | None:
    """Return the time limit of a question in seconds, or None. Writing takes longer."""
    settings = game.settings
    is_long = kind_of(question).is_written and not kind_of(question).is_quiz
    own = settings.writing_seconds if is_long else settings.question_seconds
    return (own if question.seconds is None else question.seconds) or None


def points_of(game: Game, question: Question) -> int:
    """Return the most points of a question."""
    return game.settings.points if question.points is None else question.points


def score_in_game(game: Game, question: Question, answer: Answer, streak: int) -> TriviaScore:
    """Return the score of an answer to a quiz question after `streak` correct ones in a row."""
    terms = game.settings
    score = score_answer(
        TriviaRules(terms.trivia_mode, terms.speed_floor, terms.streak),
        kind_of(question).judge(question, reply_of(answer), terms.partial),
        points=points_of(game, question),
        seconds=answer.seconds,
        limit=question_limit(game, question),
        streak=streak,
    )
    return replace(score, seconds=answer.seconds if score.points else 0.0)


def score_round(
    game: Game, question: Question, answers: Iterable[Answer], before: Mapping[str, Standing]
) -> dict[str, TriviaScore]:
    """Return the scores of the answers to a quiz question, by player."""
    return {
        each.player_id: score_in_game(game, question, each, known.streak if known else 0)
        for each in answers
        for known in [before.get(each.player_id)]
    }


def rank_round(
    question: Question | None,
    before: Mapping[str, Standing],
    answers: Iterable[Answer],
    points: Mapping[str, TriviaScore],
) -> list[Standing]:
    """Return the standings after a round, best first, of the players with one before it."""
    # Only questions with right and wrong answers continue or end a streak.
    is_quiz = question is not None and kind_of(question).is_quiz
    answered = {each.player_id for each in answers}
    gains = {player: points.get(player, TriviaScore()) for player in before}
    totals = {
        player: (known.total + gains[player].points, known.seconds + gains[player].seconds)
        for player, known in before.items()
    }
    return [
        Standing(
            player=player,
            points=gains[player].points,
            total=totals[player][0],
            place=place,
            seconds=totals[player][1],
            streak=gains[player].streak if is_quiz else before[player].streak,
            has_answered=player in answered,
            is_correct=gains[player].is_correct,
        )
        for player, place in rank_players(totals).items()
    ]


def place_present(
    standings: Sequence[Standing], players: Mapping[str, Player]
) -> Sequence[Standing]:
    """Return the standings without players removed by the host since the round."""
    gone = {each for each, player in players.items() if not player.is_active}
    left = [each for each in standings if each.player not in gone]
    if len(left) == len(standings):
        return standings
    places = rank_players({each.player: (each.total, each.seconds) for each in left})
    return [replace(each, place=places[each.player]) for each in left]


def written_ids(play: Play) -> list[str]:
    """Return the ids of the questions that are played now and have texts as answers."""
    if play.game.type is EngagementType.SURVEY:
        pairs = zip(play.state.played, play.questions, strict=False)
        return [question_id for question_id, each in pairs if kind_of(each).is_written]
    is_written = play.question is not None and kind_of(play.question).is_written
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
    kind = kind_of(question)
    return dict(Counter(key for each in answers for key in kind.tally(question, reply_of(each))))


def reply_of(answer: Answer) -> Reply:
    """Return an answer as a reply to its question."""
    return Reply(answer.choices, answer.number, answer.text, answer.seconds)


def judged_question(play: Play, entry: Round) -> Question:
    """Return the question of a round with the answers that the host has accepted since."""
    question = play.questions[entry.index]
    more = (Option(f"+{place}", text) for place, text in enumerate(entry.accepted))
    return replace(question, options=(*question.options, *more))


def ranking_of(vote: Vote) -> list[str]:
    """Return the ids of the ranked answers, best first."""
    return sorted(vote.votes, key=lambda answer: vote.votes[answer])
