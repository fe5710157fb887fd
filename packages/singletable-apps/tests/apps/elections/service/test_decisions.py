"""Commands are decided on the log alone: a change of the table gives nobody a right."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dynamodb_engine.testing import InterruptedDriver
from singletable import BatchGetItem, DeleteItem, GetItem, Operation, Query, TransactGetItems
from singletable_apps.elections.entities import (
    Counts,
    Election,
    Publication,
    Sync,
    User,
    Voter,
    votes,
)
from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import ElectionSettings
from singletable_apps.shared.errors import AlreadyExists, AppError
from singletable_apps.shared.permissions import NotPermitted
from tests.apps.support.elections.checks import check_consistency
from tests.apps.support.elections.world import PASSWORD, World, ballot, open_store, read_items


@pytest.fixture
def world(memory: World) -> World:
    """Ben has voted in a secret election of Ada, in which Cy may not vote."""
    ada, ben, _ = memory.register("Ada", "Ben", "Cy")
    terms = ElectionSettings(secret_ballot=True)
    memory.launch(ada, "Secret", voters=["Ada", "Ben"], terms=terms)
    memory.service.voting.cast(ben, "Secret", ballot("Red"), "1")
    return memory


def test_commands_read_only_the_position_of_the_table(world: World) -> None:
    reads: list[str] = []

    def is_read(operation: Operation[object]) -> bool:
        match operation:
            case GetItem(table_name=votes.name):
                reads.append(operation.key["PK"]["S"] + "/" + operation.key["SK"]["S"])
            case BatchGetItem() if votes.name in operation.request_items:
                reads.append("items")
            case Query(table_name=votes.name) | TransactGetItems():
                reads.append("items")
            case _:
                pass
        return False

    other = world.open(InterruptedDriver(world.driver, is_read))
    ada, ben = (other.context.read.get_user(name) for name in ("Ada", "Ben"))
    reads.clear()
    other.voting.cast(ben, "secret", ballot("Green"), "2")
    other.lifecycle.set_voters(ada, "Secret", ["Ben", "Cy"])
    other.people.change_role(ada, "Cy", Role.VOTER)
    other.auth.change_password(ben, "Ben", PASSWORD, "another long password")
    other.lifecycle.close(ada, "Secret")
    assert set(reads) == {"METADATA/SYNC"}
    check_consistency(world)


def test_secret_ballot_stays_secret_if_the_table_says_it_is_open(world: World) -> None:
    open_store(world.driver).update(
        Election.key("Secret"),
        Election.secret_ballot.set(False),
        Election.publication.set(Publication.CONFIRMATIONS),
    )
    cy = world.service.context.read.get_user("Cy")
    with pytest.raises(NotPermitted):
        world.service.voting.ballot(cy, "Secret", "Ben")


# A user of the same name in another case would have the ballots and elections of the first.
@pytest.mark.parametrize(
    ("hidden", "name", "email"),
    [
        (("USER#Ben", "USER_NAME#ben"), "BEN", "other@example.org"),
        (("EMAIL#ben@example.org",), "Other", "BEN@example.org"),
    ],
)
def test_hidden_user_cannot_be_registered_again(
    world: World, hidden: tuple[str, ...], name: str, email: str
) -> None:
    items = [each for each in read_items(world.driver, votes) if each["PK"]["S"] in hidden]
    assert len(items) == len(hidden)
    for item in items:
        world.driver.execute(DeleteItem(votes.name, {"PK": item["PK"], "SK": item["SK"]}))
    with pytest.raises(AlreadyExists):
        world.service.people.register(name, email, PASSWORD)


def _remove_ada(world: World) -> None:
    world.service.people.remove(world.service.context.read.get_user("Cy"), "Ada")


def _close(world: World) -> None:
    world.service.lifecycle.close(world.service.context.read.get_user("Cy"), "Secret")


def _vote(world: World) -> None:
    cy = world.service.context.read.get_user("Cy")
    world.service.voting.cast(cy, "Secret", ballot("Red"), "1")


@pytest.mark.parametrize("act", [_remove_ada, _close, _vote])
def test_forged_items_permit_nothing(world: World, act: Callable[[World], None]) -> None:
    store = open_store(world.driver)
    store.update(User.key("Cy"), User.role.set(Role.OWNER))
    store.update(User.key("Ada"), User.role.set(Role.USER), User.elections_owned.set(0))
    store.update(Election.key("Secret"), Election.owner_name.set("Cy"))
    store.create(Voter(election_name="Secret", voter_name="Cy"))
    before = world.event_count
    with pytest.raises(AppError):
        act(world)
    assert world.event_count == before


# In an empty site, the first user would be its owner.
def test_forged_counts_make_nobody_the_owner(world: World) -> None:
    open_store(world.driver).update(Counts.key(), Counts.user_count.set(0))
    assert world.service.people.setup_code() is None
    assert world.service.people.register("Zoe", "zoe@example.org", PASSWORD).role is Role.USER


# A change in another process ends what someone may do in this one.
def test_lookup_sees_what_another_process_has_just_changed(world: World) -> None:
    other = world.open()
    world.service.people.change_role(world.service.context.read.get_user("Ada"), "Cy", Role.VOTER)
    found = other.auth.find_by_login("Cy")
    assert found is not None
    assert found.role is Role.VOTER


def test_table_that_claims_other_events_stops_commands(world: World) -> None:
    open_store(world.driver).update(Sync.key(), Sync.last_hash.set("0" * 64))
    with pytest.raises(AppError, match="or has another event there"):
        world.service.people.register("Zoe", "zoe@example.org", PASSWORD)
