"""With many writers at once, nothing is lost or duplicated, and the log has no gap."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest

from singletable import Driver
from singletable_apps.elections import command_bus
from singletable_apps.elections.command_bus import CommandBus
from singletable_apps.elections.entities import User
from singletable_apps.elections.errors import RebuildInProgress, WrongState
from singletable_apps.elections.proofs.merkle import MerkleTree
from singletable_apps.elections.rebuild import rebuild
from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import Elections, ElectionSettings
from singletable_apps.shared.errors import AlreadyExists, Busy, RequestRejected
from tests.apps.support.elections.checks import check_consistency
from tests.apps.support.elections.world import (
    KEYS,
    PASSWORD,
    World,
    ballot,
    dump_items,
    open_store,
    read_events,
)

WRITERS = 16
T = TypeVar("T")


@pytest.fixture
def worlds(drivers: tuple[Driver, Driver]) -> list[World]:
    """Return two services with their own drivers on the same tables, like two processes."""
    first = World(drivers[0])
    return [first, World(drivers[1], first.clock)]


def run_at_once(commands: Sequence[Callable[[], T]]) -> list[T | RequestRejected]:
    """Run the commands at the same time, and return their results or refusals."""
    begin = threading.Barrier(len(commands))

    def run(command: Callable[[], T]) -> T | RequestRejected:
        begin.wait()
        try:
            return command()
        except RequestRejected as refusal:
            return refusal

    with ThreadPoolExecutor(len(commands)) as pool:
        return list(pool.map(run, commands))


def _services(worlds: Sequence[World], count: int = 4) -> list[Elections]:
    return [worlds[number % len(worlds)].open() for number in range(count)]


def _check(world: World) -> None:
    check_consistency(world)
    before = dump_items(world.driver)
    rebuild(open_store(world.driver), KEYS.ballot_key)
    assert dump_items(world.driver) == before
    world.check_calls()


def test_exactly_one_of_the_first_users_becomes_owner(worlds: list[World]) -> None:
    services = _services(worlds)
    joined = run_at_once(
        [
            lambda n=n: services[n % 4].people.register(  # type: ignore[misc]
                f"User {n}", f"user{n}@example.org", PASSWORD
            )
            for n in range(WRITERS)
        ]
    )
    users = [one for one in joined if isinstance(one, User)]
    assert len(users) == WRITERS
    assert Counter(user.role for user in users) == {Role.OWNER: 1, Role.USER: WRITERS - 1}
    assert min(users, key=lambda user: user.user_id).role is Role.OWNER
    assert worlds[0].event_count == WRITERS
    _check(worlds[0])


@pytest.mark.parametrize("field", ["name", "email"])
def test_name_or_email_is_given_to_one_of_many(worlds: list[World], field: str) -> None:
    services = _services(worlds)
    spellings = ["Ada", "ADA", "ada", "aDA"]

    def command(n: int) -> Callable[[], User]:
        name = spellings[n % 4] if field == "name" else f"User {n}"
        local = spellings[(n + 1) % 4] if field == "email" else f"user{n}"
        return lambda: services[n % 4].people.register(name, f"{local}@example.org", PASSWORD)

    results = run_at_once([command(n) for n in range(WRITERS)])
    refusals = [one for one in results if isinstance(one, RequestRejected)]
    assert len(refusals) == WRITERS - 1
    assert {(type(one), one.field) for one in refusals} == {(AlreadyExists, field)}
    assert worlds[0].event_count == 1
    _check(worlds[0])


def test_a_command_gives_up_if_others_always_come_first(
    worlds: list[World], monkeypatch: pytest.MonkeyPatch
) -> None:
    world = worlds[0]
    monkeypatch.setattr(command_bus, "MAX_WAIT", 0.0)
    monkeypatch.setattr(CommandBus, "_put", lambda *_: False)
    with pytest.raises(Busy, match="Nothing was saved; try again"):
        world.register("Ada")
    assert world.event_count == 0


@pytest.mark.rest
def test_acknowledged_commands_are_logged_once(worlds: list[World]) -> None:
    world = worlds[0]
    ada, *voters = world.register("Ada", *(f"Voter {n}" for n in range(WRITERS - 1)))
    world.launch(ada, "Open")
    world.launch(ada, "Secret", terms=ElectionSettings(secret_ballot=True))
    services, before = _services(worlds), world.event_count

    def work(n: int) -> Callable[[], int]:
        service, me = services[n % len(services)], voters[n % len(voters)]

        def run() -> int:
            service.voting.cast(me, "Open", ballot("Red", "Green"), f"{n}")
            service.voting.cast(me, "Secret", ballot("Blue"), f"{n}")
            service.people.rename(me, me.name, f"Voter {n} renamed")
            service.lifecycle.create(me, f"Election of {n}")
            return 4

        return run

    done = run_at_once([work(n) for n in range(len(voters))])
    assert world.event_count - before == sum(one for one in done if isinstance(one, int))
    assert len(done) * 4 == world.event_count - before
    events = read_events(world.driver)[before:]
    kinds = Counter(event.event_type for event in events)
    casts = len(voters) * 2
    assert kinds == {
        "BallotCast": casts,
        "UserNameChanged": len(voters),
        "ElectionCreated": len(voters),
    }
    marks = {event.event_data["request"] for event in events if event.event_type == "BallotCast"}
    assert len(marks) == casts, "no request was executed twice"
    _check(world)


@pytest.mark.rest
@pytest.mark.parametrize("secret", [False, True])
def test_close_signs_exactly_the_ballots_cast_before_it(worlds: list[World], secret: bool) -> None:
    world = worlds[0]
    ada, *voters = world.register("Ada", *(f"Voter {n}" for n in range(WRITERS - 1)))
    world.launch(ada, "E", terms=ElectionSettings(secret_ballot=secret))
    services = _services(worlds)
    # Some have already voted, so that there is something to sign even if the close comes first.
    for voter in voters[:3]:
        services[0].voting.cast(voter, "E", ballot("Green"), "before")

    def vote(n: int) -> Callable[[], str]:
        def run() -> str:
            cast = services[n % len(services)].voting.cast
            return cast(voters[n], "E", ballot("Red"), "k").receipt["confirmation"]

        return run

    def close() -> str:
        services[1].lifecycle.close(ada, "E")
        return ""

    results = run_at_once([*(vote(n) for n in range(3, len(voters))), close])
    taken = {one for one in results[:-1] if isinstance(one, str)}
    assert {type(one) for one in results if isinstance(one, RequestRejected)} <= {WrongState}
    assert results[-1] == ""
    closing = services[0].results.tally(ada, "E").closing
    assert closing is not None
    codes = [
        services[0].voting.ballot(voter, "E", voter.name).receipt["confirmation"]
        for voter in voters
        if world.reload(voter).ballots_cast
    ]
    assert taken <= set(codes)
    assert len(codes) == len(taken) + 3
    statement = closing["statement"]
    assert (statement["ballots"], statement["root"]) == (len(codes), MerkleTree(codes).root)
    _check(world)


def test_election_is_closed_by_one_of_many(worlds: list[World]) -> None:
    world = worlds[0]
    (ada,) = world.register("Ada")
    world.launch(ada, "E")
    services, before = _services(worlds), world.event_count
    results = run_at_once([lambda s=s: s.lifecycle.close(ada, "E") for s in services])  # type: ignore[misc]
    assert Counter(type(one) for one in results)[WrongState] == len(services) - 1
    assert world.event_count == before + 1


def test_request_sent_many_times_at_once_casts_one_ballot(worlds: list[World]) -> None:
    world = worlds[0]
    ada, bob = world.register("Ada", "Bob")
    world.launch(ada, "E", allow_edit=False)
    services, before = _services(worlds), world.event_count
    results = run_at_once(
        [
            lambda n=n: services[n % 4].voting.cast(bob, "E", ballot("Red"), "k")  # type: ignore[misc]
            for n in range(WRITERS)
        ]
    )
    answers = [one for one in results if not isinstance(one, RequestRejected)]
    assert len(answers) == WRITERS
    assert len({one.receipt["confirmation"] for one in answers}) == 1
    assert [one.is_repeat for one in answers].count(False) == 1
    assert world.event_count == before + 1


@pytest.mark.rest
def test_rebuild_while_others_vote(worlds: list[World]) -> None:
    world = worlds[0]
    ada, *voters = world.register("Ada", *(f"Voter {n}" for n in range(3)))
    world.launch(ada, "E", terms=ElectionSettings(secret_ballot=True))
    services, before = _services(worlds), world.event_count

    def vote(n: int) -> Callable[[], int]:
        def run() -> int:
            tries = 0
            for step in range(5):
                tries += 1
                while not _is_cast(services[n], voters[n], f"key {step}"):
                    tries += 1
            return tries

        return run

    def build() -> int:
        for _ in range(3):
            rebuild(open_store(worlds[-1].driver), KEYS.ballot_key)
        return 0

    run_at_once([build, *(vote(n) for n in range(len(voters)))])
    assert world.event_count == before + 5 * len(voters), "one event for each key"
    _check(world)


def _is_cast(service: Elections, voter: User, key: str) -> bool:
    try:
        service.voting.cast(voter, "E", ballot("Red"), key)
    except RebuildInProgress:
        return False
    return True
