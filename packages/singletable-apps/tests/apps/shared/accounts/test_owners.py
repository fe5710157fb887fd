"""An account that someone has used is protected in the same way, by whatever way they sign in."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

import singletable_apps
from dynamodb_engine.testing import InterruptedDriver
from singletable import Engine, Operation, TransactWriteItems, UpdateItem
from singletable_apps.shared.accounts import NotSignedIn, Scope
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.mail import EmailDelivery
from singletable_apps.shared.web.oidc import Identity
from tests.apps.shared.accounts.test_stored_accounts import (
    OTHER,
    PASSWORD,
    PortfolioSite,
    Site,
    SkillsSite,
)
from tests.apps.support.elections.world import World as ElectionsWorld
from tests.apps.support.elections.world import email_of

BEN = Identity("https://login.example", "7", "Ben", "ben", "ben@example.org")
THEIRS, EVIL = "ben@example.org", "eve@elsewhere.example"


class ElectionsSite:
    """Elections, where Ada is the owner of the site, and people register themselves."""

    world_type = ElectionsWorld

    def __init__(self, world: ElectionsWorld) -> None:
        self.world = world
        self.accounts = world.service.auth

    def start(self) -> None:
        self.world.service = self.world.open(emails=EmailDelivery(self.world.server))
        self.accounts = self.world.service.auth
        self.world.register("Ada")

    @property
    def ada(self) -> Any:
        return self.find("ada")

    def find(self, name: str) -> Any:
        return self.accounts.find_by_login(email_of(name))

    def invite(self, name: str) -> None:
        """Elections have no invitations: people register with the password."""
        self.world.service.people.register(name, email_of(name), PASSWORD)

    def change_email(self, user: Any, email: str) -> Any:
        self.world.service.people.edit_person(self.ada, user.name, email=email)
        return self.find("ben")

    def remove(self, actor: Any, user: Any) -> None:
        self.world.service.people.remove(actor, user.name)

    def login(self, name: str) -> str:
        return name


class _Invites(Site):
    def change_email(self, user: Any, email: str) -> Any:
        return self.accounts.edit_person(self.ada, getattr(user, self.key), email=email)


class InvitingPortfolio(PortfolioSite, _Invites):
    """The portfolio."""


class InvitingSkills(SkillsSite, _Invites):
    """The skills directory."""


INVITING = [InvitingPortfolio, InvitingSkills]


def _newest(site: Any, kind: str) -> str:
    """Return the token in the newest e-mail with a link to a page."""
    texts = [each.text for each in site.world.mailbox.emails if f"/{kind}?token=" in each.text]
    return str(texts[-1].partition(f"/{kind}?token=")[2].split()[0])


def by_link(site: Any) -> Any:
    """Open the link of an invitation, or of a reset, and choose a password."""
    if isinstance(site, ElectionsSite):
        site.accounts.request_reset("ben")
    return site.accounts.reset(_newest(site, "reset"), OTHER).user


def by_password(site: Any) -> Any:
    by_link(site)
    return site.accounts.sign_in(site.login("ben"), OTHER).user


def by_provider(site: Any) -> Any:
    user = site.accounts.connect(site.find("ben"), BEN)
    return site.accounts.start_session(user).user


def by_provider_once(site: Any) -> Any:
    """Sign in with the provider, disconnect it, and sign out everywhere."""
    user = by_provider(site)
    site.accounts.identities.disconnect(site.accounts.account_of(user).subject)
    site.accounts.end_other_sessions(user, None)
    return site.find("ben")


def by_known_identity(site: Any) -> Any:
    """Sign in with an identity that an earlier version connected, without claiming the account."""
    user = site.find("ben")
    site.accounts.identities.connect(site.accounts.account_of(user).subject, BEN)
    return site.accounts.start_session(user).user


def by_new_password(site: Any) -> Any:
    """Change the password on the account page."""
    return site.accounts.change_own_password(by_link(site), OTHER, PASSWORD + " two").user


def by_renewed_session(site: Any) -> Any:
    """Use a refresh token; the owner has disconnected the provider."""
    signed_in = site.accounts.start_session(site.accounts.connect(site.find("ben"), BEN))
    site.accounts.identities.disconnect(site.accounts.account_of(signed_in.user).subject)
    return site.accounts.renew(signed_in.refresh).user


def by_access_token(site: Any) -> Any:
    """Use a personal token; its owner has disconnected the provider and signed out everywhere."""
    account = site.accounts.account_of(by_provider(site))
    token = site.accounts.tokens.create(account, "Backup", [Scope.READ], 7)
    site.accounts.identities.disconnect(account.subject)
    site.accounts.end_other_sessions(site.find("ben"), None)
    return site.accounts.authenticate(token, Scope.READ)


# The functions that let someone in, and the ways through each.
ENTRANCES: dict[str, list[Callable[[Any], Any]]] = {
    "Auth.sign_in": [by_password],
    "Auth._set_password": [by_link, by_new_password],
    "Auth.renew": [by_renewed_session],
    "Auth._authenticate_personal": [by_access_token],
    "_sign_in": [by_provider, by_provider_once, by_known_identity],
    # New accounts, which have a password.
    "PageContext.sign_in": [by_password],
    "register": [by_password],
    "set_up": [by_password],
    # Those above call it.
    "Auth.start_session": [],
    "Accounts.start_session": [],
}
WAYS = list(dict.fromkeys(chain.from_iterable(ENTRANCES.values())))
ways = pytest.mark.parametrize("sign_in", WAYS)
_LETS_IN = re.compile(r"start_session|_sessions\.(start|rotate)|tokens\.find")


def _callers(tree: ast.AST, name: str = "") -> Iterator[str]:
    """Yield the functions that start or renew a session, or find a personal token."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Call) and _LETS_IN.search(ast.unparse(node.func)):
            yield name
        inner = name
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            inner = f"{name}.{node.name}".lstrip(".")
        yield from _callers(node, inner)


