"""Questions of players to the host: ask, vote for them, and decide what becomes of them."""

from __future__ import annotations

from singletable_apps.games.entities import UNSEEN, AskedStatus, AudienceQuestion, Game, Player
from singletable_apps.games.errors import NotFound, RoomClosed
from singletable_apps.games.moderation import status_of_text
from singletable_apps.games.service.context import Context
from singletable_apps.games.service.game_store import GameStore
from singletable_apps.games.tokens import new_id
from singletable_apps.shared.text import InputChecks

LONGEST = 240
# Of one game, and of one player: everyone gets all of them.
MAX_ASKED, MAX_OF_PLAYER = 100, 10


class Audience:
    """Lets players ask, and hosts answer."""

    def __init__(self, context: Context, store: GameStore) -> None:
        self._context = context
        self._store = store

    def ask(self, game: Game, player_id: str, text: str) -> AudienceQuestion:
        """Ask the host. Sending the same text again changes nothing."""
        checks, known = InputChecks(), self._read(game, for_player=True)
        text = checks.line("text", text, longest=LONGEST, required=True)
        checks.raise_errors()
        own = {each.text: each for each in known.values() if each.player_id == player_id}
        if text in own:
            return own[text]
        if len(known) >= MAX_ASKED or len(own) >= MAX_OF_PLAYER:
            raise RoomClosed("There are many questions already. Vote for one of them.")
        asked = AudienceQuestion(
            game_id=game.game_id,
            asked_id=new_id(),
            player_id=player_id,
            text=text,
            status=AskedStatus(status_of_text(game.settings, text)),
            asked_at=self._context.clock(),
            expires_at=game.expires_at,
        )
        self._context.store.create(asked)
        self._context.notify(game)
        return asked

    def vote(self, game: Game, player_id: str, asked_id: str, *, is_on: bool) -> None:
        """Vote for a question that everyone sees, or take the vote back. Both can be repeated."""
        asked = self._read(game, for_player=True).get(asked_id)
        if asked is None or asked.status in UNSEEN:
            raise NotFound("There is no such question.")
        edit = Player.upvotes.add_members if is_on else Player.upvotes.remove_members
        self._context.store.update(Player.key(game.game_id, player_id), edit(asked_id))
        self._context.notify(game)

    def decide(self, game: Game, asked_id: str, status: AskedStatus) -> None:
        """Give a question a status. Shown large, it replaces another one until the phase ends."""
        known, now = self._read(game), self._context.get_state(game.game_id).phases_begun
        if asked_id not in known:
            raise NotFound("There is no such question.")
        changes = {asked_id: status}
        if status is AskedStatus.SHOWN:
            shown = [each for each, asked in known.items() if asked.status is status]
            changes = dict.fromkeys(shown, AskedStatus.VISIBLE) | changes
        for each, new in changes.items():
            self._context.store.update(
                AudienceQuestion.key(game.game_id, each),
                *(AudienceQuestion.status.set(new), AudienceQuestion.shown_in.set(now)),
            )
        self._context.notify(game)

    def _read(self, game: Game, *, for_player: bool = False) -> dict[str, AudienceQuestion]:
        """Return all questions by id; raise RoomClosed if players cannot ask now."""
        if for_player and not game.settings.takes_questions:
            raise RoomClosed("The host takes no questions right now.")
        return {each.asked_id: each for each in self._store.list_asked(game.game_id)}
