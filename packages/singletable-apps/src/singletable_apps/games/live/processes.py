"""What a process writes of a game: what it knows, for other processes, and its connections.

Each process has one item per game. `changes` in it is a number that differs after each change of
players, settings or moderated answers: processes that see another number read them again.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from singletable import ConditionFailed, evolve
from singletable_apps.games.entities import Connection, Player, Process
from singletable_apps.games.service.context import Context
from singletable_apps.games.tokens import DRIVERS, Role, Seat, new_id

HEARTBEAT = timedelta(seconds=4)
# A process that was killed is not counted after this time.
STALE = timedelta(seconds=15)
# As the document says: sockets are closed by then, and items of a killed process expire.
LIFETIME = timedelta(hours=2)
REFRESH = timedelta(minutes=10)
# Leaving players are noted a few at a time, when a whole room goes home.
_NOTED_AT_ONCE = 25


@dataclass(frozen=True, slots=True)
class Counts:
    """How many are connected, and how many of the players have answered or voted."""

    players: int = 0
    done: int = 0
    hosts: int = 0
    screens: int = 0


class ProcessItems:
    """Writes the item of this process for one game, and reads those of the others.

    The methods block: call them in a thread.
    """

    def __init__(self, context: Context, game_id: str) -> None:
        self._context = context
        self._game_id = game_id
        self._written: Process | None = None
        self._seen: dict[str, int] = {}

    def exchange(self, own: Process) -> tuple[list[Process], bool]:
        """Write what this process knows; return the others, and whether something has changed."""
        written = self._written
        if (
            written is None
            or own.seen_at - written.seen_at >= HEARTBEAT
            or evolve(own, seen_at=written.seen_at) != written
        ):
            self._context.store.put(own)
            self._written = own
        query = Process.key.partition(self._game_id)
        found = self._context.store.query(query, consistent=True)
        others = [
            each
            for each in found
            if each.process_id != own.process_id and own.seen_at - each.seen_at < STALE
        ]
        seen = {each.process_id: each.changes for each in others}
        has_changed = any(self._seen.get(key) != changes for key, changes in seen.items())
        self._seen |= seen
        return others, has_changed

    def leave(self) -> None:
        """Delete the item of this process, because nobody is connected here."""
        self._context.store.delete(Process.key(self._game_id, self._context.process_id))


def add_up(own: Counts, others: Iterable[Process], question_id: str, phase: str) -> Counts:
    """Return the sums. Players of a process that is at another question have not answered yet."""
    players, done, hosts, screens = own.players, own.done, own.hosts, own.screens
    for each in others:
        players += each.players
        hosts += each.hosts
        screens += each.screens
        if (each.question_id, each.phase) == (question_id, phase):
            done += each.done
    return Counts(players, done, hosts, screens)


def announce_change(context: Context, game_id: str, expires_at: datetime) -> None:
    """Tell other processes about a change of a game that nobody here is connected to."""
    context.store.put(
        Process(
            game_id=game_id,
            process_id=context.process_id,
            changes=time.time_ns(),
            seen_at=context.clock(),
            expires_at=expires_at,
        )
    )


class ConnectionItems:
    """The connections of one game to this process. `flush` blocks: call it in a thread."""

    def __init__(self, context: Context, game_id: str) -> None:
        self._context = context
        self._game_id = game_id
        self._open: dict[str, Connection] = {}
        # The last pings that were written, by the id of the connection.
        self._stored: dict[str, datetime] = {}
        self._left: dict[str, datetime] = {}

    def add(self, member_id: str, seat: Seat, player: Player | None) -> None:
        """Note a member who has connected."""
        now = self._context.clock()
        self._left.pop(member_id, None)
        self._open[member_id] = Connection(
            connection_id=new_id(),
            game_id=self._game_id,
            role=seat.role.value,
            player_id=seat.player_id,
            name=player.name if player else "",
            is_host=seat.role in DRIVERS,
            process_id=self._context.process_id,
            connected_at=now,
            last_ping_at=now,
            expires_at=now + LIFETIME,
        )

    def remove(self, member_id: str) -> None:
        """Note a member who has left."""
        known = self._open.pop(member_id, None)
        if known is not None and known.role == Role.PLAYER:
            self._left[member_id] = self._context.clock()

    def flush(self) -> None:
        """Write and delete what has changed, and refresh old items."""
        now, store = self._context.clock(), self._context.store
        is_open = list(self._open.values())
        for each in is_open:
            if now - each.last_ping_at >= REFRESH:
                each.last_ping_at, each.expires_at = now, now + LIFETIME
        pings = {each.connection_id: each.last_ping_at for each in is_open}
        before, self._stored = self._stored, pings
        new = [each for each in is_open if before.get(each.connection_id) != each.last_ping_at]
        store.put_many(new)
        store.delete_many(map(Connection.key, before.keys() - pings.keys()))
        for player_id in list(self._left)[:_NOTED_AT_ONCE]:
            seen_at = self._left.pop(player_id, now)
            with suppress(ConditionFailed):  # the game was deleted
                key = Player.key(self._game_id, player_id)
                store.update(key, Player.last_seen_at.set(seen_at))

    def close(self) -> None:
        """Delete all items, because this process stops to serve the game."""
        for member_id in list(self._open):
            self.remove(member_id)
        self.flush()
