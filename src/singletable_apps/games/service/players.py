"""Players: join, rename, change the team, remove."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from singletable import AlreadyExists as KeyExists
from singletable import ConditionFailed, Edit
from singletable_apps.games.entities import Game, Player, PlayerName
from singletable_apps.games.errors import AlreadyExists, GamesBusy, InvalidInput, RoomClosed
from singletable_apps.games.phases import Phase
from singletable_apps.games.service.context import Context
from singletable_apps.games.service.games import Games
from singletable_apps.games.tokens import Role, Seat, new_id
from singletable_apps.shared.text import InputChecks

MAX_NAME = 24
# Raises or corrects: what a player may be called in a game.
NameRule = Callable[[Game, str], str]


def any_name(_: Game, name: str) -> str:
    """Accept every name."""
    return name


@dataclass(frozen=True, slots=True)
class Joined:
    """A player who has joined, with the token that only this player has."""

    game: Game
    player: Player
    token: str


class Players:
    """Lets people join games, and hosts look after them."""

    def __init__(self, context: Context, games: Games, name_rule: NameRule = any_name) -> None:
        self._context = context
        self._games = games
        self._name_rule = name_rule
        # How many players a game has, and when that was counted.
        self._counts: dict[str, tuple[datetime, int]] = {}

    def join(self, game_id: str, name: str, *, team: str = "", access_code: str = "") -> Joined:
        """Join a game and return the player's token. A name can be taken once in a game."""
        context = self._context
        game = context.get_game(game_id, consistent=True)
        state = context.get_state(game_id)
        if state.phase is Phase.ENDED:
            raise RoomClosed("This game is over.")
        if game.is_locked or (not game.settings.late_join and state.phase is not Phase.WAITING):
            raise RoomClosed("The host has locked this game. Ask the host to let you in.")
        self._games.check_access_code(game, access_code)
        checks = InputChecks()
        chosen = self._check_name(checks, game, name)
        placed = self._check_team(checks, game, team)
        checks.raise_errors(InvalidInput)
        if self._count(game_id) >= game.settings.max_players:
            raise RoomClosed("This game is full.")
        now = context.clock()
        player = Player(
            game_id=game_id,
            player_id=new_id(),
            name=chosen,
            team=placed,
            joined_at=now,
            last_seen_at=now,
            expires_at=game.expires_at,
        )
        try:
            with context.store.transaction() as tx:
                tx.create(_name_item(player))
                tx.create(player)
        except KeyExists:
            raise _name_taken(chosen) from None
        context.notify(player)
        seat = Seat(Role.PLAYER, game_id, player.player_id)
        return Joined(game, player, context.tokens.seat_token(seat))

    def _count(self, game_id: str) -> int:
        """Return how many players a game has, counted at most every two seconds."""
        now = self._context.clock()
        known = self._counts.get(game_id)
        if known is None or now - known[0] > timedelta(seconds=2):
            if len(self._counts) > 1_000:
                self._counts.clear()
            known = (now, self._context.store.count(Player.key.partition(game_id)))
            self._counts[game_id] = known
        return known[1]

    def rename(self, game_id: str, player_id: str, name: str) -> Player:
        """Give a player another name, for results from now on and for those of before."""
        context, checks = self._context, InputChecks()
        game = context.get_game(game_id)
        player = context.get_player(game_id, player_id)
        chosen = self._check_name(checks, game, name)
        checks.raise_errors(InvalidInput)
        if chosen == player.name:
            return player
        before = player.name
        player.name = chosen
        try:
            with context.store.transaction() as tx:
                if chosen.casefold() != before.casefold():
                    tx.create(_name_item(player))
                    tx.delete(PlayerName.key(game_id, before))
                tx.update(
                    Player.key(game_id, player_id),
                    Player.name.set(chosen),
                    if_=Player.name == before,
                )
        except KeyExists:
            raise _name_taken(chosen) from None
        except ConditionFailed:
            raise GamesBusy("This player is being renamed right now. Try again.") from None
        context.notify(player)
        return player

    def set_team(self, game_id: str, player_id: str, team: str) -> Player:
        """Move a player to another team of the game."""
        checks = InputChecks()
        game = self._context.get_game(game_id)
        chosen = self._check_team(checks, game, team)
        checks.raise_errors(InvalidInput)
        self._context.get_player(game_id, player_id)
        return self._update(game_id, player_id, Player.team.set(chosen))

    def remove(self, game_id: str, player_id: str) -> Player:
        """Remove a player. The name stays taken, and the token is not accepted any more."""
        self._context.get_player(game_id, player_id)
        return self._update(game_id, player_id, Player.is_active.set(False))

    def _update(self, game_id: str, player_id: str, edit: Edit[Player]) -> Player:
        player = self._context.store.update(Player.key(game_id, player_id), edit)
        self._context.notify(player)
        return player

    def touch(self, game_id: str, player_id: str) -> None:
        """Note that a player is here."""
        key = Player.key(game_id, player_id)
        self._context.store.update(key, Player.last_seen_at.set(self._context.clock()))

    def _check_name(self, checks: InputChecks, game: Game, name: str) -> str:
        chosen = checks.line("name", name, longest=MAX_NAME, required=True)
        return self._name_rule(game, chosen) if "name" not in checks.errors else chosen

    def _check_team(self, checks: InputChecks, game: Game, team: str) -> str:
        teams = {each.casefold(): each for each in game.settings.teams}
        if teams and team.strip().casefold() not in teams:
            checks.reject("team", f"Choose a team: {', '.join(game.settings.teams)}.")
        return teams.get(team.strip().casefold(), "")


def _name_item(player: Player) -> PlayerName:
    return PlayerName(
        game_id=player.game_id,
        name=player.name,
        player_id=player.player_id,
        expires_at=player.expires_at,
    )


def _name_taken(name: str) -> AlreadyExists:
    return AlreadyExists({"name": f"Someone is called {name} already. Choose another name."})
