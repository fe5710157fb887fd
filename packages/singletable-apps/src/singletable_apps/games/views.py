"""What each role sees of a game, as JSON: one projection for pushes, reconnects, HTTP and pages.

`public_view` is the same for everyone in a role, so a broadcast is encoded once. `PlayerViews` are
what concerns one player each, and are sent once in a phase. Solutions, authors and results are in
neither before their time. The names are those of the original API, in camel case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from singletable_apps.games import entities, rules
from singletable_apps.games.kinds import kind_of
from singletable_apps.games.phases import ORIGINAL_STATES, Phase, available_commands
from singletable_apps.games.questions import EngagementType, Question
from singletable_apps.games.results import Reply, count_words
from singletable_apps.games.scoring import fold_typed, required_ranks, team_totals
from singletable_apps.games.tokens import DRIVERS, Role

View = dict[str, Any]
TOP = 10
# Names in the lobby of the big screen.
NEWEST = 40
# Answers that a reveal shows; the report has all.
MAX_SHOWN = 60


@dataclass(frozen=True, slots=True)
class AnonymousAnswer:
    """A text for the host to approve or hide; the id does not reveal its author."""

    question_id: str
    answer_id: str
    text: str
    status: entities.AnswerStatus


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that views are made from, read at one moment.

    `rounds` are the rounds whose results are shown: the current one, or all of a survey. `before`
    are the standings before the last round with points. `done` players have answered or voted;
    `answered` are those of them whom hosts may know.
    """

    play: rules.Play
    round: entities.Round | None
    ballot: Sequence[entities.BallotAnswer]
    standings: Sequence[entities.Standing]
    before: Sequence[entities.Standing]
    players: Mapping[str, entities.Player]
    rounds: Sequence[entities.Round] = ()
    answered: frozenset[str] = frozenset()
    done: int = 0
    pending: Sequence[AnonymousAnswer] = ()
    live_tally: Mapping[str, int] = field(default_factory=dict[str, int])
    join_url: str = ""
    asked: Sequence[entities.AudienceQuestion] = ()

    @property
    def game(self) -> entities.Game:
        """Return the game."""
        return self.play.game

    @property
    def state(self) -> entities.GameState:
        """Return its state."""
        return self.play.state

    @property
    def is_scored(self) -> bool:
        """Return whether the standings include the points of the current question."""
        return self.state.scored[-1:] == [self.state.question_id]

    def name_of(self, player_id: str) -> str:
        """Return the name of a player."""
        player = self.players.get(player_id)
        return player.name if player else "Someone"


def public_view(snapshot: Snapshot, role: Role) -> View:
    """Return what everyone in a role sees."""
    play, state, game = snapshot.play, snapshot.state, snapshot.game
    asked, sees_all = list_asked(play, snapshot.asked, snapshot.players), role in DRIVERS
    phase = rules.running_phase(state)
    view: View = {
        "gameId": game.game_id,
        "title": game.title,
        "engagementType": game.type,
        "joinCode": game.join_code,
        "joinUrl": snapshot.join_url,
        "phase": state.phase,
        "state": ORIGINAL_STATES[state.phase],
        "pausedPhase": state.paused_phase,
        "version": state.version,
        "isLocked": game.is_locked,
        "isPrivate": bool(game.access_code),
        "teams": list(game.settings.teams),
        "playerCount": sum(player.is_active for player in snapshot.players.values()),
        "questionId": state.question_id,
        "questionNumber": len(state.played),
        "questionCount": _question_count(play),
        "deadline": iso_time(state.deadline),
        "openedAt": iso_time(state.opened_at),
        "remaining": state.remaining,
        "isAnonymous": game.settings.is_anonymous,
        "nextGame": game.next_game,
        "audience": {
            "isOn": game.settings.takes_questions,
            "questions": [
                each for each in asked if sees_all or each["status"] not in entities.UNSEEN
            ],
        },
    }
    if game.type is EngagementType.SURVEY:
        view["survey"] = _survey(snapshot, role)
    elif play.question is not None and state.phase is not Phase.WAITING:
        view["question"] = question_view(
            play.question, game, with_options=phase is not Phase.READING
        )
    if phase is Phase.VOTING and role is not Role.PLAYER:
        view["ballot"] = [{"id": each.id, "text": each.text} for each in _visible(snapshot)]
    if phase is Phase.REVEAL and play.question is not None and snapshot.round is not None:
        question = rules.judged_question(play, snapshot.round)
        view["reveal"] = reveal_view(snapshot, question, snapshot.round)
    if phase in (Phase.LEADERBOARD, Phase.ENDED) or role in DRIVERS:
        view["leaderboard"] = leaderboard_view(snapshot)
    if role in DRIVERS:
        view["host"] = _host_view(snapshot)
    return view


