"""Each action happens once on a driver that fails as DynamoDB does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dynamodb_engine.faults import Faults, FaultyDriver, Next
from singletable_apps.polls.service import Polls
from tests.apps.polls.support.actions import ACTIONS, ON_EMPTY, Busy, copy_of
from tests.apps.polls.support.harness import check_counted, dump

pytestmark = pytest.mark.usefixtures("no_waits", "few_entries")


FAULTS = {
    "throttled": Faults(throttle=Next(2)),
    "unavailable": Faults(unavailable=Next(2)),
    "an error before": Faults(internal=Next(2)),
    "the first answer lost": Faults(internal_after=Next(1)),
    "several answers lost": Faults(internal_after=Next(3)),
    "many answers lost": Faults(internal_after=Next(12)),
    "in conflict": Faults(conflict=Next(2)),
    "a lost answer, then a conflict": Faults(internal_after=Next(1), conflict=Next(2)),
    "in progress": Faults(in_progress=Next(2)),
    **{
        f"all at once, {seed}": Faults(
            throttle=0.1, internal=0.1, internal_after=0.2, conflict=0.1, unprocessed=0.5,
            seed=seed,
        )
        for seed in range(2)
    },
}  # fmt: skip


def _votes(service: Polls, there: Busy) -> tuple[int, int]:
    tally = service.tallies.get
    return tally(there.managed.poll).votes, tally(there.empty.poll).votes


# What must hold after each action.
DONE: dict[str, Callable[[Polls, Busy], bool]] = {
    "vote": lambda s, b: _votes(s, b) == (8, 0),
    "change a vote": lambda s, b: (
        _votes(s, b) == (7, 0) and s.tallies.get(b.managed.poll).counts["1 0"] == 1
    ),
    "vote first": lambda s, b: _votes(s, b) == (7, 1),
    "close": lambda s, b: s.context.get_poll(b.managed.poll.id).closed,
    "change the title": lambda s, b: s.context.get_poll(b.managed.poll.id).title == "Title",
    "change the time": lambda s, b: s.context.get_poll(b.managed.poll.id).expires_at is not None,
    "change options": lambda s, b: (
        s.context.get_poll(b.empty.poll.id).candidates == ["Tea", "Milk"]
    ),
    # Codes whose response was lost are issued, but unknown.
    "issue codes": lambda s, b: s.context.get_poll(b.managed.poll.id).codes in range(15, 61, 5),
    "create": lambda s, b: len(s.lifecycle.list_created("maker", 9).items) == 3,
    "delete": lambda s, b: not any(b.managed.poll.id in item for item in dump(b.engine)),
    "keep a snapshot": lambda s, b: _votes(s, b) == (7, 0),
}


@pytest.mark.rest
@pytest.mark.parametrize("action", ACTIONS)
def test_actions_happen_once_despite_faults(base: Busy, action: str) -> None:
    for name, faults in FAULTS.items():
        there = copy_of(base)
        driver = FaultyDriver(there.engine)
        service = there.world.open(driver)
        driver.faults = faults
        ACTIONS[action](service, there)
        driver.faults = Faults()
        fresh = there.world.open()
        assert DONE[action](fresh, there), name
        if action != "delete":
            check_counted(there.world, there.empty if action in ON_EMPTY else there.managed)
        there.world.check_calls()


def test_faults_are_injected(base: Busy) -> None:
    there = copy_of(base)
    driver = FaultyDriver(there.engine)
    service = there.world.open(driver)
    driver.faults = FAULTS["all at once, 1"]
    ACTIONS["delete"](service, there)
    assert sum(driver.injected.values()) > 5
