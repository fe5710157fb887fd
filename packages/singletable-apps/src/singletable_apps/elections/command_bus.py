"""Commands become events: decide on the poll book at event N, append N + 1, or decide again.

Two processes that decide at the same time both try to write event N + 1. One of them succeeds; the
other one catches up with the log and decides again (optimistic locking).
"""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from queue import SimpleQueue
from typing import TypeAlias

from singletable import AlreadyExists, SingleTableError, Store, TransactionConflict
from singletable_apps.elections import patterns
from singletable_apps.elections.entities import Sync, VoterId
from singletable_apps.elections.errors import RebuildInProgress
from singletable_apps.elections.events import Event, EventData, build_event
from singletable_apps.elections.keys import Keys
from singletable_apps.elections.poll_book import PollBook
from singletable_apps.elections.projection import MAX_BATCH, apply_until, catch_up
from singletable_apps.shared.errors import Busy

# An event that depends on its number in the log, which is only known when it is appended.
NumberedEvent: TypeAlias = Callable[[int], EventData]
# A decision reads what it needs, and returns the events to append or raises why it refuses.
Decision: TypeAlias = Callable[[PollBook], Sequence[EventData | NumberedEvent]]

# Seconds in which other processes may come first again and again; browsers wait a little longer.
MAX_WAIT = 25.0
# The longest pause, in seconds, in which others go first. Who wrote last has nothing to read before
# the next command, and would be the fastest again.
MAX_PAUSE = 1.0
# How often to send an append whose outcome is unknown before giving up.
MAX_SENDS = 6


@dataclass(eq=False)
class _Command:
    """A decision that waits for its turn, and its outcome."""

    actor: str
    decide: Decision
    batch_key: VoterId | None = None
    decided: Sequence[EventData | NumberedEvent] = ()
    events: list[Event] = field(default_factory=list[Event])
    error: Exception | None = None
    is_done: bool = False
    wake: SimpleQueue[None] = field(default_factory=SimpleQueue[None])

    def finish(self, error: Exception | None = None) -> None:
        """Record the outcome: done, or refused with `error`."""
        self.error = error
        self.is_done = True
        self.wake.put(None)


