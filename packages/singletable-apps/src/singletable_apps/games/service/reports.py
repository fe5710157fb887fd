"""The report of a game: every question with its answers and points, and the final scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from datetime import UTC, datetime, tzinfo
from typing import Any, Literal, TypeAlias

from singletable_apps.games import entities
from singletable_apps.games.errors import InvalidInput, NotFound
from singletable_apps.games.kinds import kind_of, summarize
from singletable_apps.games.questions import EngagementType, Question
from singletable_apps.games.results import Summary
from singletable_apps.games.rules import judged_question, place_present, reply_of
from singletable_apps.games.scoring import fold_answer, team_totals
from singletable_apps.games.service.context import Context
from singletable_apps.games.service.game_store import GameStore
from singletable_apps.games.service.rounds import Rounds
from singletable_apps.games.summaries import Summarizer, SummaryRequest
from singletable_apps.games.views import View, list_asked

ANSWER_COLUMNS = (
    *("Question", "Type", "Category", "Title", "Player", "Team"),
    *("Answer", "Correct", "Points", "Seconds", "Submitted"),
)
# How many questions and players the report names first.
_FIRST = 5
SCORE_COLUMNS = ("Place", "Player", "Team", "Points", "Answers", "Correct")
ASKED_COLUMNS = ("Votes", "Question", "Player", "Status")
TableName: TypeAlias = Literal["answers", "scores", "questions"]
Rows: TypeAlias = Iterator[tuple[str | float | datetime, ...]]


@dataclass(frozen=True, slots=True)
class ReportedAnswer:
    """An answer in words. In surveys, players have no names."""

    player: str
    team: str
    text: str
    is_correct: bool | None
    points: int
    seconds: float
    submitted_at: datetime
    is_hidden: bool = False
    number: int | None = None


@dataclass(frozen=True, slots=True)
class ReportedQuestion:
    """A question that was played, with what its answers amount to."""

    question_id: str
    question: Question
    is_void: bool
    summary: Summary
    answers: Sequence[ReportedAnswer]
    votes: int
    ai_summary: str
    started_at: datetime
    # Players who were in the game and did not answer; of a survey, nobody knows.
    silent: Sequence[entities.Player] = ()

    @property
    def texts(self) -> list[tuple[ReportedAnswer, list[str]]]:
        """Return each different answer with the names of its players."""
        groups = dict[tuple[str, bool], tuple[ReportedAnswer, list[str]]]()
        for each in self.answers:
            key = (fold_answer(each.text), each.is_hidden)
            groups.setdefault(key, (each, []))[1].append(each.player)
        return list(groups.values())


@dataclass(frozen=True, slots=True)
class Score:
    """The final score of a player."""

    place: int
    player: str
    team: str
    points: int
    answers: int
    correct: int


@dataclass(frozen=True, slots=True)
class GameReport:
    """A whole game. `champions` share the first place."""

    game: entities.Game
    state: entities.GameState
    questions: Sequence[ReportedQuestion]
    scores: Sequence[Score]
    champions: Sequence[str]
    teams: Sequence[tuple[str, float]]
    player_count: int
    # Questions of players to the host.
    asked: Sequence[View]

    @property
    def hardest(self) -> list[ReportedQuestion]:
        """Return the quiz questions that most players got wrong, hardest first."""
        share = {each.question_id: each.summary.correct_percent or 0.0 for each in self.questions}
        quiz = [each for each in self.questions if each.summary.correct is not None]
        asked = [each for each in quiz if each.summary.answered and not each.is_void]
        hard = [each for each in asked if share[each.question_id] < 60]
        return sorted(hard, key=lambda each: share[each.question_id])[:_FIRST]

    @property
    def strugglers(self) -> list[Score]:
        """Return the players with fewer than half of the quiz right, the weakest first."""
        quiz = sum(each.summary.correct is not None for each in self.questions)
        weak = [each for each in self.scores if quiz > 1 and 2 * each.correct < quiz]
        return sorted(weak, key=lambda each: (each.correct, each.points))[:_FIRST]

    def table(self, name: TableName, zone: tzinfo = UTC) -> tuple[Sequence[str], Rows]:
        """Return the columns and rows of a table, with times in a zone."""
        if name == "answers":
            return ANSWER_COLUMNS, self._answer_rows(zone)
        if name == "scores":
            return SCORE_COLUMNS, map(astuple, self.scores)
        return ASKED_COLUMNS, (tuple(each.values())[1:] for each in self.asked)

    def _answer_rows(self, zone: tzinfo) -> Rows:
        for each in self.questions:
            asked = each.question
            start = (int(each.question_id), asked.type, asked.category, asked.title)
            for answer in each.answers:
                yield (
                    *start,
                    answer.player,
                    answer.team,
                    answer.text if answer.number is None else answer.number,
                    "" if answer.is_correct is None else "yes" if answer.is_correct else "no",
                    answer.points,
                    answer.seconds,
                    answer.submitted_at.astimezone(zone).replace(tzinfo=None, microsecond=0),
                )
            for player in each.silent:
                yield (*start, player.name, player.team, *[""] * 5)

    def as_json(self) -> dict[str, Any]:
        """Return everything as JSON, with times in ISO 8601."""
        return {
            "gameId": self.game.game_id,
            "title": self.game.title,
            "engagementType": self.game.type,
            "createdAt": self.game.created_at.isoformat(),
            "playerCount": self.player_count,
            "champions": list(self.champions),
            "teams": [{"name": name, "points": points} for name, points in self.teams],
            "scores": [asdict(each) for each in self.scores],
            "audienceQuestions": self.asked,
            "questions": [
                {
                    "questionId": each.question_id,
                    "type": each.question.type,
                    "title": each.question.title,
                    "category": each.question.category,
                    "isVoid": each.is_void,
                    "votes": each.votes,
                    "aiSummary": each.ai_summary,
                    "summary": asdict(each.summary),
                    "answers": [
                        {**asdict(answer), "submitted_at": answer.submitted_at.isoformat()}
                        for answer in each.answers
                    ],
                }
                for each in self.questions
            ],
        }


class Reports:
    """Reads reports, and has answers summarized."""

    def __init__(
        self, context: Context, rounds: Rounds, store: GameStore, summarizer: Summarizer
    ) -> None:
        self._context, self._rounds, self._store = context, rounds, store
        self.summarizer = summarizer

    def read(self, game_id: str) -> GameReport:
        """Return the report of a game, also while it is played."""
        self._rounds.finish_due(game_id)
        play = self._store.load(game_id)
        game, state = play.game, play.state
        players = {each.player_id: each for each in self._store.list_players(game_id)}
        teams = {each: player.team for each, player in players.items() if player.is_active}
        questions = list[ReportedQuestion]()
        answered, correct = Counter[str](), Counter[str]()
        for entry in self._store.list_rounds(game_id):
            if entry.completed_at is None:
                continue
            answers = self._store.list_answers(game_id, entry.question_id)
            standings = {each.player: each for each in self._store.get_result(entry)}
            answered.update(each.player_id for each in answers)
            correct.update(player for player, each in standings.items() if each.is_correct)
            question = judged_question(play, entry)
            questions.append(_report_question(game, entry, question, answers, standings, players))
        final = place_present(self._store.get_standings(state), players)
        scores = [
            Score(
                each.place,
                players[each.player].name,
                players[each.player].team,
                each.total,
                answered[each.player],
                correct[each.player],
            )
            for each in final
        ]
        totals = team_totals({each.player: each.total for each in final}, teams)
        return GameReport(
            game=game,
            state=state,
            questions=questions,
            scores=scores,
            champions=[each.player for each in scores if each.place == 1 and each.points],
            teams=sorted(totals.items(), key=lambda each: -each[1]),
            player_count=len(teams),
            asked=list_asked(play, self._store.list_asked(game_id), players),
        )

    def summarize(self, game_id: str, question_id: str) -> entities.Round:
        """Have the answers to a question summarized, and store the summary with the question."""
        request = self.summary_request(game_id, question_id)
        summary = self.summarizer.summarize(request)
        entry = self._context.store.update(
            entities.Round.key(game_id, question_id), entities.Round.summary.set(summary)
        )
        self._context.notify(entry)
        return entry

    def summary_request(self, game_id: str, question_id: str) -> SummaryRequest:
        """Return what would be summarized. Only answers that everybody may see are."""
        play = self._store.load(game_id)
        entry = (
            self._store.get_round(game_id, question_id)
            if question_id in play.state.played
            else None
        )
        if entry is None:
            raise NotFound("This question was not played yet.")
        question = play.questions[entry.index]
        if not kind_of(question).is_written:
            raise InvalidInput({"questionId": "Only written answers can be summarized."})
        if entry.completed_at is None:
            raise InvalidInput({"questionId": "Close the question first."})
        hidden = set(entry.hidden)
        texts = [
            (each.text, entry.tally.get(each.id, 0))
            for each in self._store.get_ballot(entry)
            if each.id not in hidden
        ]
        if play.game.type is EngagementType.SURVEY and entry.answers < play.game.settings.min_cell:
            texts = []
        return SummaryRequest(question.title, texts, play.game.ai_context)


def _report_question(
    game: entities.Game,
    entry: entities.Round,
    question: Question,
    answers: Sequence[entities.Answer],
    standings: Mapping[str, entities.Standing],
    players: Mapping[str, entities.Player],
) -> ReportedQuestion:
    is_survey = game.type is EngagementType.SURVEY
    shown = [each for each in answers if each.status is entities.AnswerStatus.VISIBLE]
    over = entry.completed_at or entry.started_at
    everyone = sorted(players.values(), key=lambda each: each.name)
    present = [each for each in everyone if each.is_active and each.joined_at <= over]
    known = {each.player_id for each in answers}
    summary = summarize(
        question,
        map(reply_of, shown),
        players=len(present),
        min_cell=game.settings.min_cell if is_survey else 0,
    )
    rows = list[ReportedAnswer]()
    for each in answers if not summary.hidden else ():
        player, standing = players.get(each.player_id), standings.get(each.player_id)
        rows.append(
            ReportedAnswer(
                player="" if is_survey else player.name if player else each.name,
                team="" if is_survey or player is None else player.team,
                text=kind_of(question).describe(question, reply_of(each)),
                is_correct=standing.is_correct if standing else None,
                points=standing.points if standing else 0,
                seconds=each.seconds,
                submitted_at=each.submitted_at,
                is_hidden=each.status is not entities.AnswerStatus.VISIBLE,
                number=each.number,
            )
        )
    # Without names, the order must not tell who was first either.
    if is_survey:
        rows = [replace(row, seconds=0.0, submitted_at=entry.started_at) for row in rows]
        rows.sort(key=lambda row: row.text)
    else:
        rows.sort(key=lambda row: (-row.points, row.submitted_at))
    return ReportedQuestion(
        question_id=entry.question_id,
        question=question,
        is_void=entry.is_void,
        summary=summary,
        answers=rows,
        votes=entry.votes,
        ai_summary=entry.summary,
        started_at=entry.started_at,
        silent=[each for each in present if not is_survey and each.player_id not in known],
    )
