"""Sign in and out, change passwords, and reset forgotten ones."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from dynamodb_engine.testing import InterruptedDriver
from singletable import Engine
from singletable.testing import StoreClock
from singletable_apps.elections.entities import User
from singletable_apps.shared.accounts import NotSignedIn, Passwords
from singletable_apps.shared.errors import AlreadyExists, Busy
from tests.apps.support.elections.checks import expect_rejection
from tests.apps.support.elections.world import PASSWORD, World, email_of
from tests.apps.support.mailbox import read_outbox

OTHER = "orchard violet engine"


def test_renaming_keeps_sessions(memory: World) -> None:
    (ada,) = memory.register("Ada")
    signed_in = memory.service.auth.sign_in("Ada", PASSWORD)
    memory.service.people.rename(ada, "Ada", "Augusta")
    assert memory.service.auth.authenticate(signed_in.access).name == "Augusta"


@pytest.mark.parametrize(
    "name", ["Ada", "nobody", "", "@", "x" * 5000, "ΐ" * 200, "\ud800", "a@\ud800"]
)
def test_failed_sign_in_does_not_reveal_whether_the_account_exists(
    memory: World, name: str
) -> None:
    memory.register("Ada")
    wrong = expect_rejection(memory, NotSignedIn, lambda: memory.service.auth.sign_in(name, OTHER))
    assert str(wrong) == "Wrong name or password."


def _token(world: World, subject: str = "") -> str:
    """Return the token in the newest e-mail with this beginning of the subject."""
    sent = read_outbox(world.service)
    newest = next(each for each in sent if each.subject.startswith(subject))
    return newest.text.partition("token=")[2].split()[0]


def test_owner_of_a_requested_address_gets_a_notice(memory: World) -> None:
    ada, bob = memory.register("Ada", "Bob")
    memory.service.auth.emails.request(ada, bob.email)
    sent = read_outbox(memory.service)
    assert {email.to: email.subject for email in sent} == {
        ada.email: "Your e-mail address is about to change",
        bob.email: "You already have an account",
    }


SUBJECTS = {
    "new": "Confirm your e-mail address",
    "old": "Your e-mail address is about to change",
    "reset": "Reset your password",
}


def test_change_that_fails_keeps_the_lock_of_an_earlier_one(memory: World) -> None:
    (ada, bob), emails = memory.register("Ada", "Bob"), memory.service.auth.emails
    emails.request(bob, "bob@example.net", by=ada.name)
    bob = emails.confirm(_token(memory, SUBJECTS["new"]))
    memory.clock.advance(seconds=1)
    emails.request(bob, email_of("Zoe"), by=ada.name)
    token = _token(memory, SUBJECTS["new"])
    memory.register("Zoe")
    with pytest.raises(AlreadyExists):
        emails.confirm(token)
    assert emails.find_unaccepted(bob) is not None


@pytest.mark.parametrize("link", SUBJECTS)
def test_link_is_rejected_whenever_its_user_is_removed(link: str) -> None:
    with Engine.in_memory() as engine:
        world = World(engine)
        (ada, _), service = world.register("Ada", "Bob"), world.service
        service.auth.request_reset("Bob")
        service.people.edit_person(ada, "Bob", email="bob@example.net")
        token = _token(world, SUBJECTS[link])
        if link == "old":
            service.auth.emails.confirm(_token(world, SUBJECTS["new"]))
        moment = 0
        while _open_link_while_removing(engine, world.clock, ada, link, token, moment):
            moment += 1
        assert moment > 3


def _open_link_while_removing(
    engine: Engine, clock: StoreClock, ada: User, link: str, token: str, moment: int
) -> bool:
    """Remove Bob at a moment while a link is opened; return False if that was after the end."""
    with engine.copy() as copy:
        world, driver = World(copy, clock), InterruptedDriver(copy)
        auth = world.open(driver).auth
        open_link: dict[str, Callable[[str], object]] = {
            "new": auth.emails.confirm,
            "old": auth.emails.keep_old,
            "reset": lambda token: auth.reset(token, OTHER),
        }
        driver.interrupt(before=lambda: world.service.people.remove(ada, "Bob"), first=moment)
        # Removed after the change, or before.
        with suppress(NotSignedIn, Busy):
            open_link[link](token)
        return bool(driver.interrupted)


def test_old_password_hash_is_renewed_and_sessions_stay(memory: World) -> None:
    memory.register("Ada")
    signed_in = memory.service.auth.sign_in("Ada", PASSWORD)
    newer = memory.open(passwords=Passwords(memory_kib=128, passes=1)).auth
    length = memory.event_count
    newer.sign_in("Ada", PASSWORD)
    newer.sign_in("Ada", PASSWORD)
    assert memory.event_count == length + 1
    assert memory.service.auth.authenticate(signed_in.access).name == "Ada"