# Another way to sign in runs through the tests below, too.
def test_every_function_that_lets_someone_in_has_its_ways() -> None:
    folder = Path(singletable_apps.__file__).parent
    texts = (path.read_text("utf-8") for path in folder.rglob("*.py"))
    found = (_callers(ast.parse(text)) for text in texts if _LETS_IN.search(text))
    assert set(chain.from_iterable(found)) == set(ENTRANCES)


@pytest.fixture(params=[*INVITING, ElectionsSite])
def site(request: pytest.FixtureRequest) -> Iterator[Any]:
    with Engine.in_memory() as engine:
        site = request.param(request.param.world_type(engine))
        site.start()
        site.invite("ben")
        yield site
        site.world.check_calls()


@pytest.fixture(params=INVITING)
def inviting(request: pytest.FixtureRequest) -> Iterator[Any]:
    with Engine.in_memory() as engine:
        site = request.param(request.param.world_type(engine))
        site.start()
        site.invite("ben")
        yield site
        site.world.check_calls()


def _sent_to(site: Any, address: str) -> list[str]:
    return [each.subject for each in site.world.mailbox.emails if each.to == address]


@ways
def test_account_has_an_owner_once_someone_signed_in(
    site: Any, sign_in: Callable[..., Any]
) -> None:
    if not isinstance(site, ElectionsSite):
        assert not site.accounts.has_owner(site.find("ben"))
    sign_in(site)
    assert site.accounts.has_owner(site.find("ben"))


@ways
def test_address_changes_only_with_the_link_and_resets_are_off_then(
    site: Any, sign_in: Callable[..., Any]
) -> None:
    user = sign_in(site)
    assert site.change_email(user, EVIL).email == THEIRS
    assert _sent_to(site, THEIRS)[-1] == "Your e-mail address is about to change"
    site.accounts.emails.confirm(_newest(site, "email"))
    assert _sent_to(site, THEIRS)[-1] == "Your e-mail address was changed"
    site.accounts.request_reset("eve@elsewhere.example")
    site.accounts.request_reset("ben")
    assert "Reset your password" not in _sent_to(site, EVIL)
    site.accounts.emails.keep_old(_newest(site, "email/old"))
    assert site.find("ben").email == THEIRS


@ways
def test_owner_learns_of_a_new_password(site: Any, sign_in: Callable[..., Any]) -> None:
    sign_in(site)
    site.world.clock.advance(minutes=1)
    site.accounts.request_reset(site.login("ben"))
    site.accounts.reset(_newest(site, "reset"), PASSWORD + " three")
    assert _sent_to(site, THEIRS)[-1] == "Your password was changed"


