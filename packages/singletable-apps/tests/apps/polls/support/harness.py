"""A test world: a driver, a clock that tests move, and services on them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dynamodb_engine.testing import InterruptedDriver
from dynamodb_engine.testing.drivers import When
from singletable import Driver, Item, Store
from singletable.testing import StoreClock
from singletable_apps.polls.entities import Poll, PollSettings, Vote, polls
from singletable_apps.polls.patterns import patterns
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import CastVote, ManagedPoll, Polls, Viewer, Voter, open_polls
from singletable_apps.polls.service.results import PollResults
from singletable_apps.polls.tokens import Secret
from singletable_apps.polls.urls import Urls
from tests.apps.support.tables import all_items
from tests.apps.support.worlds import AppWorld

SECRET = Secret(b"of tests" * 4)
OPTIONS = ("Go", "Rust", "Python", "JavaScript")


class World(AppWorld[Polls]):
    """Polls."""

    patterns = patterns
    tables = (polls,)
    public = "https://polls.example"

    def open(self, driver: Driver | None = None, clock: StoreClock | None = None) -> Polls:
        """Another service on the same table, as another process would have it."""
        return open_polls(
            driver or self.driver,
            SECRET,
            clock=clock or self.clock,
            urls=Urls(public=self.public),
            observers=[self.calls.append],
        )

    def made(
        self, draft: PollDraft | None = None, codes: int = 0, browser: str = "maker"
    ) -> ManagedPoll:
        """Create a poll with this many codes."""
        service = self.service
        managed = service.lifecycle.create(draft or PollDraft("Best?", OPTIONS), browser)
        if codes:
            service.codes.issue(managed.poll.id, managed.admin_key, codes)
        return managed


def cast(
    service: Polls, managed: ManagedPoll, ranked: Sequence[str], voter: Voter | str
) -> CastVote:
    """Vote, with a browser or another proof of who votes."""
    who = Voter(voter) if isinstance(voter, str) else voter
    return service.voting.cast(managed.poll.id, ranked, who)


def changed(draft: PollDraft, **changes: Any) -> PollDraft:
    """Return the draft with other fields or settings."""
    settings = {name: changes.pop(name) for name in PollSettings.model_fields if name in changes}
    return replace(draft, **changes, settings=draft.settings.model_copy(update=settings))


def edit(
    service: Polls,
    managed: ManagedPoll,
    check: Callable[[int], None] = lambda revision: None,
    /,
    **changes: Any,
) -> Poll:
    """Change some fields of a poll."""

    def change(draft: PollDraft) -> PollDraft:
        return changed(draft, **changes)

    return service.lifecycle.edit(managed.poll.id, managed.admin_key, change, check=check)


def close(service: Polls, managed: ManagedPoll) -> Poll:
    return service.lifecycle.close(managed.poll.id, managed.admin_key)


def delete(service: Polls, managed: ManagedPoll) -> None:
    service.lifecycle.delete(managed.poll.id, managed.admin_key)


def results(service: Polls, managed: ManagedPoll, viewer: Viewer | None = None) -> PollResults:
    """Read the results, by default as anybody."""
    return service.results.get(managed.poll.id, viewer or Viewer())


def interrupted(
    world: World, when: When, what: Callable[[], object]
) -> tuple[Polls, InterruptedDriver]:
    """Open a service in which something else happens before one of its operations."""
    driver = InterruptedDriver(world.driver, when, before=what)
    return world.open(driver), driver


def code(managed: ManagedPoll, number: int) -> str:
    """Return a code of a poll."""
    return SECRET.voting_code(managed.poll.id, number)


def code_voter(managed: ManagedPoll, number: int) -> Voter:
    """Return a voter with a code, who proves to be the same one each time."""
    return Voter(code=code(managed, number), proof=f"proof of voter {number}")


def votes_of(driver: Driver, poll: Poll) -> dict[str, Vote]:
    """Read the votes in the table by id."""
    found = Store(driver).query(Vote.key.partition(poll.id), consistent=True)
    return {vote.id: vote for vote in found}


def check_counted(
    world: World, managed: ManagedPoll, confirmed: Mapping[str, Sequence[str]] | None = None
) -> int:
    """Fail unless all services count the same votes: the `confirmed` ones, if there are any."""
    poll = world.service.context.get_poll(managed.poll.id)
    votes = votes_of(world.driver, poll)
    if confirmed is not None:
        assert {one: vote.rankings for one, vote in votes.items()} == {
            one: list(ranked) for one, ranked in confirmed.items()
        }
    orders = [map(str, map(poll.candidates.index, vote.rankings)) for vote in votes.values()]
    counted = Counter(map(" ".join, orders))
    for service in (world.service, world.open()):
        recount = service.tallies.recount(poll)
        assert recount.agrees
        assert recount.votes == recount.by_entries.votes == len(votes)
        assert recount.by_entries.counts == counted
    assert world.service.results.compute(poll).tally.counts == counted
    return len(votes)


def items_of(driver: Driver) -> list[Item]:
    """All items of the table as they are stored."""
    return all_items(Store(driver), polls)


def dump(driver: Driver) -> list[str]:
    """All items of the table, each as text, in an order of their own."""
    return sorted(json.dumps(item, sort_keys=True) for item in items_of(driver))
