"""Exchange counts and changes of a game with other processes.

Each process has one item per game. `changes` in it is a number that differs after each change of
players, settings or moderated answers: processes that see another number read them again.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta

from singletable import evolve
from singletable_apps.games import patterns
from singletable_apps.games.entities import Process
from singletable_apps.games.service.admin import STALE
from singletable_apps.games.service.context import Context

HEARTBEAT = timedelta(seconds=4)


class ProcessItems:
    """Writes the item of this process for one game, and reads those of the others.

    The methods block: call them in a thread. If it `is_alone`, there are no other processes.
    """

    def __init__(self, context: Context, game_id: str, *, is_alone: bool) -> None:
        self._context = context
        self._game_id = game_id
        self._is_alone = is_alone
        self._written: Process | None = None
        self._seen: dict[str, int] = {}

    def exchange(self, own: Process) -> tuple[list[Process], bool]:
        """Write the item of this process; return the others, and whether something has changed."""
        written = self._written
        if self._is_alone:
            # Only other processes want to know how many are done, and with what.
            own = evolve(own, question_id="", phase="", done=0)
        if (
            written is None
            or own.seen_at - written.seen_at >= HEARTBEAT
            or evolve(own, seen_at=written.seen_at) != written
        ):
            self._context.store.put(own)
            self._written = own
        if self._is_alone:
            return [], False
        found = self._context.store.run(patterns.processes, self._game_id)
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
