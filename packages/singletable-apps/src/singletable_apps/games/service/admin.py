"""The administrator's view: all games, connected players, and deletion."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from singletable import Page
from singletable_apps.games import patterns
from singletable_apps.games.entities import GameEntry, GameState
from singletable_apps.games.phases import Phase
from singletable_apps.games.service.context import Context
from singletable_apps.games.service.games import Games

# A process that was killed is not counted after this time.
STALE = timedelta(seconds=15)


@dataclass(frozen=True, slots=True)
class GameStatus:
    """A game in the history, without `state` if the game has expired."""

    entry: GameEntry
    state: GameState | None
    # Players who are connected.
    players: int = 0

    @property
    def is_running(self) -> bool:
        """Return whether the game has begun, and is not over."""
        return self.state is not None and self.state.phase not in (Phase.WAITING, Phase.ENDED)


class Admin:
    """Reads and deletes the games of all hosts."""

    def __init__(self, context: Context, games: Games) -> None:
        self._context = context
        self._games = games

    def list_games(self, size: int = 20, cursor: str | None = None) -> Page[GameStatus]:
        """Return a page of all games, newest first, with what happens in them now."""
        page = self._games.list_all(size, cursor)
        keys = [patterns.game_state(each.game_id) for each in page.items]
        states = self._context.store.get_many(keys, consistent=True)
        found = [
            GameStatus(entry, state, self._connected(entry.game_id) if state else 0)
            for entry, state in zip(page.items, states, strict=True)
        ]
        return Page(found, page.cursor)

    def delete_games(self, limit: int = 50) -> bool:
        """Delete the newest games, at most `limit`; return whether there are none left.

        Call it again until it returns True. The entry of a game in the history goes last, so an
        interrupted call is continued by the next one.
        """
        page = self._games.list_all(limit)
        for entry in page.items:
            self._games.delete(entry.game_id)
        return page.cursor is None

    def _connected(self, game_id: str) -> int:
        since = self._context.clock() - STALE
        found = self._context.store.run(patterns.processes, game_id)
        return sum(each.players for each in found if each.seen_at > since)
