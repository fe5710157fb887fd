"""Players: join, rename, change the team, remove."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from singletable import AlreadyExists as KeyExists
from singletable import ConditionFailed, Edit
from singletable_apps.games import errors, patterns
from singletable_apps.games.entities import Game, Player, PlayerName
from singletable_apps.games.names import MAX_NAME, check_name, draw_names, name_key, similar_names
from singletable_apps.games.phases import Phase
from singletable_apps.games.questions import EngagementType
from singletable_apps.games.rules import is_due
from singletable_apps.games.service.context import Context
from singletable_apps.games.service.game_store import GameStore
from singletable_apps.games.service.games import Games
from singletable_apps.games.tokens import Role, Seat, new_id
from singletable_apps.shared.text import InputChecks

__all__ = ["MAX_LISTED_NAME", "MAX_NAME", "Joined", "Players", "balance_teams"]

# On the list of a homework, names are whole ones.
MAX_LISTED_NAME = 60


@dataclass(frozen=True, slots=True)
class Joined:
    """A newly joined player, with the token that only this player has."""

    game: Game
    player: Player
    token: str


@dataclass(slots=True)
class _Room:
    """How many active players a game has, and in which teams, when they were counted."""

    counted_at: datetime
    players: int
    teams: Counter[str]


class Players:
    """Lets people join games, and hosts look after them."""

    def __init__(self, context: Context, games: Games, store: GameStore) -> None:
        self._context, self._games, self._store = context, games, store
        self._rooms: dict[str, _Room] = {}

    def join(
        self, game_id: str, name: str = "", *, team: str = "", access_code: str = ""
    ) -> Joined:
        """Join a game and return the player's token.

        Names that look the same can be taken once in a game. If `name` is empty, one is drawn in a
        survey, where nobody sees it, and in a game with generated names. Without a team, the player
        gets into the smallest one.
        """
        context = self._context
        game = context.get_game(game_id, consistent=True)
        state = context.get_state(game_id)
        if game.homework and (state.phase is Phase.ENDED or is_due(state, context.clock())):
            raise errors.RoomClosed("This homework is closed. Nothing is accepted any more.")
        if state.phase is Phase.ENDED:
            raise errors.RoomClosed("This game is over.")
        if game.is_locked or (not game.settings.late_join and state.phase is not Phase.WAITING):
            raise errors.RoomClosed("The host has locked this game. Ask the host to let you in.")
        self._games.check_access_code(game, access_code)
        checks = InputChecks()
        is_survey = game.type is EngagementType.SURVEY and not game.homework
        is_drawn = (is_survey or game.settings.generated_names) and not name.strip()
        names = draw_names() if is_drawn else iter([self._check_name(checks, game, name)])
        placed = self._check_team(checks, game, team) if team.strip() else ""
        checks.raise_errors()
        room = self._count(game_id)
        if room.players >= game.settings.max_players:
            raise errors.RoomClosed("This game is full.")
        if game.settings.teams and not placed:
            placed = min(game.settings.teams, key=lambda each: room.teams[each])
        # Counted first: players who join at the same moment get into different teams.
        room.players += 1
        room.teams[placed] += 1
        player = self._create(game, names, placed)
        context.notify(player)
        seat = Seat(Role.PLAYER, game_id, player.player_id)
        return Joined(game, player, context.tokens.seat_token(seat))

    def follow(self, game: Game, player_id: str) -> Joined:
        """Take a player to the game after this one, with the same id, name and team."""
        context = self._context
        before = context.get_player(game.game_id, player_id)
        after = context.get_game(game.next_game)
        try:
            player = context.get_player(after.game_id, player_id)
        except errors.NotFound:
            team = before.team if before.team in after.settings.teams else ""
            player = self._create(after, iter([before.name]), team, player_id)
            context.notify(player)
        seat = Seat(Role.PLAYER, after.game_id, player_id)
        return Joined(after, player, context.tokens.seat_token(seat))

    def _create(self, game: Game, names: Iterator[str], team: str, player_id: str = "") -> Player:
        """Store a player with the first of these names that is free."""
        now, chosen = self._context.clock(), ""
        for chosen in names:
            player = Player(
                game_id=game.game_id,
                player_id=player_id or new_id(),
                name=chosen,
                team=team,
                joined_at=now,
                last_seen_at=now,
                expires_at=game.expires_at,
            )
            try:
                with self._context.store.transaction() as tx:
                    tx.create(_name_item(player))
                    tx.create(player)
            except KeyExists:
                continue
            return player
        self._rooms.pop(game.game_id, None)
        raise self._name_taken(game, chosen)

    def _count(self, game_id: str) -> _Room:
        """Return how many players a game has, counted at most every two seconds."""
        now = self._context.clock()
        known = self._rooms.get(game_id)
        if known is None or now - known.counted_at > timedelta(seconds=2):
            if len(self._rooms) > 1_000:
                self._rooms.clear()
            active = [each for each in self._store.list_players(game_id) if each.is_active]
            known = _Room(now, len(active), Counter(each.team for each in active))
            self._rooms[game_id] = known
        return known

    def suggest_names(self, game: Game, name: str = "", count: int = 3) -> list[str]:
        """Return names that are free: friendly ones, or some that are like a name."""
        candidates = [*islice(draw_names(), 8)]
        if name and not game.settings.generated_names:
            candidates = similar_names(name)[:8]
        items = [patterns.player_name(game.game_id, name_key(each)) for each in candidates]
        taken = {each.look for each in self._context.store.get_many(items) if each}
        return [each for each in candidates if name_key(each) not in taken][:count]

    def _name_taken(self, game: Game, name: str) -> errors.AlreadyExists:
        free = self.suggest_names(game, name)
        text = f"Someone is called {name} already. Choose another name."
        if _listed(game):
            text = f"{name} has begun already, on another device. Ask the host for your own link."
            return errors.AlreadyExists({"name": text})
        if free:
            text = f"Someone is called {name} already. How about {' or '.join(free[:2])}?"
        return errors.AlreadyExists({"name": text}, free)

    def rename(self, game_id: str, player_id: str, name: str) -> Player:
        """Give a player another name, for results from now on and for those of before."""
        context, checks = self._context, InputChecks()
        game = context.get_game(game_id)
        player = context.get_player(game_id, player_id)
        chosen = self._check_name(checks, game, name)
        checks.raise_errors()
        if chosen == player.name:
            return player
        before = player.name
        player.name = chosen
        try:
            with context.store.transaction() as tx:
                if name_key(chosen) != name_key(before):
                    tx.create(_name_item(player))
                    tx.delete(PlayerName.key(game_id, name_key(before)))
                tx.update(
                    Player.key(game_id, player_id),
                    Player.name.set(chosen),
                    if_=Player.name == before,
                )
        except KeyExists:
            raise self._name_taken(game, chosen) from None
        except ConditionFailed:
            raise errors.Busy("This player is being renamed right now. Try again.") from None
        context.notify(player)
        return player

    def set_team(self, game_id: str, player_id: str, team: str) -> Player:
        """Move a player to another team of the game."""
        checks = InputChecks()
        game = self._context.get_game(game_id)
        chosen = self._check_team(checks, game, team)
        checks.raise_errors()
        return self._update(game_id, player_id, Player.team.set(chosen))

    def remove(self, game_id: str, player_id: str) -> Player:
        """Remove a player. The name stays taken, and the token is not accepted any more."""
        return self._update(game_id, player_id, Player.is_active.set(False))

    def balance_teams(self, game_id: str) -> int:
        """Move as few players as possible, so that teams are equally large; return how many."""
        game = self._context.get_game(game_id, consistent=True)
        if not game.settings.teams:
            raise errors.InvalidInput({"teams": "This game has no teams."})
        members = {
            each.player_id: each.team
            for each in self._store.list_players(game_id)
            if each.is_active
        }
        moves = balance_teams(members, game.settings.teams)
        for player_id, team in moves.items():
            self._update(game_id, player_id, Player.team.set(team))
        self._rooms.pop(game_id, None)
        return len(moves)

    def _update(self, game_id: str, player_id: str, edit: Edit[Player]) -> Player:
        self._context.get_player(game_id, player_id)
        player = self._context.store.update(Player.key(game_id, player_id), edit)
        self._context.notify(player)
        return player

    def touch(self, game_id: str, player_id: str, seen_at: datetime) -> None:
        """Note when a player was here."""
        key = Player.key(game_id, player_id)
        self._context.store.update(key, Player.last_seen_at.set(seen_at))

    def _check_name(self, checks: InputChecks, game: Game, name: str) -> str:
        listed = _listed(game)
        longest = MAX_LISTED_NAME if listed else MAX_NAME
        chosen = checks.line("name", name, longest=longest, required=True)
        if "name" in checks.errors:
            return chosen
        if listed:
            if name_key(chosen) not in listed:
                checks.reject("name", "This name is not on the list. Type it as it is there.")
            return listed.get(name_key(chosen), chosen)
        try:
            return check_name(game.settings, chosen)
        except errors.InvalidInput as error:
            checks.reject("name", error.errors["name"])
            return chosen

    def _check_team(self, checks: InputChecks, game: Game, team: str) -> str:
        teams = {each.casefold(): each for each in game.settings.teams}
        if teams and team.strip().casefold() not in teams:
            checks.reject("team", f"Choose a team: {', '.join(game.settings.teams)}.")
        return teams.get(team.strip().casefold(), "")


def balance_teams(members: Mapping[str, str], teams: Sequence[str]) -> dict[str, str]:
    """Return a few moves of players to teams, so that sizes differ by one at most."""
    sizes = {team: [each for each in members if members[each] == team] for team in teams}
    least, more = divmod(len(members), len(teams))
    # The largest teams keep one player more.
    ordered = sorted(teams, key=lambda team: -len(sizes[team]))
    limits = {team: least + (place < more) for place, team in enumerate(ordered)}
    spare = [each for each in members if members[each] not in sizes]
    for team in teams:
        spare += sizes[team][limits[team] :]
    moves = iter(spare)
    return {
        each: team
        for team in teams
        for _, each in zip(range(limits[team] - len(sizes[team])), moves, strict=False)
    }


def _listed(game: Game) -> dict[str, str]:
    """Return the names on the list of a homework by how they look; none if they are free."""
    return {name_key(each): each for each in game.homework.names} if game.homework else {}


def _name_item(player: Player) -> PlayerName:
    return PlayerName(
        game_id=player.game_id,
        look=name_key(player.name),
        player_id=player.player_id,
        expires_at=player.expires_at,
    )
