"""After a random history on a driver with faults, the table has exactly the confirmed votes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from random import Random

import pytest
from msgspec import structs

from dynamodb_engine.faults import Faults, FaultyDriver
from singletable_apps.polls.entities import Protection
from singletable_apps.polls.errors import (
    AlreadyVoted,
    InvalidCode,
    PollClosed,
    PollHasVotes,
    RequestRejected,
)
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import Polls, Voter
from tests.apps.polls.support.harness import (
    OPTIONS,
    World,
    changed,
    check_counted,
    close,
    code,
    edit,
)

pytestmark = pytest.mark.usefixtures("no_waits")
MORE = ("Tea", "Milk", "Water")
FAULTS = Faults(
    throttle=0.05, internal=0.05, internal_after=0.1, conflict=0.05, unprocessed=0.3
)  # fmt: skip


class Walk:
    """Random operations from a seed, through services with faults, and the votes they confirmed."""

    def __init__(self, world: World, seed: int) -> None:
        self.world, self.chance = world, Random(seed)
        kind = self.chance.choice(list(Protection))
        self.managed = world.made(changed(PollDraft("Q", OPTIONS), protection=kind), codes=12)
        self.faulty = [FaultyDriver(world.driver), FaultyDriver(world.driver)]
        self.services = [world.open(driver) for driver in self.faulty]
        for number, driver in enumerate(self.faulty):
            driver.faults = structs.replace(FAULTS, seed=seed * 2 + number)
        self.confirmed: dict[str, list[str]] = {}
        self.outcomes: Counter[str] = Counter()
        self._actions: list[Callable[[Polls], object]] = [
            *[self._vote] * 14,
            *[self._read] * 4,
            lambda service: close(service, self.managed),
            *[self._reopen] * 2,
            self._edit_text,
            self._edit_options,
            self._issue_code,
            lambda service: service.tallies.recount(self.managed.poll),
        ]

    def step(self) -> None:
        """Run a random action, and count its outcome."""
        service = self.chance.choice(self.services)
        try:
            self.chance.choice(self._actions)(service)
        except RequestRejected as rejection:
            self.outcomes[type(rejection).__name__] += 1
        else:
            self.outcomes["done"] += 1

    def _vote(self, service: Polls) -> None:
        poll = service.context.get_poll(self.managed.poll.id)
        ranked = self.chance.sample(poll.candidates, self.chance.randint(1, len(poll.candidates)))
        number = self.chance.randrange(14)
        voter = Voter(f"b{number}", code(self.managed, number), f"r{number}", f"p{number}")
        cast = service.voting.cast(poll.id, ranked, voter)
        # A vote is confirmed as new only once.
        assert not (cast.is_new and cast.vote.id in self.confirmed)
        self.confirmed[cast.vote.id] = ranked

    def _read(self, service: Polls) -> None:
        outcome = service.results.compute(service.context.get_poll(self.managed.poll.id))
        assert outcome.tally.votes == len(self.confirmed)

    def _reopen(self, service: Polls) -> None:
        edit(service, self.managed, expires_at=self.world.clock() + timedelta(days=1))

    def _edit_text(self, service: Polls) -> None:
        changeable = self.chance.random() < 0.7
        edit(service, self.managed, title=f"Q{self.chance.random()}", changeable=changeable)

    def _edit_options(self, service: Polls) -> None:
        edit(service, self.managed, candidates=tuple(self.chance.sample(MORE, 3)))

    def _issue_code(self, service: Polls) -> None:
        service.codes.issue(self.managed.poll.id, self.managed.admin_key, 1)


@pytest.fixture(autouse=True)
def few_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take snapshots after a few entries."""
    monkeypatch.setattr("singletable_apps.polls.tally.MIN_NEW_ENTRIES", 6)


def _walk(world: World, seed: int, steps: int) -> Walk:
    walk = Walk(world, seed)
    for _ in range(steps):
        walk.step()
    assert sum(sum(driver.injected.values()) for driver in walk.faulty) > steps / 4
    for driver in walk.faulty:
        driver.faults = Faults()
    check_counted(world, walk.managed, walk.confirmed)
    for service in walk.services:
        assert service.tallies.recount(walk.managed.poll).agrees
    return walk


def test_history_matches_responses_on_every_driver(world: World) -> None:
    _walk(world, seed=5, steps=60)


@pytest.mark.rest
def test_random_histories_match_responses(memory: World) -> None:
    outcomes: Counter[str] = Counter()
    for seed in range(6):
        outcomes += _walk(memory, seed, 60).outcomes
    known = {one.__name__ for one in (AlreadyVoted, PollClosed, InvalidCode, PollHasVotes)}
    assert set(outcomes) == known | {"done"}
    assert outcomes["done"] > 120
