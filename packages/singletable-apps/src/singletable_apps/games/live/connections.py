"""The documented items of open connections, written and deleted in batches in the background."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta

from singletable import ConditionFailed
from singletable_apps.games.entities import Connection, Player
from singletable_apps.games.service.context import Context
from singletable_apps.games.tokens import DRIVERS, Role, Seat, new_id

# As the document says: sockets are closed by then, and items of a killed process expire.
LIFETIME = timedelta(hours=2)
REFRESH = timedelta(minutes=10)
# Leaving players are noted a few at a time, when a whole room goes home.
_NOTED_AT_ONCE = 25


class ConnectionItems:
    """The connections of one game to this process. `flush` blocks: call it in a thread."""

    def __init__(self, context: Context, game_id: str) -> None:
        self._context = context
        self._game_id = game_id
        self._open: dict[str, Connection] = {}
        self._new: dict[str, Connection] = {}
        self._closed: dict[str, Connection] = {}
        self._left: dict[str, datetime] = {}

    def add(self, member_id: str, seat: Seat, player: Player | None) -> None:
        """Note a member who has connected."""
        now = self._context.clock()
        self._left.pop(member_id, None)
        self._open[member_id] = self._new[member_id] = Connection(
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
        if known is not None and self._new.pop(member_id, None) is None:
            self._closed[member_id] = known
        if known is not None and known.role == Role.PLAYER:
            self._left[member_id] = self._context.clock()

    def flush(self) -> None:
        """Write and delete what has changed, and refresh old items."""
        now, store = self._context.clock(), self._context.store
        new, self._new = self._new, {}
        closed, self._closed = self._closed, {}
        for each in list(self._open.values()):
            if now - each.last_ping_at >= REFRESH:
                each.last_ping_at, each.expires_at = now, now + LIFETIME
                new[each.connection_id] = each
        if new:
            store.put_many(new.values())
        if closed:
            store.delete_many(Connection.key(each.connection_id) for each in closed.values())
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
