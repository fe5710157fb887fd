"""The services of the apps do everything once, whatever happens to the responses of their store.

Each action runs with every pair of responses. An action that returns has happened once. One that
raises has not happened, or at most once if the outcome is unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from singletable import Driver, Engine, SingleTableError, Store
from singletable_apps.polls.service import Voter
from singletable_apps.portfolio.comment_rules import CommentDraft
from singletable_apps.portfolio.entities import Blog, PendingComment
from singletable_apps.portfolio.rules import PostDraft
from singletable_apps.shared.errors import Busy
from tests.apps.polls.support.harness import World as PollWorld
from tests.apps.polls.support.harness import votes_of
from tests.apps.portfolio.support.harness import World as PortfolioWorld
from tests.apps.portfolio.support.posts import store_post
from tests.apps.skills.service.test_endorsements import count_items, fill
from tests.apps.skills.support.world import World as SkillsWorld
from tests.apps.support.elections.world import PASSWORD, read_events
from tests.apps.support.elections.world import World as ElectionsWorld
from tools.testing.scripted_driver import Response, ScriptedDriver

RESPONSES: tuple[Response, ...] = ("lost after", "cut", "throttled", "conflict")
# Between a pair the store makes ten attempts of its own, so each lasts for one or for ten requests.
SCRIPTS = [
    first * times + second * times
    for times in (1, 10)
    for first, second in product([(one,) for one in RESPONSES], repeat=2)
]

# The action, on a service that uses the driver, and how often it has happened.
Action = tuple[Callable[[], object], Callable[[], int]]


def like(engine: Engine, driver: Driver) -> Action:
    world = PortfolioWorld(engine)
    store_post(world)
    likes = world.service.likes

    def happened() -> int:
        recount = likes.recount("tea")
        assert recount.counted == recount.markers
        return recount.markers

    service = world.open(driver)
    return lambda: service.likes.like("tea", "ada"), happened


def comment(engine: Engine, driver: Driver) -> Action:
    world = PortfolioWorld(engine)
    world.set_up()
    store_post(world)
    draft = CommentDraft("Bob", "Nice!", "bob@example.org")

    def happened() -> int:
        queue = PendingComment.key.partition()
        stored = len(list(Store(engine, clock=world.clock).query(queue)))
        assert stored >= len(world.mailbox.emails)
        return len(world.mailbox.emails)

    service = world.open(driver)
    return lambda: service.comments.submit("tea", draft, "bob"), happened


def post(engine: Engine, driver: Driver) -> Action:
    world = PortfolioWorld(engine)
    owner, draft = world.set_up(), PostDraft(title="Once", markdown="Text")
    service = world.open(driver)
    return (
        lambda: service.posts.create(owner, draft),
        lambda: sum(blog.title == "Once" for blog in Store(engine).admin.scan(Blog)),
    )


def vote(engine: Engine, driver: Driver) -> Action:
    world = PollWorld(engine)
    poll = world.made().poll

    service, voter = world.open(driver), Voter(browser="ada")
    return (
        lambda: service.voting.cast(poll.id, poll.candidates, voter),
        lambda: len(votes_of(engine, poll)),
    )


def endorse(engine: Engine, driver: Driver) -> Action:
    world = SkillsWorld(engine)
    fill(world)
    user = world.user("user0")

    def happened() -> int:
        counted, items = count_items(world)
        assert counted == items
        return items

    service = world.open(driver)
    return lambda: service.endorsements.endorse(user, "ada", "Go"), happened


def register(engine: Engine, driver: Driver) -> Action:
    world = ElectionsWorld(engine)
    before, people = world.event_count, world.open(driver).people
    return (
        lambda: people.register("Ada", "ada@example.org", PASSWORD),
        lambda: len(read_events(engine)) - before,
    )


@pytest.mark.parametrize("prepare", [like, comment, post, vote, endorse, register])
def test_actions_happen_once_despite_lost_responses(
    prepare: Callable[[Engine, Driver], Action], monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    for script in SCRIPTS:
        with Engine.in_memory() as engine:
            driver = ScriptedDriver(engine)
            act, happened = prepare(engine, driver)
            driver.script = iter(script)
            expected = {1}
            try:
                act()
            except SingleTableError as error:
                expected = {0, 1} if error.outcome_unknown else {0}
            except Busy:
                expected = {0, 1}
            assert happened() in expected, script
