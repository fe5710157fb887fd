"""Set up the site, sign in, invite people, and change or remove accounts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dynamodb_engine.testing import InterruptedDriver
from singletable import TransactWriteItems
from singletable_apps.portfolio.entities import Listing, Role, User
from singletable_apps.portfolio.rules import PostDraft
from singletable_apps.portfolio.service.accounts import Accounts
from singletable_apps.shared.accounts import NotSignedIn
from singletable_apps.shared.errors import AlreadyExists, InvalidInput
from singletable_apps.shared.permissions import NotPermitted
from tests.apps.portfolio.support.harness import PASSWORD, World
from tests.apps.portfolio.support.images import image_file
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


def _confirm(world: World) -> User:
    """Open the link in the e-mail to the new address."""
    texts = [email.text for email in world.mailbox.emails if "/admin/email?token=" in email.text]
    token = texts[-1].partition("token=")[2].split()[0]
    return world.service.accounts.emails.confirm(token)


def test_new_address_is_confirmed_and_takes_posts_and_images_along(
    memory: World, owner: User, accounts: Accounts
) -> None:
    ben, service = _join(memory, owner, "ben"), memory.service
    kept = service.posts.create(ben, PostDraft("Kept", "x"))
    gone = service.posts.create(ben, PostDraft("Gone", "x"))
    service.posts.move(ben, gone.blog_id, Listing.TRASH)
    image = service.media.upload(ben, image_file(), "a.png")
    accounts.edit_person(ben, ben.user_id, email="Benedict@example.org")
    assert accounts.sign_in("ben@example.org", OTHER).user.email == "ben@example.org"
    moved = _confirm(memory)
    assert (moved.email, moved.user_id) == ("benedict@example.org", ben.user_id)
    told = {email.to for email in memory.mailbox.emails[-2:]}
    assert told == {"ben@example.org", "benedict@example.org"}
    assert accounts.sign_in("benedict@example.org", OTHER).user.user_id == ben.user_id
    with pytest.raises(NotSignedIn):
        accounts.sign_in("ben@example.org", OTHER)
    assert service.posts.edit(moved, kept.blog_id, PostDraft("Mine", "x")).author == moved.email
    assert service.media.edit_alt(moved, image.name, "x").uploaded_by == moved.email
    assert [each.title for each in service.trash.list(moved)] == ["Gone"]
    # Someone else who gets the old address gets none of this.
    other = _join(memory, owner, "ben")
    assert (other.user_id != ben.user_id, service.trash.list(other)) == (True, [])


@pytest.mark.parametrize("email", ["", "nowhere", "ada@example.org", "BEN@example.org"])
def test_address_that_cannot_be_had_changes_nothing(
    memory: World, owner: User, accounts: Accounts, email: str
) -> None:
    ben = _join(memory, owner, "ben")
    sent = len(memory.mailbox.emails)
    if email in ("", "nowhere"):
        with pytest.raises(InvalidInput):
            accounts.edit_person(ben, ben.user_id, name="Other", email=email)
    else:
        accounts.edit_person(ben, ben.user_id, email=email)
    # The owner of an address in use is told, and the page does not tell that it is in use.
    links = [email for email in memory.mailbox.emails[sent:] if "/admin/email?" in email.text]
    assert (links, accounts.get_user(ben.user_id)) == ([], ben)


def test_address_of_an_invitation_is_corrected_at_once(
    memory: World, owner: User, accounts: Accounts
) -> None:
    invited = accounts.invite(owner, "Ben", "bne@example.org").user
    accounts.edit_person(owner, invited.user_id, email="ben@example.org")
    assert accounts.get_user(invited.user_id).email == "ben@example.org"
    again = accounts.invite(owner, "Eve", "bne@example.org").user
    with pytest.raises(AlreadyExists):
        accounts.edit_person(owner, again.user_id, email="ben@example.org")
