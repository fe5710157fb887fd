"""Roles, invitations and the last administrator: the same rules in each app with accounts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import pytest

from dynamodb_engine.testing import InterruptedDriver
from singletable import Driver, Engine, Operation, TransactWriteItems, UpdateItem
from singletable_apps.portfolio import entities as portfolio
from singletable_apps.shared.accounts import NotSignedIn
from singletable_apps.shared.errors import InvalidInput, NotFound
from singletable_apps.shared.mail import MailNotSent
from singletable_apps.shared.permissions import NotPermitted
from singletable_apps.skills import entities as skills
from tests.apps.portfolio.support import harness
from tests.apps.skills.support import world as skills_world
from tests.apps.support.concurrency import run_concurrently
from tests.apps.support.tables import stored_text

PASSWORD, OTHER = "nine blue horses", "orchard violet engine"


class Site:
    """An app with an administrator, Ada, as one process has it.

    `key` is the field by which managers name a user, and `login` what people sign in with.
    """

    world_type: ClassVar[Any]
    admin: ClassVar[Any]
    member: ClassVar[Any]
    sessions: ClassVar[str]
    key: ClassVar[str]
    login: ClassVar[Any]

    def __init__(self, world: Any, service: Any = None) -> None:
        self.world, self.service = world, service or world.service
        self.accounts: Any = self.service.accounts

    def start(self) -> None:
        self.world.set_up()

    def invite(self, name: str, role: Any = None) -> Any:
        return self.accounts.invite(self.ada, name, f"{name}@example.org", role or self.member)

    def remove(self, actor: Any, user: Any) -> None:
        self.accounts.remove(actor, user.user_id)

    @property
    def ada(self) -> Any:
        return self.find("ada")

    def find(self, name: str) -> Any:
        return self.accounts.find_by_login(self.login(name))

    def invite_again(self, user: Any, by: Any = None) -> Any:
        return self.accounts.invite_again(by or self.ada, getattr(user, self.key))

    def join(self, name: str, role: Any = None) -> Any:
        """Invite someone, who chooses a password."""
        self.invite(name, role)
        return self.accounts.reset(self.token(), OTHER).user

    def change(self, actor: Any, user: Any, role: Any, *more: Any) -> Any:
        return self.accounts.change_role(actor, getattr(user, self.key), role, *more)

    def token(self) -> str:
        """Return the token in the newest e-mail."""
        text: str = self.world.mailbox.emails[-1].text
        return text.partition("reset?token=")[2].split()[0]

    def late(self, driver: Driver) -> Site:
        """Return the app as another process has it."""
        return type(self)(self.world, self.world.open(driver))


class PortfolioSite(Site):
    world_type, sessions, key = harness.World, "portfolio_sessions", "user_id"
    admin, member = portfolio.Role.OWNER, portfolio.Role.AUTHOR
    login = "{}@example.org".format


class SkillsSite(Site):
    world_type, sessions, key = skills_world.World, "skills_sessions", "username"
    admin, member = skills.Role.ADMIN, skills.Role.MANAGER
    login = "{}".format

    def start(self) -> None:
        self.world.fill({"ada": {}}, roles={"ada": self.admin})

    def invite(self, name: str, role: Any = None) -> Any:
        email = f"{name}@example.org"
        return self.accounts.invite(self.ada, name, name, email, role or self.member)

    def remove(self, actor: Any, user: Any) -> None:
        self.service.accounts.remove(actor, user.username)


@pytest.fixture(params=[PortfolioSite, SkillsSite])
def sites(
    request: pytest.FixtureRequest, drivers: tuple[Driver, Driver]
) -> Iterator[tuple[Site, Site]]:
    """Yield an app as two processes have it."""
    one = request.param(request.param.world_type(drivers[0]))
    one.start()
    yield one, request.param(request.param.world_type(drivers[1], like=one.world))
    one.world.check_calls()


@pytest.fixture(params=[PortfolioSite, SkillsSite])
def site(request: pytest.FixtureRequest) -> Iterator[Site]:
    with Engine.in_memory() as engine:
        site = request.param(request.param.world_type(engine))
        site.start()
        yield site
        site.world.check_calls()


# ------------------------------------------------------------------------------ roles


def test_last_administrator_stays(site: Site) -> None:
    ada, ben = site.ada, site.join("ben")
    # Eve has not signed in yet.
    site.invite("eve", site.admin)
    assert site.accounts.is_last_admin(ada, ada)
    for change in (lambda: site.change(ada, ada, site.member), lambda: site.remove(ada, ada)):
        with pytest.raises(InvalidInput) as error:
            change()
        assert set(error.value.errors) == {"role"}
    assert site.change(ada, ben, site.admin).role is site.admin
    assert not site.accounts.is_last_admin(ada, ada)
    assert site.change(ada, ada, site.member).role is site.member
    for actor in (ada, site.ada):
        with pytest.raises(NotPermitted):
            site.change(actor, ben, site.member)


# Both would succeed if each looked only at who was an administrator before.
def test_administrators_who_demote_each_other_at_once_leave_one(
    sites: tuple[Site, Site],
) -> None:
    one, other = sites
    ada, ben = one.ada, one.join("ben", one.admin)
    turns = iter([(one, ada, ben), (other, ben, ada)])

    def demote() -> Any:
        mine, actor, user = next(turns)
        return mine.change(actor, user, mine.member)

    changed, errors = run_concurrently(2, demote, NotPermitted)
    assert (len(changed), len(errors)) == (1, 1)
    assert {one.ada.role, one.find("ben").role} == {one.admin, one.member}


def test_administrator_demoted_meanwhile_changes_nothing(site: Site) -> None:
    ada, ben, eve = site.ada, site.join("ben", site.admin), site.join("eve")
    site.change(ada, ben, site.member)
    # Ben's requests began when he was an administrator.
    changes: list[Callable[[], object]] = [
        lambda: site.change(ben, ada, site.member),
        lambda: site.change(ben, eve, site.admin),
        lambda: site.remove(ben, ada),
        lambda: site.remove(ben, eve),
    ]
    for change in changes:
        with pytest.raises(NotPermitted):
            change()


def test_outdated_revision_is_rejected_and_the_new_one_returned(site: Site) -> None:
    class Outdated(Exception):
        pass

    def check(revision: int) -> None:
        if revision != ben.revision:
            raise Outdated

    ben = site.join("ben")
    changed = site.change(site.ada, ben, site.admin, check)
    assert changed.revision == site.find("ben").revision > ben.revision
    with pytest.raises(Outdated):
        site.change(site.ada, ben, site.member, check)


def test_change_of_role_meets_another_change_and_is_repeated(site: Site) -> None:
    ada, ben = site.ada, site.join("ben")

    def change_password() -> None:
        site.accounts.change_own_password(ben, OTHER, PASSWORD)

    driver = InterruptedDriver(site.world.driver, TransactWriteItems, before=change_password)
    revisions: list[int] = []
    assert site.late(driver).change(ada, ben, site.admin, revisions.append).role is site.admin
    assert len(revisions) == 2


def test_change_of_role_is_announced_and_voids_links(site: Site) -> None:
    ben = site.join("ben")
    site.accounts.request_reset(site.login("ben"))
    token = site.token()
    site.change(site.ada, ben, site.admin)
    assert site.world.mailbox.emails[-1].subject == "Your role was changed"
    with pytest.raises(NotSignedIn):
        site.accounts.reset(token, PASSWORD)


# ------------------------------------------------------------------------------ invitations


def test_invited_person_chooses_a_password_within_a_week(site: Site) -> None:
    invitation = site.invite("ben")
    assert (invitation.is_sent, invitation.user.role) == (True, site.member)
    assert site.world.mailbox.emails[-1].to == "ben@example.org"
    with pytest.raises(NotSignedIn):
        site.accounts.sign_in(site.login("ben"), "")
    site.world.clock.advance(days=6)
    with pytest.raises(InvalidInput) as error:
        site.accounts.reset(site.token(), "benben")
    assert set(error.value.errors) == {"password"}
    ben = site.accounts.reset(site.token(), OTHER).user
    assert site.accounts.sign_in(site.login("ben"), OTHER).user.user_id == ben.user_id
    with pytest.raises(InvalidInput, match="has signed in before"):
        site.invite_again(ben)
    with pytest.raises(NotPermitted):
        site.invite_again(site.invite("eve").user, by=ben)


def test_invitation_that_expired_or_was_not_sent_is_sent_again(site: Site) -> None:
    site.world.server.error = MailNotSent("The mail server rejects it.", is_temporary=False)
    invitation = site.invite("ben")
    assert site.world.mailbox.emails == []
    site.world.server.error = None
    assert site.invite_again(invitation.user).is_sent
    old = site.token()
    site.world.clock.advance(days=7)
    with pytest.raises(NotSignedIn):
        site.accounts.reset(old, OTHER)
    assert site.invite_again(invitation.user).is_sent
    site.accounts.reset(site.token(), OTHER)


# ------------------------------------------------------------------------------ removal


def test_removed_account_is_signed_out_and_its_name_is_free(site: Site) -> None:
    accounts, ben = site.accounts, site.join("ben")
    signed_in = accounts.sign_in(site.login("ben"), OTHER)
    accounts.request_reset(site.login("ben"))
    assert "RESET" in stored_text(site.service.context.store, site.sessions)
    site.remove(site.ada, ben)
    assert "RESET" not in stored_text(site.service.context.store, site.sessions)
    with pytest.raises(NotSignedIn):
        accounts.authenticate(signed_in.access)
    with pytest.raises(NotSignedIn):
        accounts.renew(signed_in.refresh)
    with pytest.raises(NotFound):
        site.remove(site.ada, ben)
    site.world.clock.advance(minutes=1)
    assert site.invite("ben").user.user_id != ben.user_id


def test_link_is_rejected_if_another_person_gets_the_name_meanwhile(site: Site) -> None:
    ben = site.invite("ben").user
    token = site.token()

    def replace() -> None:
        site.remove(site.ada, ben)
        site.world.clock.advance(minutes=1)
        site.invite("ben", site.admin)

    def changes_ben(operation: Operation[object]) -> bool:
        return isinstance(operation, UpdateItem | TransactWriteItems) and "ben" in repr(operation)

    driver = InterruptedDriver(site.world.driver, changes_ben, before=replace)
    with pytest.raises(NotSignedIn):
        site.late(driver).accounts.reset(token, OTHER)
    assert driver.interrupted
    assert site.accounts.reset(site.token(), PASSWORD).user.role is site.admin
