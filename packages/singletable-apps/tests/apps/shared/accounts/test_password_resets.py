"""Password reset links: the latest one works, once, for an hour."""

from __future__ import annotations

from datetime import timedelta

import pytest

from singletable import Store
from singletable.testing import StoreClock
from singletable_apps.shared.accounts import NotSignedIn
from singletable_apps.shared.accounts.password_resets import PasswordResets
from tests.apps.support.concurrency import run_concurrently
from tests.apps.support.tables import stored_text

SECRET = b"a secret of thirty-two bytes or more"


@pytest.fixture
def resets(store: Store) -> PasswordResets:
    return PasswordResets(store, secret=SECRET)


def test_link_works_once(resets: PasswordResets, store_clock: StoreClock) -> None:
    token = resets.issue(7, "3", store_clock())
    # Reading does not use the link up.
    assert resets.read(token, store_clock()).subject == 7
    assert resets.redeem(token, store_clock()).subject == 7
    for again in (resets.read, resets.redeem):
        with pytest.raises(NotSignedIn, match="has been used"):
            again(token, store_clock())


def test_one_of_many_concurrent_callers_redeems_the_link(
    resets: PasswordResets, store_clock: StoreClock
) -> None:
    token = resets.issue(7, "3", store_clock())
    redeemed, errors = run_concurrently(
        12, lambda: resets.redeem(token, store_clock()), NotSignedIn
    )
    assert [(one.subject, one.state) for one in redeemed] == [(7, "3")]
    assert len(errors) == 11


def test_only_the_latest_link_works(resets: PasswordResets, store_clock: StoreClock) -> None:
    first, second = resets.issue(7, "3", store_clock()), resets.issue(7, "3", store_clock())
    others = resets.issue(8, "1", store_clock())
    with pytest.raises(NotSignedIn, match="replaced by a newer one"):
        resets.redeem(first, store_clock())
    assert resets.redeem(second, store_clock()).subject == 7
    assert resets.redeem(others, store_clock()).subject == 8


@pytest.mark.parametrize("store_knows", [True, False])
def test_link_expires_after_an_hour(
    store_knows: bool, resets: PasswordResets, store_clock: StoreClock
) -> None:
    token = resets.issue(7, "3", store_clock())
    over = store_clock() + timedelta(hours=1)
    assert resets.read(token, over - timedelta(seconds=1)).subject == 7
    if store_knows:
        store_clock.now = over
    for late in (resets.read, resets.redeem):
        with pytest.raises(NotSignedIn, match="Request a new one"):
            late(token, over)


def test_table_contains_no_usable_token(
    resets: PasswordResets, store: Store, store_clock: StoreClock
) -> None:
    token = resets.issue(7, "3", store_clock())
    assert token.partition(".")[2] not in stored_text(store)
    with pytest.raises(NotSignedIn):
        PasswordResets(store, secret=b"another secret of thirty-two bytes").redeem(
            token, store_clock()
        )
    assert resets.redeem(token, store_clock()).subject == 7


# A guess, or the link of another person, must not use up a valid link.
def test_wrong_link_does_not_use_up_the_right_one(
    resets: PasswordResets, store_clock: StoreClock
) -> None:
    token = resets.issue(7, "3", store_clock())
    others = resets.issue(8, "1", store_clock())
    swapped = "7." + others.partition(".")[2]
    for wrong in (swapped, "07" + token[1:], token[:-1] + ("A" if token[-1] != "A" else "B")):
        for given in (resets.read, resets.redeem):
            with pytest.raises(NotSignedIn, match="has been used"):
                given(wrong, store_clock())
    assert resets.redeem(token, store_clock()).subject == 7


@pytest.mark.parametrize("driver", ["memory"], indirect=True)
@pytest.mark.parametrize("token", ["", "7", "7.short", "\ud800", "9" * 5000, "-" * 60])
def test_malformed_links_are_rejected(
    token: str, resets: PasswordResets, store_clock: StoreClock
) -> None:
    for given in (resets.read, resets.redeem):
        with pytest.raises(NotSignedIn, match="incomplete"):
            given(token, store_clock())
