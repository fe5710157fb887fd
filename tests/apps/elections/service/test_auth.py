"""Signing in and out, passwords, and the way back for who has forgotten theirs."""

from __future__ import annotations

import pytest

from singletable_apps.elections.errors import InvalidInput, NotPermitted, NotSignedIn
from singletable_apps.shared.accounts import Passwords, TooManyAttempts
from singletable_apps.shared.mail import Outbox
from tests.apps.support.elections.checks import expect_rejection
from tests.apps.support.elections.world import PASSWORD, World, email_of

OTHER = "orchard violet engine"


def test_a_token_is_good_for_its_time_and_the_other_renews_it(world: World) -> None:
    (ada,) = world.register("Ada")
    access = world.service.auth
    signed_in = access.sign_in("  ADA ", PASSWORD)
    assert access.authenticate(signed_in.access).user_id == ada.user_id
    world.clock.advance(seconds=access.lifetime.total_seconds() + 1)
    expect_rejection(world, NotSignedIn, lambda: access.authenticate(signed_in.access))
    renewed = access.renew(signed_in.refresh)
    assert access.authenticate(renewed.access).name == "Ada"
    assert access.sign_in(email_of("ada").upper(), PASSWORD).user.name == "Ada"
    access.sign_out(renewed.refresh)
    expect_rejection(world, NotSignedIn, lambda: access.renew(renewed.refresh))


def test_a_name_that_changes_signs_nobody_out(memory: World) -> None:
    (ada,) = memory.register("Ada")
    signed_in = memory.service.auth.sign_in("Ada", PASSWORD)
    memory.service.people.rename(ada, "Ada", "Augusta")
    assert memory.service.auth.authenticate(signed_in.access).name == "Augusta"


@pytest.mark.parametrize("name", ["Ada", "nobody", "", "@", "x" * 5000, "\ud800", "a@\ud800"])
def test_who_cannot_show_it_is_told_the_same_whoever_they_are(memory: World, name: str) -> None:
    memory.register("Ada")
    wrong = expect_rejection(memory, NotSignedIn, lambda: memory.service.auth.sign_in(name, OTHER))
    assert str(wrong) == "Wrong name or password."


def test_another_password_ends_every_session_but_the_new_one(world: World) -> None:
    ada, bob = world.register("Ada", "Bob")
    access = world.service.auth
    old = access.sign_in("Bob", PASSWORD)
    change = access.change_password
    expect_rejection(world, NotSignedIn, lambda: change(bob, "Bob", OTHER, OTHER))
    expect_rejection(world, NotPermitted, lambda: change(ada, "Bob", PASSWORD, OTHER))
    assert (
        expect_rejection(world, InvalidInput, lambda: change(bob, "Bob", PASSWORD, "bob")).field
        == "new"
    )
    new = change(bob, "bob", PASSWORD, OTHER)
    expect_rejection(world, NotSignedIn, lambda: access.authenticate(old.access))
    expect_rejection(world, NotSignedIn, lambda: access.renew(old.refresh))
    expect_rejection(world, NotSignedIn, lambda: access.sign_in("Bob", PASSWORD))
    assert access.authenticate(new.access).name == access.renew(new.refresh).user.name == "Bob"


def test_guesses_are_slowed_down(memory: World) -> None:
    memory.register("Ada")
    guess = memory.service.auth.sign_in
    told: list[type] = []
    for _ in range(50):
        try:
            guess("Ada", OTHER)
        except (NotSignedIn, TooManyAttempts) as refusal:
            told.append(type(refusal))
    assert len(told) == 50
    assert told[0] is NotSignedIn
    assert told[-1] is TooManyAttempts


def _token(world: World) -> str:
    """Return the token in the newest e-mail."""
    newest = Outbox(world.service.context.store).newest()[0]
    return newest.email.text.partition("token=")[2].split()[0]


def test_a_letter_gives_another_password_once(memory: World) -> None:
    (ada,) = memory.register("Ada")
    access = memory.service.auth
    access.request_reset("nobody")
    assert Outbox(memory.service.context.store).newest() == []
    access.request_reset("ada")
    token = _token(memory)
    expect_rejection(memory, InvalidInput, lambda: access.reset(token, "ada"))
    expect_rejection(memory, NotSignedIn, lambda: access.reset("nonsense", OTHER))
    assert access.reset(token, OTHER).user.user_id == ada.user_id
    expect_rejection(memory, NotSignedIn, lambda: access.reset(token, PASSWORD))
    assert access.sign_in("Ada", OTHER).user.name == "Ada"


def test_a_letter_is_worth_nothing_once_the_password_is_another(memory: World) -> None:
    (ada,) = memory.register("Ada")
    access = memory.service.auth
    access.request_reset("Ada")
    access.change_password(ada, "Ada", PASSWORD, OTHER)
    token = _token(memory)
    expect_rejection(memory, NotSignedIn, lambda: access.reset(token, PASSWORD))


def test_a_hash_of_older_days_is_renewed_and_nobody_signed_out(memory: World) -> None:
    memory.register("Ada")
    signed_in = memory.service.auth.sign_in("Ada", PASSWORD)
    newer = memory.open_service(passwords=Passwords(memory_kib=128, passes=1)).auth
    length = memory.event_count
    newer.sign_in("Ada", PASSWORD)
    newer.sign_in("Ada", PASSWORD)
    assert memory.event_count == length + 1
    assert memory.service.auth.authenticate(signed_in.access).name == "Ada"
