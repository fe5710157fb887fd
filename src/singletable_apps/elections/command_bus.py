"""How a command becomes events: decided on the table at N, appended as N+1, or decided again."""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from singletable import (
    AlreadyExists,
    ConnectionFailed,
    InternalError,
    SingleTableError,
    Store,
    TransactionConflict,
)
from singletable_apps.elections import patterns
from singletable_apps.elections.entities import Sync
from singletable_apps.elections.errors import Busy, RebuildInProgress
from singletable_apps.elections.events import Event, EventData, build_event
from singletable_apps.elections.projection import MAX_BATCH, apply_events, catch_up
from singletable_apps.elections.read_model import ReadModel

# A decision reads what it needs, and either says what happens or raises why nothing may.
Decision: TypeAlias = Callable[[ReadModel], Sequence[EventData]]

TRIES = 200
# So often events are sent again before it is said that nobody knows whether they were written.
AGAIN = 6


@dataclass(eq=False)
class _Command:
    """What somebody wants, and what became of it."""

    actor: str
    decide: Decision
    # Commands with different marks do not concern each other; those without one concern all.
    batch_key: int | None = None
    facts: Sequence[EventData] = ()
    events: list[Event] = field(default_factory=list[Event])
    error: Exception | None = None
    over: bool = False

    def end(self, error: Exception | None = None) -> None:
        """It is over: refused, failed, or done."""
        self.error = error
        self.over = True


class CommandBus:
    """Where commands are decided, one after the other in this process, and in turn with others."""

    def __init__(self, store: Store, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._clock = clock
        self._view = ReadModel(store)
        # Threads of one process would only meet at the log; here they wait for their turn.
        self._turn = threading.Lock()
        self._waiting: deque[_Command] = deque()

    def execute(self, actor: str, decide: Decision, *, batch_key: int | None = None) -> list[Event]:
        """Decide, append and apply; the events that it became. None is fine: nothing to do.

        Commands that wait with different marks do not concern each other: whoever has the turn
        takes them along, and they share the waits for the log and the table.
        """
        command = _Command(actor, decide, batch_key)
        self._waiting.append(command)
        with self._turn:
            while not command.over:
                taken = self._take()
                try:
                    self._carry_out(taken)
                except Exception as error:
                    _end(taken, error)
                except BaseException:  # this thread is stopped, and others wait for it
                    _end(taken, Busy("It was broken off, perhaps after it was written. Look."))
                    raise
        if command.error is not None:
            raise command.error
        return command.events

    def _take(self) -> list[_Command]:
        """The first that waits, and with it those after it that do not concern each other."""
        taken = [self._waiting.popleft()]
        marks = {taken[0].batch_key}
        while (
            self._waiting
            and len(taken) < MAX_BATCH
            and None not in marks
            and self._waiting[0].batch_key not in {None, *marks}
        ):
            taken.append(self._waiting.popleft())
            marks.add(taken[-1].batch_key)
        return taken

    def _carry_out(self, commands: list[_Command]) -> None:
        for attempt in range(TRIES):
            sync = catch_up(self._store)
            refused = [(one, self._decide(one)) for one in commands if not one.over]
            # Whoever builds the table anew says so before it drops anything: what was read
            # until now was whole. That holds for refusals, too.
            if self._is_still(sync):
                for one, error in refused:
                    if error is not None or not one.facts:
                        one.end(error)
                going = [one for one in commands if not one.over]
                if not going or self._append(going, sync):
                    return
            time.sleep(random.uniform(0, min(0.05, 0.001 * 2**attempt)))
        raise Busy(
            f"Others wrote to the log {TRIES} times while this was decided. Nothing was changed; "
            "ask again."
        )

    def _decide(self, command: _Command) -> Exception | None:
        # What was decided before, and not appended, never was.
        command.facts, command.events = (), []
        try:
            command.facts = command.decide(self._view)
        except Exception as error:
            return error
        return None

    def _is_still(self, sync: Sync) -> bool:
        """Whether the table is as it was: no event more in it, and no part of one."""
        now = self._view.get_sync()
        if now is None or now.rebuilding:
            return False
        return (now.last_event_id, now.step) == (sync.last_event_id, sync.step)

    def _append(self, commands: list[_Command], sync: Sync) -> bool:
        """Append what happens after the event that it was decided on, unless others did."""
        events: list[Event] = []
        for one in commands:
            one.events = []
            for fact in one.facts:
                last, previous = (
                    (events[-1].event_id, events[-1].hash)
                    if events
                    else (sync.last_event_id, sync.last_hash)
                )
                one.events.append(build_event(fact, last + 1, one.actor, self._clock(), previous))
                events.append(one.events[-1])
        if not self._put(events):
            return False
        try:
            apply_events(self._store, sync, events)
        except RebuildInProgress as late:
            raise RebuildInProgress(
                f"It is written, as event {events[-1].event_id} of the log at the latest, and the "
                "table is being built anew, where it will be seen. Do not ask for it again; look "
                "in a minute whether it is there."
            ) from late
        for one in commands:
            one.end()
        return True

    def _put(self, events: Sequence[Event]) -> bool:
        """Put them into the log, unless others were faster; sent again until that is known."""
        unknown: SingleTableError | None = None
        for attempt in range(AGAIN):
            try:
                self._send(events)
            except AlreadyExists as refusal:
                # A put whose answer was lost is sent again, and then meets itself.
                met = refusal.current
                return isinstance(met, Event) and met.hash == events[0].hash
            except (InternalError, ConnectionFailed) as lost:
                if isinstance(lost, ConnectionFailed) and not lost.may_have_arrived:
                    raise
                unknown = lost
            except TransactionConflict:  # somebody else's are on their way
                pass
            else:
                return True
            time.sleep(random.uniform(0, 0.01 * 2**attempt))
        if unknown is not None:
            raise unknown
        return False

    def _send(self, events: Sequence[Event]) -> None:
        if len(events) == 1:
            self._store.create(events[0])
            return
        with self._store.transaction(pattern=patterns.append) as together:
            for event in events:
                together.create(event)


def _end(commands: list[_Command], error: Exception) -> None:
    for one in commands:
        if not one.over:
            one.end(error)
