"""The store, secret, clock and settings that every part of the service works with."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock

from singletable import AsyncStore, Store, Transaction, retry_conflicts
from singletable_apps.games import patterns
from singletable_apps.games.entities import Game, GameState, Player, Round
from singletable_apps.games.errors import Busy, NotSeated, RoomClosed
from singletable_apps.games.questions import Question
from singletable_apps.games.tokens import NO_LINK, Actor, Role, Seat, Tokens
from singletable_apps.games.urls import Urls
from singletable_apps.shared.objects import Bucket
from singletable_apps.shared.service import check_found, utc_now

Listener = Callable[["Game | GameState | Player | Round"], None]
retry_busy = retry_conflicts(
    otherwise=lambda: Busy("Someone else is changing this game right now. Try again.")
)
_ID = re.compile(r"[0-9a-z]{16,26}")
# Games whose questions are kept in memory.
_CACHED_GAMES = 200
# For `Context.begun`, which the services of a process may share.
_BEGUN_LOCK = Lock()


def is_id(text: str) -> bool:
    """Return whether a text can be the id of a game, a player or a set, so that one may look."""
    return _ID.fullmatch(text) is not None


def has_link(seat: Seat, game: Game) -> bool:
    """Return whether the link that gave this seat has not been replaced, or it is not by a link."""
    is_by_link = seat.role is not Role.PLAYER and seat.generation != NO_LINK
    return not is_by_link or seat.generation == game.links.get(seat.role, 0)


@dataclass(frozen=True, slots=True)
class Context:
    """What every part of the service works with.

    `process_id` tells the processes of one table apart. `environment` is in the name of the table.
    """

    store: Store
    # The same database for an event loop, if it is embedded in this process.
    async_store: AsyncStore | None
    secret: bytes = field(repr=False)
    tokens: Tokens
    urls: Urls
    bucket: Bucket
    process_id: str
    clock: Callable[[], datetime] = utc_now
    environment: str = "dev"
    # Called in any thread after screens of a game have something new to show.
    listeners: list[Listener] = field(default_factory=list[Listener])
    _contents: dict[str, tuple[Question, ...]] = field(
        default_factory=dict[str, tuple[Question, ...]]
    )
    # The newest version of each state that this process has begun to write.
    begun: dict[str, int] = field(default_factory=dict[str, int])

    def notify(self, item: Game | GameState | Player | Round) -> None:
        """Tell listeners that this item of a game has changed."""
        for listener in self.listeners:
            listener(item)

    @contextmanager
    def write_state(self, state: GameState) -> Generator[Transaction]:
        """Write a state in a transaction, and tell listeners. `is_newest` knows it from now on."""
        with _BEGUN_LOCK:
            self.begun[state.game_id] = max(self.begun.get(state.game_id, 0), state.version + 1)
        with self.store.transaction() as tx:
            tx.put(state)
            yield tx
        self.notify(state)

    def is_newest(self, state: GameState) -> bool:
        """Return whether no newer state can be stored. Only an embedded database has one writer."""
        return self.async_store is not None and self.begun.get(state.game_id, 0) <= state.version

    def get_game(self, game_id: str, *, consistent: bool = False) -> Game:
        """Return a game, or raise NotFound."""
        key = patterns.game_metadata(game_id) if is_id(game_id) else None
        game = self.store.get(key, consistent=consistent) if key else None
        if game is None and key and not consistent:
            # It may have been created just now.
            game = self.store.get(key, consistent=True)
        return check_found(game, "Game not found. Please check the game ID.")

    def get_state(self, game_id: str) -> GameState:
        """Return the state of a game, or raise NotFound."""
        state = self.store.run(patterns.game_state, game_id) if is_id(game_id) else None
        return check_found(state, "Game not found. Please check the game ID.")

    def get_states(self, game_ids: Iterable[str]) -> dict[str, GameState]:
        """Return the states of games by id, without those that do not exist."""
        keys = map(patterns.game_state, filter(is_id, game_ids))
        found = self.store.get_many(keys, consistent=True)
        return {each.game_id: each for each in found if each}

    def get_player(self, game_id: str, player_id: str) -> Player:
        """Return a player of a game, or raise NotFound."""
        is_possible = is_id(game_id) and is_id(player_id)
        player = self.store.run(patterns.player, game_id, player_id) if is_possible else None
        return check_found(player, "There is no such player in this game.")

    def get_questions(self, game: Game) -> tuple[Question, ...]:
        """Return the questions of a game. They never change, so they are kept in memory."""
        found = self._contents.get(game.game_id)
        if found is None:
            parts = self.store.run(patterns.game_content, game.game_id)
            found = tuple(question for part in parts for question in part.questions)
            while len(self._contents) >= _CACHED_GAMES:
                self._contents.pop(next(iter(self._contents)), None)
            self._contents[game.game_id] = found
        return found

    def read_seat(self, token: str, game_id: str) -> tuple[Seat, Game]:
        """Return the seat that a token of any kind gives in this game, and the game."""
        return self.seat_of(self.tokens.read_actor(token), game_id)

    def seat_of(self, actor: Actor, game_id: str) -> tuple[Seat, Game]:
        """Return the seat of someone in this game, and the game.

        Raise NotSeated for a token of another game or a link that was replaced, and RoomClosed
        for a player who was removed.
        """
        game, seat = self.get_game(game_id), actor.seat
        if actor.is_admin:
            return Seat(Role.ADMIN, game_id, generation=NO_LINK), game
        if actor.host_id and actor.host_id == game.created_by:
            return Seat(Role.HOST, game_id, generation=NO_LINK), game
        if seat is None or seat.game_id != game_id:
            raise NotSeated("You are not in this game. Join it, or use the link of the host.")
        if seat.role is Role.PLAYER:
            if not self.get_player(game_id, seat.player_id).is_active:
                raise RoomClosed("The host has removed you from this game.")
        elif not has_link(seat, game):
            raise NotSeated("This link was replaced. Ask the host for a new one.")
        return seat, game

    def issue_seat(self, game: Game, role: Role) -> str:
        """Return the token of a role other than a player."""
        return self.tokens.seat_token(Seat(role, game.game_id, generation=game.links.get(role, 0)))
