"""Sign in and change passwords for the users of any app; here they are values in memory."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

import pytest

from singletable import Store
from singletable.testing import StoreClock
from singletable_apps.shared.accounts import (
    Account,
    Auth,
    NotSignedIn,
    PasswordRejected,
    Passwords,
    SensitiveAction,
    TooManyAttempts,
    check_password,
)
from singletable_apps.shared.mail import Email, EmailDelivery, MailNotSent
from singletable_apps.shared.outbox import PER_DAY, Outbox

SECRET = b"a secret of thirty-two bytes or more"
PASSWORD, OTHER = "nine blue horses", "orchard violet engine"
FAST = Passwords(memory_kib=64, passes=1)


@dataclass(frozen=True)
class Person:
    name: str
    password_hash: str
    credentials: int = 1


EVE = Person("Eve", "")


class People(Auth[Person]):
    """Users in memory. Ada is number 7."""

    issuer, wrong_login = "tests", "Wrong."
    ada: Person | None = None

    def find_by_login(self, login: str) -> Person | None:
        return self.ada if login.casefold() in ("ada", "ada@example.org") else None

    def find_by_id(self, subject: int) -> Person | None:
        return self.ada if subject == 7 else None

    def account_of(self, user: Person) -> Account:
        email, number = f"{user.name.lower()}@example.org", 8 if user is EVE else 7
        return Account(number, user.credentials, user.password_hash, name=user.name, email=email)

    def check_password(self, user: Person, password: str, field: str) -> None:
        check_password(password, about=(user.name,))

    def set_password(self, user: Person, password_hash: str) -> Person:
        changed = replace(user, password_hash=password_hash, credentials=user.credentials + 1)
        self.ada = changed
        return changed

    def rehash(self, user: Person, password_hash: str) -> None:
        self.ada = replace(user, password_hash=password_hash)

    def is_taken(self, user: Person, email: str) -> bool:
        return False

    def set_email(self, user: Person, email: str, by: str) -> Person:
        return user


@dataclass
class Mailbox:
    """A mail server that keeps what it sends, or fails."""

    texts: list[str]
    fails: bool = False

    def transmit(self, email: Email, now: datetime) -> None:
        if self.fails:
            raise MailNotSent("The server is gone.", is_temporary=True)
        self.texts.append(email.text)


class World:
    """Users, their sessions, and a clock."""

    def __init__(self, store: Store, clock: StoreClock) -> None:
        self.store, self.clock = store, clock
        self.server = Mailbox([])
        self.queue = Outbox(store, EmailDelivery(self.server), secret=SECRET)
        self.auth = self.open(FAST)

    def open(self, passwords: Passwords) -> People:
        auth = People(
            self.store,
            self.queue,
            secret=SECRET,
            link=lambda page, token: f"token={token}",
            clock=self.clock,
            passwords=passwords,
        )
        auth.ada = Person("Ada", FAST.hash(PASSWORD))
        return auth

    @property
    def mailbox(self) -> Mailbox:
        """Send what is in the queue, and return what was sent."""
        self.queue.deliver(self.clock())
        return self.server

    def token(self) -> str:
        self.auth.request_reset("Ada")
        return self.mailbox.texts[-1].partition("token=")[2].split()[0]


@pytest.fixture
def world(store: Store, store_clock: StoreClock) -> World:
    return World(store, store_clock)


@pytest.mark.parametrize("login", ["  aDa ", "Ada"])
def test_login_ignores_case_and_surrounding_spaces(world: World, login: str) -> None:
    assert world.auth.sign_in(login, PASSWORD).user == world.auth.ada


@pytest.mark.parametrize("login", ["Ada", "Eve", "", "x" * 500, "\ud800"])
def test_wrong_login_raises_the_error_of_the_app(world: World, login: str) -> None:
    with pytest.raises(NotSignedIn, match=r"^Wrong\.$"):
        world.auth.sign_in(login, OTHER)


def test_outdated_hash_is_renewed_and_sessions_stay(world: World) -> None:
    signed_in, later = world.auth.sign_in("ada", PASSWORD), world.open(Passwords(128, passes=1))
    before = later.ada
    later.sign_in("ada", PASSWORD)
    assert later.ada != before
    assert later.authenticate(signed_in.access) == later.ada


def test_tokens_of_a_removed_user_are_rejected(world: World) -> None:
    signed_in = world.auth.sign_in("ada", PASSWORD)
    world.auth.ada = None
    calls: list[Callable[[], object]] = [
        lambda: world.auth.authenticate(signed_in.access),
        lambda: world.auth.renew(signed_in.refresh),
    ]
    for call in calls:
        with pytest.raises(NotSignedIn):
            call()


def test_other_sessions_are_ended(world: World) -> None:
    user = world.auth.sign_in("ada", PASSWORD).user
    current = world.auth.session_of(world.auth.sign_in("ada", PASSWORD).access)
    world.auth.end_other_sessions(user, current)
    assert [session.family for session in world.auth.sessions(user)] == [current]


def test_new_password_ends_all_other_sessions(world: World) -> None:
    old = world.auth.sign_in("ada", PASSWORD)
    with pytest.raises(NotSignedIn) as wrong:
        world.auth.change_own_password(old.user, OTHER, OTHER)
    assert wrong.value.field == "current"
    new = world.auth.change_own_password(old.user, PASSWORD, OTHER)
    with pytest.raises(NotSignedIn):
        world.auth.authenticate(old.access)
    with pytest.raises(NotSignedIn):
        world.auth.renew(old.refresh)
    assert len(world.auth.sessions(new.user)) == 1
    assert world.auth.authenticate(new.access) == world.auth.ada


def test_session_has_its_remaining_seconds(world: World) -> None:
    signed_in = world.auth.sign_in("ada", PASSWORD)
    assert signed_in.max_age == int((signed_in.ends - world.clock()).total_seconds())
    world.clock.advance(days=1)
    assert world.auth.renew(signed_in.refresh).max_age == signed_in.max_age - 24 * 3600


def test_rejected_password_does_not_use_up_the_reset_token(world: World) -> None:
    token = world.token()
    with pytest.raises(PasswordRejected):
        world.auth.reset(token, "short")
    assert world.auth.reset(token, OTHER).user.credentials == 2
    with pytest.raises(NotSignedIn) as error:
        world.auth.reset(token, PASSWORD)
    assert error.value.field == "token"


def test_reset_requests_fail_silently(world: World) -> None:
    world.server.fails = True
    world.auth.request_reset("Ada")
    world.server.fails = False
    for _ in range(10):
        world.auth.try_request_reset("Ada")
    assert 0 < len(world.mailbox.texts) < 10
    with pytest.raises(TooManyAttempts) as error:
        world.auth.request_reset("Ada")
    assert error.value.seconds >= 1


# Strangers may ask as often as they can, and yet the owner gets a link.
def test_every_reset_that_is_accepted_is_sent(world: World) -> None:
    accepted = 0
    for _ in range(24 * 12):
        with suppress(TooManyAttempts):
            world.auth.request_reset("Ada")
            accepted += 1
        assert len(world.mailbox.texts) == accepted
        world.clock.advance(minutes=5)
    assert accepted > 2 * PER_DAY


# Accounts that were imported, or made before addresses were checked, may have one.
def test_password_of_an_account_with_an_invalid_address_can_be_changed(world: World) -> None:
    user = world.auth.sign_in("ada", PASSWORD).user
    world.auth.ada = replace(user, name="Ada, Eve;")
    assert "," in world.auth.account_of(world.auth.ada).email
    assert world.auth.change_own_password(world.auth.ada, PASSWORD, OTHER).user.credentials == 2
    assert world.mailbox.texts == []


def _lock_out(world: World) -> None:
    """Guess the password from rotating addresses until Ada's account has to wait."""
    for number in range(40):
        try:
            world.auth.sign_in("ada", OTHER, address=f"192.0.2.{number}")
        except NotSignedIn:
            continue
        except TooManyAttempts:
            return
    raise AssertionError("Nobody had to wait.")