@ways
def test_account_with_an_owner_is_not_invited_again(
    inviting: Any, sign_in: Callable[..., Any]
) -> None:
    user = sign_in(inviting)
    with pytest.raises(InvalidInput, match="has signed in before"):
        inviting.invite_again(user)


# An administrator could have sent it to an address of their own, changed that back until someone
# signed in, and entered it again.
@ways
def test_links_from_before_the_first_sign_in_are_void(
    inviting: Any, sign_in: Callable[..., Any]
) -> None:
    inviting.change_email(inviting.find("ben"), EVIL)
    inviting.world.clock.advance(minutes=1)
    moved = next(
        user for user in inviting.accounts.read_people(9, None).items if user.name == "ben"
    )
    inviting.invite_again(moved)
    stolen = _newest(inviting, "reset")
    inviting.change_email(moved, THEIRS)
    if sign_in in (by_link, by_password, by_new_password):
        inviting.invite_again(inviting.find("ben"))
    inviting.change_email(sign_in(inviting), EVIL)
    inviting.accounts.emails.confirm(_newest(inviting, "email"))
    with pytest.raises(NotSignedIn):
        inviting.accounts.reset(stolen, OTHER)


# So that links that were sent before its owner signed in stop working.
def test_session_of_an_account_that_was_never_claimed_ends(inviting: Any) -> None:
    accounts = inviting.accounts
    account, now = accounts.account_of(inviting.find("ben")), inviting.world.clock()
    sessions, unclaimed = accounts._sessions, account.credentials
    session, refresh = sessions.start(account.subject, now, credentials=unclaimed)
    access = accounts._tokens.issue(account.subject, session.family, unclaimed, now, now)
    token = accounts.tokens.create(account, "Backup", [Scope.READ], 7)
    assert accounts.has_owner(inviting.find("ben"))
    uses: list[Callable[[], Any]] = [
        lambda: accounts.authenticate(access),
        lambda: accounts.authenticate(token, Scope.READ),
        lambda: accounts.renew(refresh),
    ]
    for use in uses:
        with pytest.raises(NotSignedIn):
            use()


# A link that moves the address meanwhile would be a link to someone else's mailbox.
def test_first_sign_in_fails_if_the_address_changes_meanwhile(inviting: Any) -> None:
    ben = inviting.find("ben")

    def claims(operation: Operation[object]) -> bool:
        is_write = isinstance(operation, UpdateItem | TransactWriteItems)
        return is_write and "credentials" in repr(operation).casefold()

    driver = InterruptedDriver(
        inviting.world.driver, claims, before=lambda: inviting.change_email(ben, EVIL)
    )
    with pytest.raises(NotSignedIn):
        inviting.late(driver).accounts.connect(ben, BEN)
    assert driver.interrupted
    assert inviting.accounts.identities.find(BEN) is None


@ways
def test_administrator_who_signs_in_otherwise_counts(
    inviting: Any, sign_in: Callable[..., Any]
) -> None:
    ada, ben = inviting.ada, inviting.find("ben")
    inviting.change(ada, ben, inviting.admin)
    assert inviting.accounts.is_last_admin(inviting.ada, inviting.ada)
    inviting.invite_again(inviting.find("ben"))
    sign_in(inviting)
    assert not inviting.accounts.is_last_admin(inviting.ada, inviting.ada)


# The numbers of accounts never come back, but what is left of a person must not stay.
@ways
def test_nothing_that_lets_someone_in_is_left_of_a_removed_person(
    site: Any, sign_in: Callable[..., Any]
) -> None:
    ben = sign_in(site)
    site.accounts.connect(ben, BEN)
    site.accounts.tokens.create(site.accounts.account_of(site.find("ben")), "x", [Scope.READ], 7)
    site.remove(site.ada, site.find("ben"))
    subject = site.accounts.account_of(ben).subject
    assert site.accounts.identities.find(BEN) is None
    assert not site.accounts.identities.is_connected(subject)
    assert site.accounts.sessions(ben) == []
    assert site.accounts.tokens.list(site.accounts.account_of(ben)) == []
