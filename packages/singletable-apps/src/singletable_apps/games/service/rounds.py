"""Move games on: ask questions, close them, count, and show results.

Every transition is one write on the condition of the state's version, so of several hosts, timers
and processes that want the same transition, one does it. Answers and votes are counted in two
steps. The first one closes the phase: from then on, an answer is not accepted. The second one reads
the answers, computes the result, and writes it together with the next phase. If the process dies in
between, any other process does the second step again (`finish_due`). A game that is ended in the
middle of a question is closed in the same way, so that every answer that was accepted counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from singletable import ConditionFailed, Page, evolve, retry_conflicts
from singletable_apps.games import patterns, rules, scoring
from singletable_apps.games.entities import (
    Answer,
    AnswerStatus,
    BallotAnswer,
    Game,
    GameEntry,
    GameState,
    Player,
    Round,
    Standing,
)
from singletable_apps.games.errors import Busy, InvalidInput, WrongPhase
from singletable_apps.games.kinds import kind_of
from singletable_apps.games.phases import LIVE_PHASES, Command, Phase, Step, next_step
from singletable_apps.games.questions import EngagementType, Question, QuestionType
from singletable_apps.games.service.context import Context, retry_busy
from singletable_apps.games.service.game_store import GameStore
from singletable_apps.shared.service import check_found

# Answers that a host accepts after the question, the latest: they are in one item.
MAX_ACCEPTED = 50
_CHANGING = "This game is changing right now. Try again."
_NO_QUESTION = "This question does not exist any more."
# What counting changes in a round.
_COUNTED = (
    *("completed_at", "is_void", "ballot", "result"),
    *("answers", "votes", "tally", "left_out", "accepted"),
)


class _StillRunning(Exception):
    """Someone else has moved the game on, which was about to end."""


class Rounds:
    """Moves games from phase to phase."""

    def __init__(self, context: Context, store: GameStore) -> None:
        self._context = context
        self._store = store

    # -------------------------------------------------------------------------- commands

    def command(self, game_id: str, command: Command, *, version: int | None = None) -> GameState:
        """Execute a command and return the new state.

        `version` is the one that the sender saw. If the state has changed since, nothing is done:
        a second click, or a second host, does not skip a question.
        """
        play = self._store.load(game_id)
        # The end is the end, whatever has happened since.
        is_stale = version is not None and version != play.state.version
        if command is Command.END and not (is_stale and play.state.phase is Phase.ENDED):
            next_step(play.state.phase, command)
            return self._end(play)
        if is_stale or rules.is_interrupted(play.state):
            return self._finish_due(play)
        return self._take(play, next_step(play.state.phase, command))

    def finish_due(self, game_id: str) -> GameState:
        """Do what is due: a deadline has passed, or a count was interrupted. Return the state."""
        state = self._context.get_state(game_id)
        if not rules.is_due(state, self._context.clock()):
            return state
        return self._finish_due(self._store.load(game_id))

    def list_of_host(
        self, host_id: str, size: int = 20, cursor: str | None = None
    ) -> Page[GameEntry]:
        """Return a page of the games of a host, newest first, after doing what is due in them."""
        store, query = self._context.store, patterns.games_of_host(host_id)
        page = store.page(query, size, cursor=cursor, reverse=True)
        running = [each.game_id for each in page.items if each.completed_at is None]
        states, now = self._context.get_states(running).values(), self._context.clock()
        due = [each.game_id for each in states if rules.is_due(each, now)]
        for game_id in due:
            self.finish_due(game_id)
        return store.page(query, size, cursor=cursor, reverse=True) if due else page

    def _finish_due(self, play: rules.Play) -> GameState:
        state = play.state
        if state.closed_at is not None:
            state = self._finish(play)
            play = rules.Play(play.game, state, play.questions)
        if state.is_ending and state.phase is not Phase.ENDED:
            return self._end(play)
        if rules.is_interrupted(state) or not rules.is_due(state, self._context.clock()):
            return state
        if play.game.homework:
            return self._end(play)
        return self._take(play, next_step(state.phase, Command.TIME_UP))

    def extend(self, game_id: str, seconds: int, *, version: int | None = None) -> GameState:
        """Give players more time for the question or the vote. `version`: see `command`."""
        if not 1 <= seconds <= 600:
            raise InvalidInput({"seconds": "Use 1 to 600 seconds."})

        def extended(state: GameState) -> GameState:
            if state.deadline is None or state.phase not in (Phase.OPEN, Phase.VOTING):
                phases = (Phase.OPEN, Phase.VOTING)
                raise WrongPhase("No timer is running now.", state.phase, phases)
            return evolve(state, deadline=state.deadline + timedelta(seconds=seconds))

        return self._edit(game_id, extended, version)

    def share_results(self, game_id: str, question_ids: Sequence[str]) -> GameState:
        """Let players see the results of these survey questions, and of no others."""

        def shared(state: GameState) -> GameState:
            known = set(state.played)
            return evolve(state, shared=[each for each in question_ids if each in known])

        return self._edit(game_id, shared)

    def accept(self, game_id: str, answer_id: str, is_accepted: bool = True) -> GameState:
        """Count a typed answer as correct, or not any more, for all its authors."""
        play, phases = self._store.load(game_id), (Phase.CHECKING, Phase.REVEAL)
        state, question = play.state, play.question
        if question is None or question.type is not QuestionType.TYPED or state.is_void:
            raise InvalidInput({"answer": "Only typed answers can be accepted."})
        if state.phase not in phases or state.closed_at is not None:
            text = "You can accept an answer while you check answers, or with the results."
            raise WrongPhase(text, state.phase, phases)
        entry = check_found(self._store.get_round(game_id, state.question_id), _NO_QUESTION)
        answers = self._store.list_answers(game_id, state.question_id)
        find = self._context.tokens.answer_id
        texts = {find(game_id, each.question_id, each.player_id): each.text for each in answers}
        text = check_found(texts.get(answer_id), "There is no such answer.")
        others = [
            each for each in entry.accepted if scoring.fold_typed(each) != scoring.fold_typed(text)
        ]
        entry.accepted = [*others, text][-MAX_ACCEPTED:] if is_accepted else others
        after = evolve(state)
        if state.phase is Phase.CHECKING:
            return self._write(state, after, entry)
        # Only what was in time counts, and the points come after those of the round before.
        counted = {each.player for each in self._store.get_result(entry) if each.has_answered}
        answers = [each for each in answers if each.player_id in counted]
        scored = [each for each in state.scored if each != state.question_id]
        earlier = rules.Play(play.game, evolve(state, scored=scored), play.questions)
        points = self._score(earlier, entry, answers)
        return self._write_result(earlier, entry, after, answers, points)

    @retry_busy
    def _edit(
        self, game_id: str, edit: Callable[[GameState], GameState], version: int | None = None
    ) -> GameState:
        """Change a state, again if someone else has changed it meanwhile."""
        state = self._context.get_state(game_id)
        if version is not None and version != state.version:
            return state
        after = edit(state)
        with self._context.write_state(after):
            return after

    # -------------------------------------------------------------------------- steps

    def _take(self, play: rules.Play, step: Step) -> GameState:
        if step in (Step.CLOSE, Step.VOID):
            now, is_void = self._context.clock(), step is Step.VOID
            closed = evolve(play.state, closed_at=now, deadline=None, is_void=is_void)
            return self._close(play, closed)
        steps = {
            Step.ASK: self._ask,
            Step.OPEN: self._open,
            Step.REOPEN: self._reopen,
            Step.CONTINUE: self._continue,
            Step.PAUSE: self._pause,
            Step.RESUME: self._resume,
            Step.END: self._end,
        }
        return steps[step](play)

    def _write(self, before: GameState, after: GameState, entry: Round | None = None) -> GameState:
        """Write a state, with its round, unless someone else was faster; return the newest."""
        after.phases_begun += rules.running_phase(after) is not rules.running_phase(before)
        # A transaction can be repeated after a lost response, also if it is a single write.
        with suppress(ConditionFailed):
            with self._context.write_state(after) as tx:
                if entry is not None and before.question_id != entry.question_id:
                    tx.put(entry)
                elif entry is not None:
                    # Others may write its summary at the same time. If someone has hidden an
                    # answer since the round was read, it is counted again.
                    tx.update(
                        Round.key(entry.game_id, entry.question_id),
                        *(getattr(Round, name).set(getattr(entry, name)) for name in _COUNTED),
                        if_=Round.hidden.missing() | (Round.hidden == entry.hidden),
                    )
            return after
        return self._context.get_state(before.game_id)

    def _ask(self, play: rules.Play) -> GameState:
        """Show the next question, or end the game."""
        game, state, now = play.game, play.state, self._context.clock()
        if game.type is EngagementType.SURVEY:
            return self._open_survey(play) if not state.played else self._write_end(play)
        left = rules.questions_left(play)
        if not left:
            return self._write_end(play)
        index = left[0]
        question_id = rules.question_id_of(len(state.played) + 1)
        question = play.questions[index]
        asked = evolve(
            state,
            phase=Phase.READING,
            question_id=question_id,
            question_index=index,
            question_started_at=now,
            played=[*state.played, question_id],
            asked=[*state.asked, index],
            opened_at=None,
            deadline=now + timedelta(seconds=game.settings.reading_seconds),
            paused_seconds=0.0,
            is_void=False,
        )
        if not game.settings.reading_seconds:
            asked = self._opened(asked, rules.Play(game, asked, play.questions))
        entry = _round(game, question_id, index, question, now)
        return self._write(state, asked, entry)

    def _open_survey(self, play: rules.Play) -> GameState:
        """Open all questions of a survey at once, without a time limit."""
        opened = rules.open_all(play.state, len(play.questions), self._context.clock())
        return self._write(play.state, opened)

    def _open(self, play: rules.Play) -> GameState:
        return self._write(play.state, self._opened(play.state, play))

    def _opened(self, state: GameState, play: rules.Play) -> GameState:
        """Return the state in which answers are accepted."""
        now, question = self._context.clock(), play.question
        limit = rules.question_limit(play.game, question) if question else None
        return evolve(
            state,
            phase=Phase.OPEN,
            opened_at=now,
            deadline=None if limit is None else now + timedelta(seconds=limit),
        )

    def _close(self, play: rules.Play, closed: GameState) -> GameState:
        state = self._write(play.state, closed)
        if state.closed_at is None:
            return state  # someone else was faster, and has finished, too
        return self._finish(rules.Play(play.game, state, play.questions))

    def _finish(self, play: rules.Play) -> GameState:
        """Count what was closed, and write the result with the next phase."""
        game, state, question = play.game, play.state, play.question
        if state.phase is Phase.OPEN and self._has_pending(play):
            return self._write(state, evolve(state, closed_at=None, phase=Phase.CHECKING))
        if question is None:
            return self._finish_survey(play)
        now = self._context.clock()
        found = self._store.get_round(game.game_id, state.question_id)
        entry = check_found(found, _NO_QUESTION)
        entry.is_void, entry.completed_at = state.is_void, now
        after = evolve(state, closed_at=None, phase=Phase.REVEAL, deadline=self._auto(game, now))
        if state.is_void:
            return self._write(state, after, entry)
        if state.phase is Phase.VOTING:
            return self._finish_votes(play, entry, after)
        answers = self._store.list_answers(game.game_id, state.question_id)
        self._count(game, question, entry, answers)
        kind = kind_of(question)
        if kind.is_ranked:
            if len(self._store.get_ballot(entry)) < 2 or state.is_ending:
                return self._write_result(play, entry, after, answers, {})
            entry.completed_at = None
            seconds = game.settings.voting_seconds
            after.phase = Phase.VOTING
            after.opened_at = now
            after.deadline = now + timedelta(seconds=seconds) if seconds else None
            after.paused_seconds = 0.0
        if kind.is_quiz:
            points = self._score(play, entry, answers)
            return self._write_result(play, entry, after, answers, points)
        return self._write(state, after, entry)

    def _count(self, game: Game, question: Question, entry: Round, answers: list[Answer]) -> None:
        """Count the answers, and freeze the texts that others may see."""
        entry.answers = len(answers)
        entry.left_out = sum(each.status is not AnswerStatus.VISIBLE for each in answers)
        if not kind_of(question).is_ranked:
            entry.tally = rules.tally_answers(question, answers)
        if kind_of(question).is_written:
            self._store.store_ballot(entry, self._freeze(game, question, answers))

    def _has_pending(self, play: rules.Play) -> bool:
        """Return whether answers wait for the host, so that going on must be deliberate."""
        if play.state.is_void or play.state.is_ending:
            return False
        return any(each.status is AnswerStatus.PENDING for each in self._store.list_written(play))

    def _reopen(self, play: rules.Play) -> GameState:
        """Accept answers or votes for some more seconds. They are counted again after that."""
        game, state, question = play.game, play.state, play.question
        if question is None:
            raise WrongPhase("A survey is closed for good.", state.phase, (Phase.OPEN,))
        now, ballot = self._context.clock(), tuple[BallotAnswer, ...]()
        entry = self._store.get_round(game.game_id, state.question_id)
        if entry and state.phase is Phase.REVEAL and kind_of(question).is_ranked:
            ballot = self._store.get_ballot(entry)
        opened = evolve(
            state,
            phase=Phase.VOTING if len(ballot) > 1 else Phase.OPEN,
            opened_at=state.opened_at or now,
            deadline=now + rules.REOPENED,
            scored=[each for each in state.scored if each != state.question_id],
            is_void=False,
        )
        return self._write(state, opened)

    def _finish_votes(self, play: rules.Play, entry: Round, after: GameState) -> GameState:
        game, state = play.game, play.state
        ballot = [each for each in self._store.get_ballot(entry) if each.id not in entry.hidden]
        votes = self._store.list_votes(game.game_id, state.question_id)
        entry.votes = len(votes)
        # Votes and quiz questions are worth the same in one game.
        has_quiz = any(kind_of(each).is_quiz for each in play.questions)
        score = scoring.score_votes(
            game.settings.rank_method,
            [answer.id for answer in ballot],
            {answer.id: answer.players for answer in ballot},
            {vote.player_id: rules.ranking_of(vote) for vote in votes},
            offered={
                vote.player_id: self._store.offered_to(game, entry, vote.player_id)
                for vote in votes
            },
            most=rules.points_of(game, play.question) if has_quiz and play.question else None,
        )
        entry.tally = score.answers
        answers = self._store.list_answers(game.game_id, state.question_id)
        points = {player: scoring.TriviaScore(gained) for player, gained in score.points.items()}
        return self._write_result(play, entry, after, answers, points)

    def _finish_survey(self, play: rules.Play) -> GameState:
        """Count all questions of a survey or a homework, then close it. It can be repeated."""
        game, state, now = play.game, play.state, self._context.clock()
        counted = {each.question_id: each for each in self._store.list_rounds(game.game_id)}
        players = [each for each in self._store.list_players(game.game_id) if each.is_active]
        before = {each.player_id: Standing(each.player_id, 0, 0, 0) for each in players}
        scored = list[str]()
        for index, question in enumerate(play.questions):
            question_id = rules.question_id_of(index + 1)
            if known := counted.get(question_id):
                before |= {each.player: each for each in self._store.get_result(known)}
                scored += [question_id] if known.result else []
                continue
            answers = self._store.list_answers(game.game_id, question_id)
            entry = _round(game, question_id, index, question, state.opened_at or now)
            entry.completed_at, entry.is_void = now, state.is_void
            self._count(game, question, entry, answers)
            if kind_of(question).is_quiz and not state.is_void:
                points = rules.score_round(game, question, answers, before)
                standings = rules.rank_round(question, before, answers, points)
                self._store.store_result(entry, standings)
                before = {each.player: each for each in standings}
                scored.append(question_id)
            # The first one counts: others have read the same answers.
            with suppress(ConditionFailed), self._context.store.transaction() as tx:
                tx.create(entry)
        after = evolve(state, closed_at=None, phase=Phase.REVEAL, scored=scored)
        return self._write(state, after)

    def _continue(self, play: rules.Play) -> GameState:
        if not rules.is_leaderboard_due(play):
            return self._ask(play)
        deadline = self._auto(play.game, self._context.clock())
        after = evolve(play.state, phase=Phase.LEADERBOARD, deadline=deadline)
        return self._write(play.state, after)

    def _pause(self, play: rules.Play) -> GameState:
        state, now = play.state, self._context.clock()
        left = None if state.deadline is None else (state.deadline - now).total_seconds()
        paused = evolve(
            state,
            phase=Phase.PAUSED,
            paused_phase=state.phase,
            remaining=None if left is None else max(0.0, left),
            deadline=None,
            paused_at=now,
        )
        return self._write(state, paused)

    def _resume(self, play: rules.Play) -> GameState:
        state, now = play.state, self._context.clock()
        left, paused_at = state.remaining, state.paused_at or now
        # A clock may have been set back.
        paused = max(0.0, (now - paused_at).total_seconds())
        resumed = evolve(
            state,
            phase=state.paused_phase or Phase.WAITING,
            paused_phase=None,
            remaining=None,
            paused_at=None,
            deadline=None if left is None else now + timedelta(seconds=left),
            paused_seconds=state.paused_seconds + paused,
        )
        return self._write(state, resumed)

    def _end(self, play: rules.Play) -> GameState:
        """End the game. A question that is being played is closed and counted first."""
        state = play.state

        def now() -> rules.Play:
            return rules.Play(play.game, state, play.questions)

        @retry_conflicts(also=[_StillRunning], otherwise=lambda: Busy(_CHANGING))
        def end() -> GameState:
            nonlocal state
            if state.closed_at is not None:
                state = self._finish(now())
            if state.closed_at is None and rules.running_phase(state) in LIVE_PHASES:
                state = self._close(now(), self._ending(state))
            can_end = rules.running_phase(state) not in (*LIVE_PHASES, Phase.ENDED)
            if state.closed_at is None and can_end:
                state = self._write_end(now())
            if state.phase is not Phase.ENDED:
                raise _StillRunning
            return state

        return end()

    def _ending(self, state: GameState) -> GameState:
        """Return the state in which the current question is counted, and then the game ends."""
        phase = rules.running_phase(state)
        return evolve(
            state,
            phase=phase,
            paused_phase=None,
            remaining=None,
            paused_at=None,
            deadline=None,
            closed_at=self._context.clock(),
            # Nobody could answer while it was read out.
            is_void=state.is_void or phase is Phase.READING,
            is_ending=True,
        )

    def _write_end(self, play: rules.Play) -> GameState:
        """Copy the outcome to the players, then end the game and note it in the history."""
        game, state, now = play.game, play.state, self._context.clock()
        self._copy_scores(game.game_id, state)
        players = sum(each.is_active for each in self._store.list_players(game.game_id))
        ended = evolve(
            state,
            phase=Phase.ENDED,
            deadline=None,
            is_ending=False,
            phases_begun=state.phases_begun + 1,
        )
        with suppress(ConditionFailed):
            with self._context.write_state(ended) as tx:
                tx.update(
                    GameEntry.key(game.game_id),
                    GameEntry.completed_at.set(now),
                    GameEntry.player_count.set(players),
                    GameEntry.question_count.set(len(state.played)),
                    GameEntry.duration.set(round((now - game.created_at).total_seconds() / 60)),
                )
            return ended
        return self._context.get_state(game.game_id)

    def _auto(self, game: Game, now: datetime) -> datetime | None:
        """Return when the game goes on by itself, or None."""
        seconds = game.settings.auto_seconds
        return now + timedelta(seconds=seconds) if seconds else None

    # -------------------------------------------------------------------------- counting

    def _freeze(
        self, game: Game, question: Question, answers: Iterable[Answer]
    ) -> list[BallotAnswer]:
        """Return the answers that others may see, equal ones merged, in the order of their ids."""
        visible = {
            each.player_id: each.text for each in answers if each.status is AnswerStatus.VISIBLE
        }
        question_id = next((each.question_id for each in answers), "")
        fold = scoring.fold_typed if kind_of(question).is_quiz else scoring.fold_answer
        frozen = [
            BallotAnswer(
                self._context.tokens.answer_id(game.game_id, question_id, group.players[0]),
                group.text,
                tuple(group.players),
            )
            for group in scoring.merge_answers(visible, fold)
        ]
        return sorted(frozen, key=lambda each: each.id)

    def _score(
        self, play: rules.Play, entry: Round, answers: Iterable[Answer]
    ) -> dict[str, scoring.TriviaScore]:
        """Return the scores of the answers to a quiz question, by player."""
        before = {each.player: each for each in self._store.get_standings(play.state)}
        return rules.score_round(play.game, rules.judged_question(play, entry), answers, before)

    def _write_result(
        self,
        play: rules.Play,
        entry: Round,
        after: GameState,
        answers: Iterable[Answer],
        points: dict[str, scoring.TriviaScore],
    ) -> GameState:
        """Write the standings after this round, the round and the next phase."""
        state, question = play.state, play.question
        players = self._store.list_players(play.game.game_id)
        active = [each.player_id for each in players if each.is_active]
        before = {each: Standing(each, 0, 0, 0) for each in active}
        known = self._store.get_standings(state)
        before |= {each.player: each for each in known if each.player in before}
        self._store.store_result(entry, rules.rank_round(question, before, answers, points))
        after.scored = [*state.scored, entry.question_id]
        return self._write(state, after, entry)

    def _copy_scores(self, game_id: str, state: GameState) -> None:
        """Copy totals and places to the players, which takes a second for a thousand of them."""
        if not state.scored:
            return
        through = state.scored[-1]
        for each in self._store.get_standings(state):
            try:
                self._context.store.update(
                    Player.key(game_id, each.player),
                    Player.total_score.set(each.total),
                    Player.rank.set(each.place),
                    Player.scored_through.set(through),
                    if_=Player.scored_through < through,
                )
            except ConditionFailed:
                continue


def _round(game: Game, question_id: str, index: int, question: Question, now: datetime) -> Round:
    return Round(
        game_id=game.game_id,
        question_id=question_id,
        index=index,
        source=f"{question.category}#{index + 1:03d}",
        set_id=game.set_id,
        category=question.category,
        started_at=now,
        expires_at=game.expires_at,
    )
