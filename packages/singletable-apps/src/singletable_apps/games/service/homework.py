"""Homework: a game that everybody plays alone, at their own pace, until a deadline.

All questions of a homework are open from the start, as those of a survey are, and `Player` has the
place of each player. The answers of the first attempt are those of the game. Answers of a later one
are stored beside them, with ids such as `001~2`; when the attempt is complete and has as many
points, they take the place of the others. So the deadline counts a homework as the end of a survey
does, and its report is that of every game.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from singletable import AlreadyExists, ConditionFailed, evolve
from singletable_apps.games.entities import Answer, Game, GameState, Homework, HostAbsence, Player
from singletable_apps.games.errors import WrongPhase
from singletable_apps.games.kinds import kind_of
from singletable_apps.games.names import name_key
from singletable_apps.games.phases import Phase
from singletable_apps.games.questions import Question
from singletable_apps.games.rules import GRACE, Play, question_limit, score_in_game
from singletable_apps.games.scoring import TriviaScore
from singletable_apps.games.service.answers import (
    Answers,
    Outcome,
    Receipt,
    Submission,
    make_answer,
)
from singletable_apps.games.service.context import Context, retry_busy
from singletable_apps.games.service.games import LONGEST_HOMEWORK, GameDraft, Games, numbers_of
from singletable_apps.games.service.players import MAX_LISTED_NAME
from singletable_apps.games.service.rounds import Rounds
from singletable_apps.games.views import View, iso_time, question_view
from singletable_apps.shared.service import check_found
from singletable_apps.shared.text import InputChecks

MAX_NAMES = 300
# The most of each number; 0 is no limit.


@dataclass(frozen=True, slots=True)
class Sheet:
    """An attempt of a player: the question, when its time is up, and answers by question.

    `question` is None before and after the attempt.
    """

    play: Play
    homework: Homework
    player: Player
    question: Question | None
    question_id: str
    time_up: datetime | None
    answers: Mapping[str, Answer]
    scores: Mapping[str, TriviaScore]
    points: int


class Homeworks:
    """Gives homework, and takes the answers of each player."""

    def __init__(self, context: Context, games: Games, rounds: Rounds, answers: Answers) -> None:
        self._context, self._games = context, games
        self._rounds, self._answers = rounds, answers

    def give(self, host_id: str, draft: GameDraft, homework: Homework) -> Game:
        """Open a game as homework. Questions that need others to vote are left out."""
        checks, seconds = InputChecks(), homework.seconds
        self._check_due(checks, homework.due_at, self._context.clock())
        for name, bounds in numbers_of(Homework):
            if not 0 <= getattr(homework, name) <= bounds.most:
                checks.reject(name, f"Use a number from 1 to {bounds.most}, or 0 for no limit.")
        lines = [checks.line("names", each, longest=MAX_LISTED_NAME) for each in homework.names]
        names = [each for each in lines if each]
        if len({name_key(each) for each in names}) < len(names) or len(names) > MAX_NAMES:
            checks.reject("names", f"List at most {MAX_NAMES} names, each once.")
        questions = [
            each if seconds else replace(each, seconds=0)
            for each in draft.questions
            if not kind_of(each).is_ranked
        ]
        left_out = len(draft.questions) - len(questions)
        if left_out and not questions:
            checks.reject("set_id", "Nobody can play this alone: all of it needs others to vote.")
        checks.raise_errors()
        settings = replace(
            draft.settings,
            question_seconds=seconds,
            writing_seconds=seconds,
            host_absence=HostAbsence.WAIT,
            generated_names=draft.settings.generated_names and not names,
            late_join=True,
        )
        given = replace(homework, names=tuple(names), left_out=left_out)
        draft = replace(draft, questions=questions, settings=settings, homework=given)
        return self._games.create(host_id, draft)

    @retry_busy
    def set_deadline(self, game_id: str, due_at: datetime) -> Game:
        """Change the deadline of a homework that is open."""
        checks, state = InputChecks(), self._rounds.finish_due(game_id)
        game = self._context.get_game(game_id, consistent=True)
        game.homework = replace(homework_of(game), due_at=due_at)
        _check_open(state)
        self._check_due(checks, due_at, game.created_at)
        checks.raise_errors()
        with self._context.write_state(evolve(state, deadline=due_at)) as tx:
            tx.put(game)
        return game

    def _check_due(self, checks: InputChecks, due_at: datetime, given_at: datetime) -> None:
        if not self._context.clock() < due_at <= given_at + LONGEST_HOMEWORK:
            most = f"at most {LONGEST_HOMEWORK.days} days from the start"
            checks.reject("due_at", f"Choose a time in the future, {most}.")

    # -------------------------------------------------------------------------- players

    def _read(self, game_id: str, player_id: str) -> Sheet:
        """Return the current attempt of a player; once it is closed, the one that counts."""
        state = self._rounds.finish_due(game_id)
        game = self._context.get_game(game_id)
        play = Play(game, state, self._context.get_questions(game))
        player = self._context.get_player(game_id, player_id)
        return self._sheet(play, player, 1 if state.phase is Phase.ENDED else player.attempt)

    def _sheet(self, play: Play, player: Player, attempt: int) -> Sheet:
        asked = dict(zip(play.state.played, play.questions, strict=True))
        ids = {_stored_id(each, attempt): each for each in asked}
        found = self._answers.list_of_player(play.game.game_id, player.player_id, [*ids])
        answers = {ids[each.question_id]: each for each in found}
        scores, streak = dict[str, TriviaScore](), 0
        for question_id, question in asked.items():
            if kind_of(question).is_quiz:
                answer, score = answers.get(question_id), TriviaScore(is_correct=False)
                score = score_in_game(play.game, question, answer, streak) if answer else score
                scores[question_id], streak = score, score.streak
        left = [*asked.items()][player.position :] if player.attempt else []
        question_id, current = left[0] if left else ("", None)
        limit = question_limit(play.game, current) if current else None
        time_up = player.asked_at + timedelta(seconds=limit) if limit and player.asked_at else None
        points = sum(each.points for each in scores.values())
        terms = homework_of(play.game)
        return Sheet(play, terms, player, current, question_id, time_up, answers, scores, points)

    def answer(self, game_id: str, sent: Submission) -> Receipt:
        """Store an answer to the question where the player is, or raise why not."""
        sheet = self._read(game_id, sent.player_id)
        player, asked = sheet.player, sent.question_id
        if known := sheet.answers.get(asked):
            return Receipt(Outcome.REPEATED, known)
        _check_open(sheet.play.state)
        if sheet.question is None or asked != sheet.question_id:
            raise WrongPhase("You are at another question.", Phase.OPEN)
        if sheet.time_up and sent.received_at > sheet.time_up + GRACE:
            raise WrongPhase("Time is up for this question.", Phase.OPEN)
        seconds = (sent.received_at - (player.asked_at or sent.received_at)).total_seconds()
        answer = make_answer(sheet.play.game, player, sheet.question, sent, seconds)
        try:
            stored_id = _stored_id(asked, player.attempt)
            self._context.store.create(evolve(answer, question_id=stored_id))
        except AlreadyExists:  # another answer was stored since the sheet was read, and counts
            return self.answer(game_id, sent)
        # If it was closed meanwhile, the answer may not have been counted.
        _check_open(self._context.get_state(game_id))
        if sheet.homework.answers_shown != "at-once":
            self.advance(game_id, sent.player_id, player.attempt, player.position)
        return Receipt(Outcome.ACCEPTED, answer)

    def advance(self, game_id: str, player_id: str, attempt: int, position: int) -> None:
        """Begin an attempt, or go to the next question, if the player is still at this place."""
        sheet, now = self._read(game_id, player_id), self._context.clock()
        _check_open(sheet.play.state)
        if (attempt, position) != (sheet.player.attempt, sheet.player.position):
            return
        after = (attempt, position + 1)
        if sheet.question is None:
            if 0 < sheet.homework.attempts <= attempt:
                raise WrongPhase("You have used all your attempts.", Phase.OPEN)
            after = (attempt + 1, 0)
        elif attempt > 1 and after[1] == len(sheet.play.questions):
            self._keep_best(sheet)
        with suppress(ConditionFailed):  # a second click was faster
            self._context.store.update(
                Player.key(game_id, player_id),
                *(Player.attempt.set(after[0]), Player.position.set(after[1])),
                *(Player.asked_at.set(now), Player.last_seen_at.set(now)),
                if_=(Player.attempt == attempt) & (Player.position == position),
            )

    def _keep_best(self, sheet: Sheet) -> None:
        """Let the answers of this attempt count, unless those before have more points."""
        store, player, answers = self._context.store, sheet.player, sheet.answers
        counted = self._sheet(sheet.play, player, 1)
        if sheet.points >= counted.points:
            store.put_many(evolve(each, question_id=name) for name, each in answers.items())
            skipped = counted.answers.keys() - answers.keys()
            keys = (Answer.key(player.game_id, each, player.player_id) for each in skipped)
            store.delete_many(keys)

    def view(self, game_id: str, player_id: str) -> View:
        """Return the view of a player: the question, or the parts of the result that are public."""
        sheet = self._read(game_id, player_id)
        player, homework, played = sheet.player, sheet.homework, sheet.play.state.played
        step, shown = _step(sheet, self._context.clock()), homework.answers_shown
        view: View = {
            "title": sheet.play.game.title,
            "name": player.name,
            "step": step,
            "dueAt": iso_time(homework.due_at),
            "deadline": iso_time(sheet.time_up),
            "attempt": player.attempt,
            "attempts": homework.attempts,
            "position": player.position,
            "questionCount": len(played),
            "seconds": homework.seconds,
            "answersShown": shown,
        }
        if step in ("question", "late", "answered"):
            is_known = shown == "at-once" and step != "question"
            view["question"] = _row(sheet, player.position, with_solution=is_known)
        if step == "closed" or (step == "done" and shown != "closed"):
            rows = [_row(sheet, each, with_solution=True) for each in range(len(played))]
            view["result"] = {
                "points": sheet.points,
                "best": self._sheet(sheet.play, player, 1).points,
                "correct": sum(bool(each.is_correct) for each in sheet.scores.values()),
                "of": len(sheet.scores),
                "questions": rows,
            }
        return view


def homework_of(game: Game) -> Homework:
    """Return how a game is given as homework, or raise NotFound."""
    return check_found(game.homework, "This game is not homework.")


def _stored_id(question_id: str, attempt: int) -> str:
    return question_id if attempt <= 1 else f"{question_id}~{attempt}"


def _check_open(state: GameState) -> None:
    if state.phase is not Phase.OPEN or state.closed_at is not None:
        raise WrongPhase("This homework is closed. Nothing is accepted any more.", state.phase)


def _step(sheet: Sheet, now: datetime) -> str:
    """Return the next step of a player: start, question, late, answered, done or closed."""
    if sheet.play.state.phase is Phase.ENDED:
        return "closed"
    if sheet.question is None:
        return "done" if sheet.player.attempt else "start"
    if sheet.question_id in sheet.answers:
        return "answered"
    return "late" if sheet.time_up and now >= sheet.time_up else "question"


def _row(sheet: Sheet, index: int, *, with_solution: bool) -> View:
    """Return a question with the player's answer and the solution."""
    question, question_id = sheet.play.questions[index], sheet.play.state.played[index]
    answer, score = sheet.answers.get(question_id), sheet.scores.get(question_id)
    row: View = {"questionId": question_id, **question_view(question, sheet.play.game)}
    if answer:
        said = {"text": answer.text, "choices": list(answer.choices), "number": answer.number}
        row["answer"] = said
    if with_solution and score:
        row |= {"isCorrect": score.is_correct, "gained": score.points}
        row |= {**kind_of(question).solve(question), "explanation": question.explanation}
    return row
