"""What must be so after a round: by the log, the table, and what clients were told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from drills.elections.opening import dump, events_of, store_on
from singletable import Driver
from singletable_apps.elections.errors import ElectionsError
from singletable_apps.elections.log import Event, check_entry
from singletable_apps.elections.projection import follow, rebuild

# The kind of an event that was acknowledged, and its mark.
Told = tuple[str, str]


def faults_in(driver: Driver, before: int, told: Sequence[Told], killed: int) -> list[str]:
    """What is wrong after `before` events and all that was told.

    Each who was killed may have a command in the log that nobody heard of.
    """
    events = events_of(driver)
    faults = [*_in_chain(events), *_in_marks(events[before:], told)]
    unheard = len(events) - before - len(told)
    if not 0 <= unheard <= killed:
        faults.append(
            f"{len(told)} commands were acknowledged and {killed} processes killed, and the log "
            f"has {len(events) - before} events more"
        )
    try:
        follow(store_on(driver))
        kept = dump(driver)
        rebuild(store_on(driver))
    except ElectionsError as error:
        return [*faults, f"the table does not follow: {error}"]
    different = set(kept) ^ set(dump(driver))
    return [*faults, *(f"the log alone gives another item: {item}" for item in different)]


def _in_chain(events: Sequence[Event]) -> list[str]:
    previous = ""
    for number, event in enumerate(events, 1):
        try:
            check_entry(event, number, previous)
        except ElectionsError as error:
            return [str(error)]
        previous = event.hash
    return []


def _in_marks(events: Sequence[Event], told: Sequence[Told]) -> list[str]:
    there = Counter((event.event_type, mark) for event in events if (mark := _mark(event)))
    twice = [f"{mark} is in the log {times} times" for mark, times in there.items() if times > 1]
    lost = [f"{mark} was acknowledged, and is not in the log" for mark in set(told) - set(there)]
    return twice + [fault for fault in lost if "''" not in fault]


def _mark(event: Event) -> str | None:
    match event.event_type:
        case "UserNameChanged":
            return str(event.event_data["new_name"])
        case "ElectionCreated":
            return str(event.event_data["name"])
        case "BallotCast":
            return event.event_data.get("confirmation")
        case _:
            return None
