"""How a command becomes events: decided on the table at N, appended as N+1, or decided again."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeAlias

from singletable import AlreadyExists, Store, TransactionConflict
from singletable_apps.elections import patterns
from singletable_apps.elections.entities import Sync
from singletable_apps.elections.errors import Busy
from singletable_apps.elections.facts import Fact
from singletable_apps.elections.log import Event, event_of
from singletable_apps.elections.projection import advance, follow
from singletable_apps.elections.view import View

# A decision reads what it needs, and either says what happens or raises why nothing may.
Decision: TypeAlias = Callable[[View], Sequence[Fact]]

TRIES = 200


class Desk:
    """Where commands are decided, one after the other in this process, and in turn with others."""

    def __init__(self, store: Store, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._clock = clock
        self._view = View(store)
        # Threads of one process would only meet at the log; here they wait for their turn.
        self._turn = threading.Lock()

    def carry_out(self, actor: str, decide: Decision) -> list[Event]:
        """Decide, append and apply; the events that it became. None is fine: nothing to do."""
        with self._turn:
            for attempt in range(TRIES):
                sync = follow(self._store)
                facts = decide(self._view)
                if not facts:
                    return []
                # Whoever builds the table anew says so before it drops anything: what was read
                # until now was whole.
                if self._is_still(sync) and (events := self._append(actor, facts, sync)):
                    advance(self._store, sync, events)
                    return events
                time.sleep(random.uniform(0, min(0.05, 0.001 * 2**attempt)))
        raise Busy(
            f"Others wrote to the log {TRIES} times while this was decided. Nothing was changed; "
            "ask again."
        )

    def _is_still(self, sync: Sync) -> bool:
        now = self._view.sync()
        return now is not None and now.last_event_id == sync.last_event_id and not now.rebuilding

    def _append(self, actor: str, facts: Sequence[Fact], sync: Sync) -> list[Event]:
        """Append the facts after the event that they were decided on; none if others did."""
        events: list[Event] = []
        previous = sync.last_hash
        for number, fact in enumerate(facts, sync.last_event_id + 1):
            events.append(event_of(fact, number, actor, self._clock(), previous))
            previous = events[-1].hash
        try:
            if len(events) == 1:
                self._store.create(events[0])
            else:
                with self._store.transaction(pattern=patterns.append) as together:
                    for event in events:
                        together.create(event)
        except AlreadyExists as refusal:
            # A put whose answer was lost is sent again, and then meets itself.
            met = refusal.current
            return events if isinstance(met, Event) and met.hash == events[0].hash else []
        except TransactionConflict:
            return []
        return events
