"""Read the data for the views of a game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from singletable_apps.games.entities import Answer, GameState, Player, Vote
from singletable_apps.games.kinds import OPINIONS, kind_of
from singletable_apps.games.phases import Phase
from singletable_apps.games.questions import EngagementType
from singletable_apps.games.rules import Play, place_present, tally_answers
from singletable_apps.games.service.answers import Answers
from singletable_apps.games.service.context import Context
from singletable_apps.games.service.game_store import GameStore
from singletable_apps.games.service.moderation import Moderation
from singletable_apps.games.service.rounds import Rounds
from singletable_apps.games.tokens import DRIVERS, Role
from singletable_apps.games.views import AnonymousAnswer, PlayerViews, Snapshot, View, public_view

# Players of a game are read again after this time, if nobody has said that they changed.
_ROSTER_AGE = timedelta(seconds=2)


class Snapshots:
    """Reads games for their views. Lists of players are kept for two seconds."""

    def __init__(
        self,
        context: Context,
        rounds: Rounds,
        store: GameStore,
        answers: Answers,
        moderation: Moderation,
    ) -> None:
        self._context, self._rounds, self._store = context, rounds, store
        self._answers, self._moderation = answers, moderation
        self._rosters: dict[str, tuple[datetime, dict[str, Player]]] = {}
        context.listeners.append(self._note)

    def _note(self, item: object) -> None:
        if isinstance(item, Player):
            self.forget_players(item.game_id)

    def forget_players(self, game_id: str) -> None:
        """Read the players of a game again next time."""
        self._rosters.pop(game_id, None)

    def players(self, game_id: str) -> dict[str, Player]:
        """Return the players of a game by id, at most two seconds old."""
        now = self._context.clock()
        known = self._rosters.get(game_id)
        if known is None or not timedelta() <= now - known[0] < _ROSTER_AGE:
            if len(self._rosters) > 1_000:
                self._rosters.clear()
            known = (now, {each.player_id: each for each in self._store.list_players(game_id)})
            self._rosters[game_id] = known
        return known[1]

    def read(self, game_id: str, *, state: GameState | None = None) -> Snapshot:
        """Do what is due, then read the game. Pass its newest `state` if it is known."""
        if state is None:
            state = self._rounds.finish_due(game_id)
        context, store = self._context, self._store
        game = context.get_game(game_id)
        play = Play(game, state, context.get_questions(game))
        entry, players = store.get_round(game_id, state.question_id), self.players(game_id)
        scored = state.scored
        previous = store.get_round(game_id, scored[-2]) if len(scored) > 1 else None
        is_survey = game.type is EngagementType.SURVEY
        is_survey_over = is_survey and state.phase in (Phase.REVEAL, Phase.ENDED)
        return Snapshot(
            play=play,
            round=entry,
            ballot=store.get_ballot(entry) if entry else (),
            standings=place_present(store.get_standings(state), players),
            before=store.get_result(previous) if previous else (),
            players=players,
            rounds=store.list_rounds(game_id) if is_survey_over else (),
            join_url=context.urls.absolute(context.urls.join(game.join_code)),
            asked=store.list_asked(game_id) if game.settings.takes_questions else (),
        )

    def for_hosts(self, snapshot: Snapshot) -> Snapshot:
        """Add data for hosts only: players with an answer, live counts, pending answers.

        Hosts read texts and opinions while people answer. If authors are secret, they learn only
        how many have answered: the next name would be that of the next text.
        """
        play, state = snapshot.play, snapshot.state
        answered: frozenset[str] = frozenset()
        pending: list[AnonymousAnswer] = []
        tally: dict[str, int] = {}
        question = play.question
        if question is not None and state.phase is Phase.OPEN:
            answers = self._store.list_answers(state.game_id, state.question_id)
            answered = frozenset(each.player_id for each in answers)
            pending = self._moderation.select(answers)
            if question.type in OPINIONS and play.game.settings.live_counts:
                tally = tally_answers(question, answers)
        elif state.phase in (Phase.OPEN, Phase.CHECKING):
            pending = self._moderation.list_pending(play)
        elif state.phase is Phase.VOTING:
            votes = self._store.list_votes(state.game_id, state.question_id)
            answered = frozenset(each.player_id for each in votes if not each.is_partial)
        kind = kind_of(question) if question else None
        is_quiz = kind is not None and kind.is_quiz and not kind.is_written
        return replace(
            snapshot,
            answered=answered if is_quiz or not play.game.settings.is_anonymous else frozenset(),
            done=len(answered),
            pending=pending,
            live_tally=tally,
        )

    def view(self, game_id: str, role: Role) -> View:
        """Return the current view of a role."""
        snapshot = self.read(game_id)
        return public_view(self.for_hosts(snapshot) if role in DRIVERS else snapshot, role)

    def player_view(self, snapshot: Snapshot, player_id: str) -> View:
        """Return what concerns one player now."""
        game_id, state = snapshot.game.game_id, snapshot.state
        player = snapshot.players.get(player_id) or self._context.get_player(game_id, player_id)
        vote = None
        if snapshot.round is not None and snapshot.ballot:
            vote = self._answers.find_vote(game_id, state.question_id, player_id)
        answers = self._answers.list_of_player(game_id, player_id, _answered_questions(snapshot))
        return self._view(snapshot, PlayerViews(snapshot), player, answers, vote)

    def player_views(self, snapshot: Snapshot, ids: Iterable[str]) -> dict[str, View]:
        """Return what concerns these players now. All answers are read at once."""
        game_id, store = snapshot.game.game_id, self._store
        answers = dict[str, list[Answer]]()
        for question_id in _answered_questions(snapshot):
            for answer in store.list_answers(game_id, question_id):
                answers.setdefault(answer.player_id, []).append(answer)
        votes: dict[str, Vote] = {}
        if snapshot.round is not None and snapshot.ballot:
            found = store.list_votes(game_id, snapshot.state.question_id)
            votes = {each.player_id: each for each in found}
        views = PlayerViews(snapshot)
        return {
            each: self._view(snapshot, views, player, answers.get(each, ()), votes.get(each))
            for each in ids
            if (player := snapshot.players.get(each)) is not None
        }

    def _view(
        self,
        snapshot: Snapshot,
        views: PlayerViews,
        player: Player,
        answers: Sequence[Answer],
        vote: Vote | None,
    ) -> View:
        offered = list[str]()
        if snapshot.round is not None and snapshot.ballot:
            offered = self._store.offered_to(snapshot.game, snapshot.round, player.player_id)
        return views.view(player, answers=answers, vote=vote, offered=offered)


def _answered_questions(snapshot: Snapshot) -> list[str]:
    """Return the questions with answers that players see: of a survey, all."""
    state = snapshot.state
    if snapshot.game.type is EngagementType.SURVEY:
        return state.played
    return [state.question_id] if state.question_id else []
