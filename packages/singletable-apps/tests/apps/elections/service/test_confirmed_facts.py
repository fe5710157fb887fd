"""Commands and secrets do not depend on facts that only the table claims, and not the log."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import pytest

from dynamodb_engine.testing import InterruptedDriver
from singletable import DeleteItem, GetItem, Operation
from singletable_apps.elections.entities import Counts, Election, Publication, User, votes
from singletable_apps.elections.errors import CorruptTable
from singletable_apps.elections.poll_book import ConfirmedReadModel
from singletable_apps.elections.read_model import ReadModel
from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import ElectionSettings
from singletable_apps.shared.permissions import NotPermitted
from tests.apps.support.elections.world import PASSWORD, World, ballot, open_store, read_items

# These are not decided on.
NOT_CONFIRMED = {"get_sync", "list_ballots"}


# A method without a comparison lets someone who can write the table decide.
def test_every_fact_for_decisions_is_confirmed() -> None:
    calls = {
        name: inspect.getsource(method)
        for name, method in inspect.getmembers(ReadModel, inspect.isfunction)
        if not name.startswith("_")
    }
    own = {name for name, source in calls.items() if "self._store." in source}
    assert own - NOT_CONFIRMED == {name for name in own if name in vars(ConfirmedReadModel)}


@pytest.fixture
def world(memory: World) -> World:
    """Ben has voted in a secret election of Ada."""
    ada, ben, _ = memory.register("Ada", "Ben", "Cy")
    memory.launch(ada, "Secret", terms=ElectionSettings(secret_ballot=True))
    memory.service.voting.cast(ben, "Secret", ballot("Red"), "1")
    return memory


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
    with pytest.raises(CorruptTable):
        world.service.people.register(name, email, PASSWORD)


def _register(world: World) -> None:
    world.service.people.register("Zoe", "zoe@example.org", PASSWORD)


def _remove_ada(world: World) -> None:
    read = world.service.context.read
    world.service.people.remove(read.get_user("Cy"), "Ada")


@pytest.mark.parametrize("act", [_register, _remove_ada])
def test_forged_counts_are_not_decided_on(world: World, act: Callable[[World], None]) -> None:
    read, store = world.service.context.read, open_store(world.driver)
    # Ada owns an election, so she cannot be removed; a user in an empty site would be its owner.
    world.service.people.change_role(read.get_user("Ada"), "Cy", Role.OWNER)
    store.update(User.key("Ada"), User.elections_owned.set(0))
    store.update(Counts.key(), Counts.user_count.set(0))
    with pytest.raises(CorruptTable):
        act(world)


# The second look must not compare the table after another change with the log before it.
def test_user_who_is_changed_again_meanwhile_is_not_reported(memory: World) -> None:
    ada, _ = memory.register("Ada", "Ben")
    change = memory.service.people.change_role

    def reads_ben(operation: Operation[object]) -> bool:
        return isinstance(operation, GetItem) and operation.key["PK"] == {"S": "USER#Ben"}

    driver = InterruptedDriver(
        memory.driver, reads_ben, before=lambda: change(ada, "Ben", Role.VOTER)
    )
    other = memory.open(driver)
    changed = change(ada, "Ben", Role.OBSERVER)
    assert other.context.confirm_user(changed).role is Role.VOTER
    assert driver.interrupted
