"""What the administrator sees and does: all games, who is connected, and deleting them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from singletable import Page
from singletable_apps.games.entities import Game, GameEntry, GameState, Player, Process
from singletable_apps.games.phases import Phase
from singletable_apps.games.service.context import Context
from singletable_apps.games.service.games import Games

# A process that was killed is not counted after this time.
STALE = timedelta(seconds=15)


@dataclass(frozen=True, slots=True)
class GameStatus:
    """A game in the history. `state` is None if the game has expired."""

    entry: GameEntry
    state: GameState | None
    processes: Sequence[Process] = ()

    @property
    def is_running(self) -> bool:
        """Return whether the game has begun, and is not over."""
        return self.state is not None and self.state.phase not in (Phase.WAITING, Phase.ENDED)

    @property
    def players(self) -> int:
        """Return how many players are connected."""
        return sum(each.players for each in self.processes)


@dataclass(frozen=True, slots=True)
class GameDetails:
    """A game with the processes that serve it, which count who is connected."""

    game: Game
    state: GameState
    players: int
    processes: Sequence[Process]


class Admin:
    """Reads and deletes the games of all hosts."""

    def __init__(self, context: Context, games: Games) -> None:
        self._context = context
        self._games = games

    def list_games(self, size: int = 20, cursor: str | None = None) -> Page[GameStatus]:
        """Return a page of all games, newest first, with what happens in them now."""
        page = self._games.list_all(size, cursor)
        keys = [GameState.key(each.game_id) for each in page.items]
        states = self._context.store.get_many(keys, consistent=True)
        found = [
            GameStatus(entry, state, self._processes(entry.game_id) if state else ())
            for entry, state in zip(page.items, states, strict=True)
        ]
        return Page(found, page.cursor)

    def describe(self, game_id: str) -> GameDetails:
        """Return a game with its processes, or raise NotFound."""
        return GameDetails(
            self._context.get_game(game_id),
            self._context.get_state(game_id),
            self._context.store.count(Player.key.partition(game_id)),
            self._processes(game_id),
        )

    def delete_games(self, limit: int = 50) -> bool:
        """Delete the newest games, at most `limit`; return whether there are none left.

        Call it again until it returns True. The entry of a game in the history goes last, so an
        interrupted call is continued by the next one.
        """
        page = self._games.list_all(limit)
        for entry in page.items:
            self._games.delete(entry.game_id)
        return page.cursor is None

    def _processes(self, game_id: str) -> list[Process]:
        since = self._context.clock() - STALE
        found = self._context.store.query(Process.key.partition(game_id), consistent=True)
        return [each for each in found if each.seen_at > since]
