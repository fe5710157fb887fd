"""Set up the site, sign in, invite people, and change or remove accounts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from singletable import TransactWriteItems
from singletable.testing import InterruptedDriver
from singletable_apps.portfolio.entities import Role, User
from singletable_apps.portfolio.service.accounts import Accounts
from singletable_apps.shared.accounts import NotSignedIn
from singletable_apps.shared.errors import AlreadyExists, InvalidInput
from singletable_apps.shared.permissions import NotPermitted
from tests.apps.portfolio.support.harness import PASSWORD, World
from tests.apps.support.concurrency import run_concurrently

OTHER = "orchard violet engine"


def _join(world: World, owner: User, name: str) -> User:
    """Invite someone who chooses a password."""
    world.service.accounts.invite(owner, name, f"{name}@example.org")
    token = world.mailbox.emails[-1].text.partition("token=")[2].split()[0]
    return world.service.accounts.reset(token, OTHER).user


@pytest.fixture
def owner(memory: World) -> User:
    return memory.set_up()


@pytest.fixture
def accounts(memory: World) -> Accounts:
    return memory.service.accounts


def test_set_up_creates_the_owner_and_the_settings(world: World) -> None:
    assert not world.service.profile.is_set_up()
    owner = world.set_up()
    assert (owner.role, owner.email) == (Role.OWNER, "ada@example.org")
    assert world.service.profile.is_set_up()
    assert world.service.profile.get_settings().title == "Ada’s notes"
    assert world.service.profile.get_portfolio().name == "Ada"
    assert world.service.accounts.sign_in("ADA@Example.org", PASSWORD).user.name == "Ada"


def test_set_up_works_once(memory: World) -> None:
    owner = memory.set_up()
    with pytest.raises(NotPermitted):
        memory.service.accounts.set_up("Eve", "eve@example.org", PASSWORD, "Eve’s")
    assert [user.email for user in memory.service.accounts.list_accounts(owner)] == [owner.email]


def test_concurrent_set_ups_create_one_owner(worlds: tuple[World, World]) -> None:
    world, other = worlds
    turns = iter(enumerate([world, other] * 3))

    def set_up() -> User:
        number, mine = next(turns)
        return mine.service.accounts.set_up("Ada", f"a{number}@example.org", PASSWORD, "Notes")

    [owner], errors = run_concurrently(6, set_up, NotPermitted)
    assert len(errors) == 5
    [stored] = world.service.accounts.list_accounts(owner)
    assert stored.email == owner.email


def test_set_up_between_check_and_write_is_rejected(memory: World) -> None:
    driver = InterruptedDriver(memory.driver, TransactWriteItems, before=memory.set_up)
    late = memory.open(driver)
    with pytest.raises(NotPermitted):
        late.accounts.set_up("Eve", "eve@example.org", PASSWORD, "Eve’s")
    assert driver.interrupted
    assert memory.service.profile.get_settings().title == "Ada’s notes"


def test_invalid_set_up_names_every_field_and_changes_nothing(memory: World) -> None:
    with pytest.raises(InvalidInput) as error:
        memory.service.accounts.set_up(" ", "nowhere", "short", "x" * 500)
    assert set(error.value.errors) == {"name", "email", "password", "site_title"}
    with pytest.raises(InvalidInput) as error:
        memory.service.accounts.set_up("Ada", "a\ud800@example.org", "ada@example.org\ud800", "A")
    assert set(error.value.errors) == {"email", "password"}
    assert not memory.service.profile.is_set_up()


def test_invited_author_is_listed(memory: World, owner: User, accounts: Accounts) -> None:
    invited = accounts.invite(owner, "Ben", "Ben@Example.org").user
    assert (invited.email, invited.role) == ("ben@example.org", Role.AUTHOR)
    assert memory.mailbox.emails[-1].subject == "Write for Ada’s notes"
    assert [user.name for user in accounts.list_accounts(owner)] == ["Ada", "Ben"]


def test_invalid_invitation_is_rejected(memory: World, owner: User, accounts: Accounts) -> None:
    with pytest.raises(InvalidInput) as error:
        accounts.invite(owner, "", "ben@example.org\r\nBcc: eve@example.org")
    assert set(error.value.errors) == {"name", "email"}
    with pytest.raises(AlreadyExists) as taken:
        accounts.invite(owner, "Ada again", "ADA@example.org")
    assert set(taken.value.errors) == {"email"}
    assert memory.mailbox.emails == []


def test_outdated_revision_is_rejected(memory: World, owner: User, accounts: Accounts) -> None:
    class Outdated(Exception):
        pass

    def check(revision: int) -> None:
        raise Outdated

    ben = _join(memory, owner, "ben")
    with pytest.raises(Outdated):
        accounts.edit_person(owner, ben.user_id, name="Benjamin", check=check)
    with pytest.raises(Outdated):
        accounts.remove(owner, ben.user_id, check)


def test_sign_in_is_rejected_if_the_address_is_invited_again_meanwhile(
    memory: World, owner: User, accounts: Accounts
) -> None:
    ben = _join(memory, owner, "ben")

    def replace() -> None:
        accounts.remove(owner, ben.user_id)
        accounts.invite(owner, "Another Ben", "ben@example.org", Role.OWNER)

    driver = InterruptedDriver(
        memory.driver, lambda operation: "last_login" in repr(operation), before=replace
    )
    with pytest.raises(NotSignedIn):
        memory.open(driver).accounts.sign_in("ben@example.org", OTHER)
    assert driver.interrupted


def test_authors_change_only_their_own_name(memory: World, owner: User, accounts: Accounts) -> None:
    ben = _join(memory, owner, "ben")
    assert accounts.edit_person(ben, ben.user_id, name=" Benjamin  B. ").name == "Benjamin B."
    assert accounts.edit_person(owner, ben.user_id, name="Ben").name == "Ben"
    with pytest.raises(InvalidInput) as error:
        accounts.edit_person(ben, ben.user_id, name="")
    assert set(error.value.errors) == {"name"}
    forbidden: list[Callable[[], object]] = [
        lambda: accounts.edit_person(ben, owner.user_id, name="Eve"),
        lambda: accounts.get_person(ben, owner.user_id),
        lambda: accounts.list_accounts(ben),
        lambda: accounts.invite(ben, "Eve", "eve@example.org"),
        lambda: accounts.change_role(ben, ben.user_id, Role.OWNER),
        lambda: accounts.remove(ben, owner.user_id),
        lambda: accounts.remove(ben, ben.user_id),
    ]
    for change in forbidden:
        with pytest.raises(NotPermitted):
            change()
