"""Throttling: a few attempts are free, then waits double, also for concurrent attempts."""

from __future__ import annotations

from datetime import timedelta

import pytest

from singletable import Scan, Store
from singletable.testing import StoreClock
from singletable_apps.shared.accounts import Throttle, TooManyAttempts
from tests.apps.support.concurrency import run_concurrently
from tests.apps.support.tables import stored_text

SECRET = b"a secret of thirty-two bytes or more"
ALICE = ("account", "alice")
BOB = ("account", "bob")
HOME = ("address", "192.0.2.7")


@pytest.fixture
def throttle(store: Store) -> Throttle:
    return Throttle(store, secret=SECRET)


def _wait(throttle: Throttle, clock: StoreClock, *keys: tuple[str, str]) -> timedelta:
    with pytest.raises(TooManyAttempts) as refused:
        throttle.attempt(keys, clock())
    return refused.value.retry_after


def _use_up(throttle: Throttle, clock: StoreClock, *keys: tuple[str, str]) -> None:
    for _ in range(5):
        throttle.attempt(keys, clock())


def test_waits_double_up_to_the_maximum(throttle: Throttle, store_clock: StoreClock) -> None:
    _use_up(throttle, store_clock, ALICE)
    waits: list[float] = []
    for _ in range(13):
        wait = _wait(throttle, store_clock, ALICE)
        waits.append(wait.total_seconds())
        store_clock.now += wait
        throttle.attempt([ALICE], store_clock())
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]


# Otherwise anyone could lock anyone else out forever.
def test_attempts_during_a_wait_do_not_extend_it(
    throttle: Throttle, store_clock: StoreClock
) -> None:
    _use_up(throttle, store_clock, ALICE)
    for _ in range(20):
        assert _wait(throttle, store_clock, ALICE) == timedelta(seconds=1)
    store_clock.advance(seconds=0.75)
    assert _wait(throttle, store_clock, ALICE) == timedelta(seconds=0.25)
    store_clock.advance(seconds=0.25)
    throttle.attempt([ALICE], store_clock())


# If attempts were counted after the password check, all twenty would get through.
def test_concurrent_attempts_get_only_the_free_ones(
    throttle: Throttle, store_clock: StoreClock
) -> None:
    allowed, rejected = run_concurrently(
        20, lambda: throttle.attempt([ALICE], store_clock()), TooManyAttempts
    )
    assert len(allowed) == 5
    assert len(rejected) == 15
    assert all(timedelta(0) < error.retry_after <= timedelta(seconds=1) for error in rejected)


def test_repeated_success_does_not_add_free_attempts(
    throttle: Throttle, store_clock: StoreClock
) -> None:
    throttle.attempt([HOME], store_clock())
    for _ in range(3):
        throttle.succeeded(ALICE, others=[HOME])
    _use_up(throttle, store_clock, HOME)
    assert _wait(throttle, store_clock, HOME)


def test_check_counts_nothing(throttle: Throttle, store_clock: StoreClock) -> None:
    for _ in range(10):
        throttle.check([ALICE, HOME], store_clock())
    _use_up(throttle, store_clock, ALICE)
    throttle.check([BOB, HOME], store_clock())
    with pytest.raises(TooManyAttempts, match=r"Try again in 1 second\."):
        throttle.check([HOME, ALICE], store_clock())


def test_one_waiting_key_rejects_the_attempt_without_counting_others(
    throttle: Throttle, store_clock: StoreClock
) -> None:
    _use_up(throttle, store_clock, ALICE)
    for _ in range(10):
        _wait(throttle, store_clock, HOME, ALICE)
    _use_up(throttle, store_clock, HOME, BOB)


def test_error_has_the_longest_wait(throttle: Throttle, store_clock: StoreClock) -> None:
    _use_up(throttle, store_clock, ALICE)
    store_clock.advance(seconds=1)
    throttle.attempt([ALICE], store_clock())
    _use_up(throttle, store_clock, HOME)
    for keys in ([ALICE, HOME], [HOME, ALICE], [HOME, BOB, ALICE, ALICE]):
        assert _wait(throttle, store_clock, *keys) == timedelta(seconds=2)


def test_success_resets_the_account(throttle: Throttle, store_clock: StoreClock) -> None:
    for _ in range(3):
        for _ in range(4):
            throttle.attempt([ALICE], store_clock())
        throttle.succeeded(ALICE)
    _use_up(throttle, store_clock, ALICE)


# A school shares one address: a successful sign-in costs the others nothing. But signing in to
# one's own account must not reset the address, or one could guess other passwords forever.
def test_success_subtracts_one_attempt_from_the_address(
    throttle: Throttle, store_clock: StoreClock
) -> None:
    for _ in range(10):
        throttle.attempt([ALICE, HOME], store_clock())
        throttle.succeeded(ALICE, others=[HOME])
    for _ in range(4):
        throttle.attempt([BOB, HOME], store_clock())
        throttle.attempt([ALICE, HOME], store_clock())
        throttle.succeeded(ALICE, others=[HOME])
        store_clock.advance(seconds=1)
    throttle.attempt([("account", "carol"), HOME], store_clock())
    assert _wait(throttle, store_clock, HOME) == timedelta(seconds=1)


def test_success_without_counted_attempts_does_nothing(throttle: Throttle) -> None:
    throttle.succeeded(ALICE, others=[HOME, BOB])


@pytest.mark.parametrize("store_knows", [True, False])
def test_count_is_reset_a_window_after_the_last_wait(
    store_knows: bool, throttle: Throttle, store_clock: StoreClock
) -> None:
    _use_up(throttle, store_clock, ALICE)
    later = store_clock() + timedelta(minutes=15, seconds=1)
    if store_knows:
        store_clock.now = later
    for _ in range(5):
        throttle.attempt([ALICE], later)
    with pytest.raises(TooManyAttempts):
        throttle.attempt([ALICE], later)


def test_free_attempts_can_be_configured(store: Store, store_clock: StoreClock) -> None:
    strict = Throttle(store, secret=SECRET, free=1)
    waits: list[float] = []
    for _ in range(12):
        strict.attempt([ALICE], store_clock())
        waits.append(_wait(strict, store_clock, ALICE).total_seconds())
        store_clock.advance(seconds=waits[-1])
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]


# Sign-in attempts are private, and expire.
def test_names_and_addresses_are_not_stored(
    throttle: Throttle, store: Store, store_clock: StoreClock
) -> None:
    throttle.attempt([ALICE, HOME], store_clock())
    text = stored_text(store)
    assert not any(word in text for word in (*ALICE, *HOME))
    items = store.driver.execute(Scan("vote_sessions")).items
    assert len(items) == 2
    assert all("expires_at" in item for item in items)


@pytest.mark.parametrize("driver", ["memory"], indirect=True)
@pytest.mark.parametrize("name", ["", "\ud800", "x" * 100_000, "a#b", "\0"], ids=range(5))
def test_any_name_can_be_counted(name: str, throttle: Throttle, store_clock: StoreClock) -> None:
    throttle.attempt([("account", name)], store_clock())
    throttle.succeeded(("account", name))