# Otherwise anyone who knows a name could lock out its owner.
def test_guesses_from_elsewhere_do_not_lock_out_a_known_device(world: World) -> None:
    device = world.auth.sign_in("ada", PASSWORD, address="198.51.100.7").device
    _lock_out(world)
    for other in ("", "forged.token", world.open(FAST).start_session(EVE).device):
        with pytest.raises(TooManyAttempts):
            world.auth.sign_in("ada", PASSWORD, address="203.0.113.9", device=other)
    assert world.auth.sign_in("ada", PASSWORD, address="198.51.100.7", device=device)


# One count for both would reveal that the address belongs to the name.
def test_guesses_with_a_name_reveal_nothing_about_an_address(world: World) -> None:
    _lock_out(world)
    for login in ("ada@example.org", "eve@example.org"):
        with pytest.raises(NotSignedIn):
            world.auth.sign_in(login, OTHER)


@pytest.fixture(autouse=True)
def few_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count fewer attempts of a network than in use, because each one takes time."""
    monkeypatch.setattr("singletable_apps.shared.accounts.auth.ADDRESS_ATTEMPTS", 30)


def _wrong_sign_ins(world: World, count: int, address: str) -> None:
    for number in range(count):
        with pytest.raises(NotSignedIn):
            world.auth.sign_in(f"person {number}", OTHER, address=address.format(number))


def test_people_who_share_an_address_are_not_locked_out_by_some_typing_errors(world: World) -> None:
    _wrong_sign_ins(world, 20, "192.0.2.1")
    assert world.auth.sign_in("ada", PASSWORD, address="192.0.2.1")


# Someone who keeps trying a locked account must not lock out a whole school.
def test_attempts_during_a_wait_do_not_count_for_the_address(world: World) -> None:
    for _ in range(40):
        with pytest.raises((NotSignedIn, TooManyAttempts)):
            world.auth.sign_in("eve", OTHER, address="192.0.2.1")
    assert world.auth.sign_in("ada", PASSWORD, address="192.0.2.1")


# One customer has a whole network of IPv6 addresses.
def test_guesses_from_one_network_are_counted_together(world: World) -> None:
    with pytest.raises(TooManyAttempts):
        _wrong_sign_ins(world, 40, "2001:db8::{:x}")
    assert world.auth.sign_in("ada", PASSWORD, address="2001:db8:0:1::1")


def test_known_device_has_an_allowance_of_its_own(world: World) -> None:
    device = world.auth.sign_in("ada", PASSWORD).device
    for _ in range(5):
        with pytest.raises(NotSignedIn):
            world.auth.sign_in("ada", OTHER, device=device)
    with pytest.raises(TooManyAttempts):
        world.auth.sign_in("ada", PASSWORD, device=device)
    assert world.auth.sign_in("ada", PASSWORD)


def test_guesses_from_elsewhere_do_not_hinder_who_is_signed_in(world: World) -> None:
    user = world.auth.sign_in("ada", PASSWORD).user
    _lock_out(world)
    assert world.auth.change_own_password(user, PASSWORD, OTHER).user.credentials == 2
    assert "was changed" in world.mailbox.texts[-1]


def test_password_is_recent_for_five_minutes_also_after_a_renewal(world: World) -> None:
    signed_in = world.auth.sign_in("ada", PASSWORD)
    world.clock.advance(minutes=4)
    renewed = world.auth.renew(signed_in.refresh)
    assert world.auth.has_recent_password(renewed.access)
    world.clock.advance(minutes=2)
    for token in (signed_in.access, renewed.access, "", "forged"):
        assert not world.auth.has_recent_password(token)
        with pytest.raises(NotSignedIn, match="Sign in again"):
            world.auth.check_recent_password(token, SensitiveAction.EXPORT)
