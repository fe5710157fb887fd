"""Register and sign in."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dynamodb_engine.testing import InterruptedDriver
from singletable import Operation, UpdateItem
from singletable_apps.shared.accounts import EmailChanges, NotSignedIn, TooManyAttempts
from singletable_apps.shared.errors import AlreadyExists, InvalidInput
from singletable_apps.skills.entities import Role, User
from singletable_apps.skills.service.people import Accounts, PersonEdit
from tests.apps.skills.support.world import PASSWORD, World
from tools.testing.drivers import lagging


def test_first_account_is_the_administrator(memory: World) -> None:
    accounts = memory.service.accounts
    assert accounts.register("Ada", "Ada Lovelace", PASSWORD).role is Role.ADMIN
    assert accounts.register("bob", "Bob", PASSWORD).role is Role.USER
    with pytest.raises(AlreadyExists, match="username"):
        accounts.register("ADA", "Another", PASSWORD)
    assert accounts.sign_in("aDa", PASSWORD).user.username == "Ada"
    with pytest.raises(NotSignedIn, match="Invalid credentials"):
        accounts.sign_in("nobody", PASSWORD)


# The index of names does not show the first account yet.
def test_second_account_is_no_administrator_despite_stale_reads(memory: World) -> None:
    accounts = memory.open(lagging(memory.driver)).accounts
    accounts.register("ada", "Ada", PASSWORD)
    assert accounts.register("bob", "Bob", PASSWORD).role is Role.USER


@pytest.mark.parametrize("username", ["", "ab", "a" * 51, "a b", "a#b", "-ab", "ädá"])
def test_invalid_usernames_are_rejected(memory: World, username: str) -> None:
    with pytest.raises(InvalidInput):
        memory.service.accounts.register(username, "Ada", PASSWORD)


def _token(world: World, address: str) -> str:
    """Return the token of the latest e-mail to an address."""
    text = next(each.text for each in reversed(world.mailbox.emails) if each.to == address)
    return text.partition("token=")[2].split()[0]


def test_address_of_a_registration_is_saved_when_it_is_confirmed(memory: World) -> None:
    accounts = memory.open(confirm_addresses=True).accounts
    code = accounts.setup_code()
    # The owner, and people whom a command adds, are trusted.
    assert accounts.register("ada", "Ada", PASSWORD, "ada@example.org", code).email
    assert accounts.register("bob", "Bob", PASSWORD, "bob@example.org").email
    assert memory.mailbox.emails == []
    eve = accounts.register("eve", "Eve", PASSWORD, "boss@example.org", "")
    assert (eve.email, memory.user("eve").email) == ("", "")
    assert [each.to for each in memory.mailbox.emails] == ["boss@example.org"]
    accounts.request_reset("eve")
    assert len(memory.mailbox.emails) == 1
    assert _emails(accounts).confirm(_token(memory, "boss@example.org")).email == "boss@example.org"


def test_registrations_send_few_links_to_one_address(memory: World) -> None:
    accounts = memory.open(confirm_addresses=True).accounts
    accounts.register("ada", "Ada", PASSWORD, "", accounts.setup_code())
    for number in range(5):
        accounts.register(f"eve{number}", "Eve", PASSWORD, "Boss@example.org", "")
    with pytest.raises(TooManyAttempts):
        accounts.register("eve5", "Eve", PASSWORD, "boss@example.org", "")
    assert memory.service.context.find_user("eve5") is None
    assert len(memory.mailbox.emails) == 5


def _emails(accounts: Accounts) -> EmailChanges[User]:
    return accounts.emails


def _confirm(accounts: Accounts, tokens: dict[str, str]) -> None:
    _emails(accounts).confirm(tokens["new"])


def _keep_old(accounts: Accounts, tokens: dict[str, str]) -> None:
    _emails(accounts).keep_old(tokens["old"])


@pytest.mark.parametrize("is_replaced", [False, True])
@pytest.mark.parametrize("open_link", [_confirm, _keep_old])
def test_link_is_rejected_if_its_user_is_deleted_meanwhile(
    memory: World, open_link: Callable[[Accounts, dict[str, str]], None], is_replaced: bool
) -> None:
    memory.fill({"ada": {}, "bob": {}}, roles={"ada": Role.ADMIN})
    service, tokens = memory.service, dict[str, str]()
    service.people.edit(memory.user("ada"), "bob", PersonEdit(email="bob@example.net"))
    tokens["old"] = _token(memory, "bob@example.org")
    tokens["new"] = _token(memory, "bob@example.net")
    if open_link is _keep_old:
        _emails(service.accounts).confirm(tokens["new"])

    def delete() -> None:
        service.accounts.remove(memory.user("bob"), "bob")
        if is_replaced:
            memory.clock.advance(minutes=1)
            service.accounts.register("bob", "Another Bob", PASSWORD, "another@example.org")

    def changes_bob(operation: Operation[object]) -> bool:
        return isinstance(operation, UpdateItem) and operation.key["PK"] == {"S": "USER#bob"}

    driver = InterruptedDriver(memory.driver, changes_bob, before=delete)
    late = memory.open(driver).accounts
    with pytest.raises(NotSignedIn):
        open_link(late, tokens)
    assert driver.interrupted
    # Nor does it work afterward, nor for the next person with the username.
    with pytest.raises(NotSignedIn):
        open_link(late, tokens)
    if is_replaced:
        assert late.sign_in("bob", PASSWORD).user.email == "another@example.org"