def question_view(question: Question, game: entities.Game, *, with_options: bool = True) -> View:
    """Return a question without its solution."""
    shown: View = {
        "type": question.type,
        "title": question.title,
        "detail": question.detail,
        # Questions without a category have this one.
        "category": question.category if question.category != "General" else "",
        "school": question.school,
        "instruction": question.instruction,
        "image": question.image,
        "seconds": rules.question_limit(game, question),
    }
    if kind_of(question).is_quiz:
        shown |= {"isQuiz": True, "points": rules.points_of(game, question)}
    shown |= kind_of(question).show(question)
    if with_options:
        shown["options"] = [asdict(option) for option in question.choices]
    return shown


def reveal_view(snapshot: Snapshot, question: Question, entry: entities.Round) -> View:
    """Return the result of a question: tallies, the solution, and answers with their authors."""
    kind = kind_of(question)
    view: View = {
        "questionId": entry.question_id,
        "isVoid": entry.is_void,
        "answers": entry.answers,
        "votes": entry.votes,
        "tally": entry.tally,
        **kind.solve(question),
        "explanation": question.explanation,
        "summary": entry.summary,
    }
    if kind.is_ranked:
        ranked = sorted(_visible(snapshot), key=lambda each: -entry.tally.get(each.id, 0))
        best = max((entry.tally.get(each.id, 0) for each in ranked), default=0)
        view["texts"] = [
            {
                "id": each.id,
                "text": each.text,
                "names": [snapshot.name_of(player) for player in each.players],
                "points": entry.tally.get(each.id, 0),
                "isWinner": best > 0 and entry.tally.get(each.id, 0) == best,
            }
            for each in ranked[:MAX_SHOWN]
        ]
    elif kind.is_written:
        common = sorted(_visible(snapshot), key=lambda each: -len(each.players) * kind.is_quiz)
        view["texts"] = [
            {"id": each.id, "text": each.text, "count": len(each.players)}
            | (_marks(question, entry, each.text) if kind.is_quiz else {})
            for each in common[:MAX_SHOWN]
        ]
        words = count_words(each.text for each in _visible(snapshot) for _ in each.players)
        view["words"] = [[each.word, each.count] for each in words if each.count > 1][:30]
    if kind.is_quiz:
        view["fastest"] = [
            {"name": snapshot.name_of(each.player), "points": each.points}
            for each in sorted(snapshot.standings, key=lambda each: -each.points)[:3]
            if each.points
        ]
    return view


def _marks(question: Question, entry: entities.Round, text: str) -> View:
    """Return whether a typed answer is correct, and whether that is by the host's decision."""
    is_correct = kind_of(question).judge(question, Reply(text=text)).is_correct
    is_accepted = fold_typed(text) in map(fold_typed, entry.accepted)
    return {"isCorrect": is_correct, "isAccepted": is_accepted}


def _visible(snapshot: Snapshot) -> list[entities.BallotAnswer]:
    hidden = set(snapshot.round.hidden) if snapshot.round else set[str]()
    return [each for each in snapshot.ballot if each.id not in hidden]


def leaderboard_view(snapshot: Snapshot) -> View:
    """Return the first places with points and movement, and the teams."""
    is_scored = snapshot.is_scored
    before = {each.player: each.place for each in snapshot.before if is_scored}
    here = {player: each.team for player, each in snapshot.players.items() if each.is_active}
    totals = {each.player: each.total for each in snapshot.standings}
    new = None if before else 0
    view: View = {
        "of": len(totals),
        "top": [
            {
                "playerId": each.player,
                "name": snapshot.name_of(each.player),
                "team": here.get(each.player, ""),
                "place": each.place,
                "points": each.total,
                "gained": each.points if is_scored else 0,
                # After the first round, nobody is newer than others.
                "movement": before[each.player] - each.place if each.player in before else new,
            }
            for each in snapshot.standings[:TOP]
        ],
    }
    if snapshot.game.settings.teams:
        ranked = sorted(team_totals(totals, here).items(), key=lambda each: -each[1])
        view["teams"] = [
            {"name": name, "points": mean, "place": 1 + sum(other > mean for _, other in ranked)}
            for name, mean in ranked
        ]
    return view