class CommandBus:
    """Executes commands one at a time in this process, and safely beside other processes.

    Decisions read the log through the poll book, and nothing from the table.
    """

    def __init__(
        self, store: Store, clock: Callable[[], datetime], keys: Keys, book: PollBook
    ) -> None:
        self._store = store
        self._clock = clock
        self._keys = keys
        self._book = book
        # Threads of one process would only conflict at the log, so one at a time leads.
        self._lock = threading.Lock()
        self._is_led = False
        self._pause = 0.0
        self._waiting: deque[_Command] = deque()

    def execute(
        self, actor: str, decide: Decision, *, batch_key: VoterId | None = None
    ) -> list[Event]:
        """Decide, append and apply. Return the events; none if there was nothing to do.

        Commands with different batch keys are independent. The thread that leads executes waiting
        commands together with its own, so that they share the round trips, and then lets the next
        one lead. A command without a batch key is executed alone.
        """
        command = _Command(actor, decide, batch_key)
        with self._lock:
            self._waiting.append(command)
            must_wait, self._is_led = self._is_led, True
        if must_wait:
            command.wake.get()
        if not command.is_done:
            try:
                self._lead(command)
            finally:
                with self._lock:
                    self._is_led = bool(self._waiting)
                    if self._is_led:
                        self._waiting[0].wake.put(None)
        if command.error is not None:
            raise command.error
        return command.events

    def _lead(self, command: _Command) -> None:
        """Execute batches until the command is done."""
        while not command.is_done:
            if self._pause > 0.001:
                time.sleep(random.uniform(0, self._pause))
            batch = self._take_batch()
            try:
                self._execute(batch)
            except Exception as error:
                _finish_all(batch, error)
            except BaseException:  # this thread is being stopped, and others wait for it
                _finish_all(batch, Busy("This was interrupted and may have been saved. Check it."))
                raise

    def _take_batch(self) -> list[_Command]:
        """Return the first waiting command and those after it that are independent of it."""
        with self._lock:
            batch = [self._waiting.popleft()]
            keys = {batch[0].batch_key}
            while (
                self._waiting
                and len(batch) < MAX_BATCH
                and None not in keys
                and self._waiting[0].batch_key not in {None, *keys}
            ):
                batch.append(self._waiting.popleft())
                keys.add(batch[-1].batch_key)
        return batch

    def _execute(self, commands: list[_Command]) -> None:
        began = time.monotonic()
        for attempt in count():
            sync = catch_up(self._store, self._book)
            self._book.follow(sync)
            decided = [
                (command, _decide(command, self._book))
                for command in commands
                if not command.is_done
            ]
            # The book may be ahead, because another thread has just read new events.
            if self._book.position == sync.last_event_id:
                for command, error in decided:
                    if error is not None or not command.decided:
                        command.finish(error)
                remaining = [command for command in commands if not command.is_done]
                if not remaining or self._append(remaining, sync):
                    lost = time.monotonic() - began if attempt else 0.0
                    self._pause = min(MAX_PAUSE, max(lost, self._pause / 2))
                    return
            if time.monotonic() - began > MAX_WAIT:
                raise Busy(
                    f"Other changes came first for {MAX_WAIT:.0f} seconds. Nothing was saved; try "
                    "again."
                )
            time.sleep(random.uniform(0, 0.001 * 2 ** min(attempt, 6)))

    def _append(self, commands: list[_Command], sync: Sync) -> bool:
        """Append the decided events after `sync`. Return False if another process was first."""
        events: list[Event] = []
        event_id, previous_hash = sync.last_event_id, sync.last_hash
        key = self._keys.ballot_key
        for command in commands:
            command.events = []
            for data in command.decided:
                event_id += 1
                numbered = data(event_id) if callable(data) else data
                now = self._clock()
                event = build_event(numbered, event_id, command.actor, now, previous_hash, key)
                previous_hash = event.hash
                command.events.append(event)
                events.append(event)
        if not self._put(events):
            return False
        self._book.enter(events)
        self._keys.save_checkpoint(events[-1])
        try:
            apply_until(self._store, self._book, sync, events[-1])
        except RebuildInProgress as error:
            raise RebuildInProgress(
                f"This was saved (event {events[-1].event_id} at the latest), but is not visible "
                "yet, because the table is being rebuilt. Do not send it again; check in a minute."
            ) from error
        for command in commands:
            command.finish()
        return True

    def _put(self, events: Sequence[Event]) -> bool:
        """Write the events to the log. Return False if other events were written first.

        Sending again is safe: the events have ids, and an event that is already there is
        recognized by its hash.
        """
        unknown_outcome: SingleTableError | None = None
        for attempt in range(MAX_SENDS):
            try:
                self._send(events)
            except AlreadyExists as error:
                existing = error.current
                return isinstance(existing, Event) and existing.hash == events[0].hash
            except TransactionConflict:  # another process is writing
                pass
            except SingleTableError as error:
                if error.outcome_unknown:
                    unknown_outcome = error
                elif unknown_outcome is None:
                    raise
                # Otherwise this error says nothing about the events that may have been written.
            else:
                return True
            time.sleep(random.uniform(0, 0.01 * 2**attempt))
        if unknown_outcome is not None:
            raise unknown_outcome
        return False

    def _send(self, events: Sequence[Event]) -> None:
        if len(events) == 1:
            self._store.create(events[0])
            return
        with self._store.transaction(pattern=patterns.append) as transaction:
            for event in events:
                transaction.create(event)


def _decide(command: _Command, book: PollBook) -> Exception | None:
    # An earlier attempt may have decided something that was not appended.
    command.decided, command.events = (), []
    try:
        command.decided = command.decide(book)
    except Exception as error:
        return error
    return None


def _finish_all(commands: list[_Command], error: Exception) -> None:
    for command in commands:
        if not command.is_done:
            command.finish(error)
