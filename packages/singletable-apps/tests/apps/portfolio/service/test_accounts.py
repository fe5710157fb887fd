"""Set up the site, sign in, invite people, and change or remove accounts."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from singletable import Operation, TransactWriteItems, UpdateItem
from singletable.testing import InterruptedDriver
from singletable_apps.portfolio.entities import Role, User
from singletable_apps.portfolio.errors import (
    AlreadyTaken,
    InvalidInput,
    NotFound,
    NotPermitted,
    NotSignedIn,
)
from singletable_apps.portfolio.service.accounts import Accounts
from singletable_apps.shared.mail import Email, MailNotSent
from tests.apps.portfolio.support.harness import PASSWORD, World
from tests.apps.support.concurrency import run_concurrently
from tests.apps.support.tables import stored_text

OTHER = "orchard violet engine"


def _token(world: World) -> str:
    """Return the token in the newest e-mail."""
    match = re.search(
        r"https://ada\.example/portfolio/admin/reset\?token=(\S+)", _newest(world).text
    )
    assert match is not None
    return match[1]


def _newest(world: World) -> Email:
    return world.mailbox.emails[-1]


def _join(world: World, owner: User, name: str, role: Role = Role.AUTHOR) -> User:
    """Invite someone who chooses a password."""
    world.service.accounts.invite(owner, name, f"{name}@example.org", role)
    return world.service.accounts.reset(_token(world), OTHER).user


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


def test_reused_refresh_token_ends_the_session(memory: World) -> None:
    memory.set_up()
    accounts = memory.service.accounts
    signed_in = accounts.sign_in("ada@example.org", PASSWORD)
    renewed = accounts.renew(signed_in.refresh)
    memory.clock.advance(minutes=1)
    for token in (signed_in.refresh, renewed.refresh):
        with pytest.raises(NotSignedIn):
            accounts.renew(token)


def test_password_change_ends_all_other_sessions(owner: User, accounts: Accounts) -> None:
    old = accounts.sign_in("ada@example.org", PASSWORD)
    with pytest.raises(NotSignedIn) as wrong:
        accounts.change_own_password(owner, OTHER, OTHER)
    assert wrong.value.field == "current"
    with pytest.raises(InvalidInput) as error:
        accounts.change_own_password(owner, PASSWORD, "ada")
    assert set(error.value.errors) == {"new"}
    new = accounts.change_own_password(owner, PASSWORD, OTHER)
    with pytest.raises(NotSignedIn):
        accounts.authenticate(old.access)
    with pytest.raises(NotSignedIn):
        accounts.renew(old.refresh)
    assert len(accounts.sessions(new.user)) == 1
    assert accounts.authenticate(new.access).email == owner.email


def test_reset_link_works_once_and_is_not_sent_to_unknown_addresses(memory: World) -> None:
    memory.set_up()
    accounts = memory.service.accounts
    accounts.request_reset("nobody@example.org")
    assert memory.mailbox.emails == []
    accounts.request_reset("Ada@Example.org")
    token = _token(memory)
    with pytest.raises(InvalidInput) as error:
        accounts.reset(token, "short")
    assert set(error.value.errors) == {"password"}
    assert accounts.reset(token, OTHER).user.email == "ada@example.org"
    with pytest.raises(NotSignedIn):
        accounts.reset(token, PASSWORD)
    accounts.sign_in("ada@example.org", OTHER)


def test_invited_author_chooses_a_password_within_a_week(
    memory: World, owner: User, accounts: Accounts
) -> None:
    invitation = accounts.invite(owner, "Ben", "Ben@Example.org")
    assert invitation.is_sent
    assert (invitation.user.email, invitation.user.role) == ("ben@example.org", Role.AUTHOR)
    assert _newest(memory).to == "ben@example.org"
    assert "Ada’s notes" in _newest(memory).subject
    with pytest.raises(NotSignedIn):
        accounts.sign_in("ben@example.org", "")
    memory.clock.advance(days=6)
    ben = accounts.reset(_token(memory), OTHER).user
    assert accounts.sign_in("ben@example.org", OTHER).user.user_id == ben.user_id
    assert [user.name for user in accounts.list_accounts(owner)] == ["Ada", "Ben"]


def test_expired_invitation_is_sent_again(memory: World, owner: User, accounts: Accounts) -> None:
    ben = accounts.invite(owner, "Ben", "ben@example.org").user
    old = _token(memory)
    memory.clock.advance(days=8)
    with pytest.raises(NotSignedIn):
        accounts.reset(old, OTHER)
    assert accounts.invite_again(owner, ben.user_id).is_sent
    accounts.reset(_token(memory), OTHER)
    with pytest.raises(InvalidInput):
        accounts.invite_again(owner, ben.user_id)


def test_invitation_without_mail_server_says_so(memory: World) -> None:
    owner = memory.set_up()
    memory.mailbox.error = MailNotSent("The mail server is gone.", is_temporary=True)
    invitation = memory.service.accounts.invite(owner, "Ben", "ben@example.org")
    assert not invitation.is_sent
    memory.mailbox.error = None
    assert memory.service.accounts.invite_again(owner, invitation.user.user_id).is_sent


def test_invalid_invitation_is_rejected(memory: World, owner: User, accounts: Accounts) -> None:
    with pytest.raises(InvalidInput) as error:
        accounts.invite(owner, "", "ben@example.org\r\nBcc: eve@example.org")
    assert set(error.value.errors) == {"name", "email"}
    with pytest.raises(AlreadyTaken) as taken:
        accounts.invite(owner, "Ada again", "ADA@example.org")
    assert set(taken.value.errors) == {"email"}
    assert memory.mailbox.emails == []


def test_last_owner_stays_an_owner(memory: World, owner: User, accounts: Accounts) -> None:
    ben = _join(memory, owner, "ben")
    changes: list[Callable[[], object]] = [
        lambda: accounts.change_role(owner, owner.user_id, Role.AUTHOR),
        lambda: accounts.remove(owner, owner.user_id),
    ]
    for change in changes:
        with pytest.raises(InvalidInput) as error:
            change()
        assert set(error.value.errors) == {"role"}
    assert accounts.change_role(owner, ben.user_id, Role.OWNER).role is Role.OWNER
    assert accounts.change_role(owner, owner.user_id, Role.AUTHOR).role is Role.AUTHOR
    demoted = accounts.get(owner, owner.user_id)
    with pytest.raises(NotPermitted):
        accounts.change_role(demoted, ben.user_id, Role.AUTHOR)


def test_invited_owner_who_never_signed_in_does_not_count(owner: User, accounts: Accounts) -> None:
    accounts.invite(owner, "Ben", "ben@example.org", Role.OWNER)
    assert accounts.is_last_owner(owner, owner)
    with pytest.raises(InvalidInput):
        accounts.change_role(owner, owner.user_id, Role.AUTHOR)


# Both would succeed if each looked only at who was an owner before.
def test_owners_who_demote_each_other_at_once_leave_one(worlds: tuple[World, World]) -> None:
    world, other = worlds
    ada = world.set_up()
    ben = _join(world, ada, "ben", Role.OWNER)
    turns = iter([(world, ada, ben), (other, ben, ada)])

    def demote() -> User:
        mine, actor, target = next(turns)
        return mine.service.accounts.change_role(actor, target.user_id, Role.AUTHOR)

    changed, errors = run_concurrently(2, demote, NotPermitted)
    assert (len(changed), len(errors)) == (1, 1)
    roles = [user.role for user in world.service.accounts.list_accounts(ada)]
    assert sorted(roles) == [Role.AUTHOR, Role.OWNER]


def test_outdated_revision_is_rejected_and_the_new_one_returned(
    memory: World, owner: User, accounts: Accounts
) -> None:
    class Outdated(Exception):
        pass

    ben = _join(memory, owner, "ben")

    def check(revision: int) -> None:
        if revision != ben.revision:
            raise Outdated

    changed = accounts.change_role(owner, ben.user_id, Role.OWNER, check)
    assert changed.revision == accounts.get(owner, ben.user_id).revision > ben.revision
    changes: list[Callable[[], object]] = [
        lambda: accounts.change_role(owner, ben.user_id, Role.AUTHOR, check),
        lambda: accounts.rename(owner, ben.user_id, "Benjamin", check),
        lambda: accounts.remove(owner, ben.user_id, check),
    ]
    for change in changes:
        with pytest.raises(Outdated):
            change()


def test_change_meets_a_sign_in_and_is_repeated(
    memory: World, owner: User, accounts: Accounts
) -> None:
    ben = _join(memory, owner, "ben")
    driver = InterruptedDriver(
        memory.driver, TransactWriteItems, before=lambda: accounts.sign_in("ben@example.org", OTHER)
    )
    changed = memory.open(driver).accounts.change_role(owner, ben.user_id, Role.OWNER)
    assert driver.interrupted
    assert changed.role is Role.OWNER


def test_removed_account_is_signed_out_and_its_address_is_free(
    memory: World, owner: User, accounts: Accounts
) -> None:
    ben = _join(memory, owner, "ben")
    signed_in = accounts.sign_in("ben@example.org", OTHER)
    accounts.request_reset("ben@example.org")
    store = memory.service.context.store
    assert "RESET" in stored_text(store, "portfolio_sessions")
    accounts.remove(owner, ben.user_id)
    assert "RESET" not in stored_text(store, "portfolio_sessions")
    for token in (signed_in.access, signed_in.refresh):
        with pytest.raises(NotSignedIn):
            accounts.authenticate(token)
    with pytest.raises(NotSignedIn):
        accounts.renew(signed_in.refresh)
    with pytest.raises(NotFound):
        accounts.remove(owner, ben.user_id)
    again = accounts.invite(owner, "Ben", "ben@example.org").user
    assert again.user_id != ben.user_id


def test_link_is_rejected_if_the_address_is_invited_again_meanwhile(memory: World) -> None:
    owner, accounts = memory.set_up(), memory.service.accounts
    ben = accounts.invite(owner, "Ben", "ben@example.org").user
    token = _token(memory)

    def replace() -> None:
        accounts.remove(owner, ben.user_id)
        accounts.invite(owner, "Another Ben", "ben@example.org", Role.OWNER)

    def changes_ben(operation: Operation[object]) -> bool:
        is_update = isinstance(operation, UpdateItem | TransactWriteItems)
        return is_update and "ben@example.org" in repr(operation)

    driver = InterruptedDriver(memory.driver, changes_ben, before=replace)
    with pytest.raises(NotSignedIn):
        memory.open(driver).accounts.reset(token, OTHER)
    assert driver.interrupted
    assert accounts.reset(_token(memory), PASSWORD).user.name == "Another Ben"


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
    assert accounts.rename(ben, ben.user_id, " Benjamin  B. ").name == "Benjamin B."
    assert accounts.rename(owner, ben.user_id, "Ben").name == "Ben"
    with pytest.raises(InvalidInput) as error:
        accounts.rename(ben, ben.user_id, "")
    assert set(error.value.errors) == {"name"}
    forbidden: list[Callable[[], object]] = [
        lambda: accounts.rename(ben, owner.user_id, "Eve"),
        lambda: accounts.get(ben, owner.user_id),
        lambda: accounts.list_accounts(ben),
        lambda: accounts.invite(ben, "Eve", "eve@example.org"),
        lambda: accounts.change_role(ben, ben.user_id, Role.OWNER),
        lambda: accounts.remove(ben, owner.user_id),
        lambda: accounts.remove(ben, ben.user_id),
    ]
    for change in forbidden:
        with pytest.raises(NotPermitted):
            change()