def _question_count(play: rules.Play) -> int:
    if play.game.type is EngagementType.SURVEY:
        return len(play.questions)
    return len(play.state.played) + len(rules.questions_left(play))


def _survey(snapshot: Snapshot, role: Role) -> View:
    """Return the questions of a survey, and the results that this role may see."""
    play, state = snapshot.play, snapshot.state
    questions = [
        {"questionId": rules.question_id_of(index + 1), **question_view(question, play.game)}
        for index, question in enumerate(play.questions)
    ]
    shared = set(state.shared) if role not in DRIVERS else set(state.played)
    least = play.game.settings.min_cell
    results = [
        {
            "questionId": entry.question_id,
            "answers": entry.answers,
            "isHidden": entry.answers < least,
            "tally": entry.tally if entry.answers >= least else {},
            "isShared": entry.question_id in state.shared,
        }
        for entry in snapshot.rounds
        if entry.question_id in shared and entry.completed_at is not None
    ]
    return {
        "questions": questions if state.phase is not Phase.WAITING else [],
        "results": results,
        "minCell": least,
    }


def list_asked(
    play: rules.Play,
    asked: Iterable[entities.AudienceQuestion],
    players: Mapping[str, entities.Player],
) -> list[View]:
    """Return questions to the host, most votes first. Removed players do not count."""
    active = [each for each in players.values() if each.is_active]
    votes = Counter(each for player in active for each in player.upvotes)
    shown = [] if play.game.settings.is_anonymous else active
    names = {each.player_id: each.name for each in shown}
    ordered = sorted(asked, key=lambda each: (-votes[each.asked_id], each.asked_at))
    return [
        {"id": each.asked_id, "votes": votes[each.asked_id], "text": each.text}
        | {"name": names.get(each.player_id, ""), "status": rules.asked_status(each, play.state)}
        for each in ordered
    ]


def _host_view(snapshot: Snapshot) -> View:
    """Return what only hosts see: commands, players, and answers that wait for a decision."""
    state = snapshot.state
    return {
        "commands": available_commands(state.phase),
        "next": next_step_view(snapshot.play),
        "categories": [
            {
                "name": name,
                "isActive": not snapshot.game.active_categories
                or name in snapshot.game.active_categories,
                "left": sum(
                    question.category == name and index not in state.asked
                    for index, question in enumerate(snapshot.play.questions)
                ),
            }
            for name in snapshot.game.categories
        ],
        "players": [
            {
                "playerId": player.player_id,
                "name": player.name,
                "team": player.team,
                "isDone": player.player_id in snapshot.answered,
            }
            for player in sorted(snapshot.players.values(), key=lambda each: each.joined_at)
            if player.is_active
        ][:500],
        "done": snapshot.done,
        "pending": [
            {"answerId": each.answer_id, "questionId": each.question_id, "text": each.text}
            for each in snapshot.pending[:MAX_SHOWN]
        ],
        "pendingCount": len(snapshot.pending),
        # Answers that are not on ballots and in results, because the host did not approve them.
        "leftOut": snapshot.round.left_out if snapshot.round else 0,
        "hidden": [
            {"id": each.id, "text": each.text}
            for each in snapshot.ballot
            if snapshot.round and each.id in snapshot.round.hidden
        ],
        "liveTally": dict(snapshot.live_tally),
        "setName": snapshot.game.set_name,
    }


def next_step_view(play: rules.Play) -> View:
    """Return the command that moves the game on, its label, and the question after this one."""
    state, left = play.state, rules.questions_left(play)
    is_survey = play.game.type is EngagementType.SURVEY
    is_ranked = play.question is not None and kind_of(play.question).is_ranked
    after = "Next question" if left and not is_survey else "Finish the game"
    match state.phase:
        case Phase.WAITING:
            label = "Open the survey" if is_survey else "Start"
        case Phase.READING:
            label = "Open answers"
        case Phase.OPEN if is_survey:
            label = "Close the survey"
        case Phase.OPEN:
            label = "Close answers and vote" if is_ranked else "Close answers"
        case Phase.CHECKING if is_ranked:
            label = "Start the vote"
        case Phase.CHECKING | Phase.VOTING:
            label = "Show results"
        case Phase.REVEAL:
            label = "Leaderboard" if not is_survey and rules.is_leaderboard_due(play) else after
        case Phase.LEADERBOARD:
            label = after
        case Phase.PAUSED:
            label = "Continue"
        case Phase.ENDED:
            label = ""
    upcoming = play.questions[left[0]] if left and not is_survey else None
    return {
        "command": "resume" if state.phase is Phase.PAUSED else "next",
        "label": label,
        "question": upcoming and {"title": upcoming.title, "category": upcoming.category},
    }


class PlayerViews:
    """What concerns single players. A thousand views are made from one snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._texts = {each.id: each.text for each in _visible(snapshot)}
        self._places = {each.player: number for number, each in enumerate(snapshot.standings)}
        self._places_before = {each.player: each.place for each in snapshot.before}
        # The next player with more points, for each place in the standings.
        self._above: list[entities.Standing | None] = []
        above: entities.Standing | None = None
        previous: entities.Standing | None = None
        for each in snapshot.standings:
            if previous is not None and previous.total > each.total:
                above = previous
            self._above.append(above)
            previous = each

    def view(
        self,
        player: entities.Player,
        *,
        answers: Sequence[entities.Answer] = (),
        vote: entities.Vote | None = None,
        offered: Sequence[str] = (),
    ) -> View:
        """Return what concerns one player: own answers, what to rank, points and place."""
        snapshot, state = self._snapshot, self._snapshot.state
        phase = state.phase
        shown = state.paused_phase if phase is Phase.PAUSED and state.paused_phase else phase
        view: View = {
            "playerId": player.player_id,
            "version": state.version,
            "name": player.name,
            "team": player.team,
            "isActive": player.is_active,
            "questionId": state.question_id,
            "answers": {
                each.question_id: {
                    "text": each.text,
                    "choices": list(each.choices),
                    "number": each.number,
                    "status": each.status,
                }
                for each in answers
            },
            "vote": sorted(vote.votes, key=lambda each: vote.votes[each]) if vote else [],
            "upvotes": sorted(player.upvotes),
        }
        if shown is Phase.VOTING:
            shown_ids = [each for each in offered if each in self._texts]
            view["ballot"] = [{"id": each, "text": self._texts[each]} for each in shown_ids]
            view["required"] = required_ranks(len(shown_ids))
        asked = snapshot.play.question
        if shown is Phase.REVEAL and asked is not None:
            tally = kind_of(asked).tally
            view["own"] = [key for each in answers for key in tally(asked, rules.reply_of(each))]
        number = self._places.get(player.player_id)
        if number is not None:
            own = snapshot.standings[number]
            before = self._places_before.get(own.player)
            is_shown = shown in (Phase.REVEAL, Phase.LEADERBOARD, Phase.ENDED)
            view |= {"total": own.total, "place": own.place, "of": len(snapshot.standings)}
            if snapshot.is_scored and is_shown:
                view |= {
                    "gained": own.points,
                    "isCorrect": own.is_correct,
                    "isCounted": own.has_answered,
                    "streak": own.streak,
                    "movement": before and before - own.place,
                }
            above = self._above[number]
            if above is not None:
                view["above"] = {
                    "name": snapshot.name_of(above.player),
                    "points": above.total - own.total,
                }
        return view


def roster_view(players: Iterable[entities.Player]) -> View:
    """Return how many players there are, and the newest names with their teams."""
    active = [each for each in players if each.is_active]
    newest = sorted(active, key=lambda each: each.joined_at, reverse=True)[:NEWEST]
    return {
        "count": len(active),
        "names": tuple(each.name for each in newest),
        "teams": tuple(each.team for each in newest),
    }


def iso_time(moment: datetime | None) -> str | None:
    """Return a time as JSON has it."""
    return None if moment is None else moment.isoformat().replace("+00:00", "Z")
