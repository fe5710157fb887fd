"""The outbox keeps letters for a week, and shows the newest first."""

from __future__ import annotations

import pytest

from singletable import Call, Driver, Store
from singletable.testing import StoreClock
from singletable_apps.shared.accounts.entities import expiring
from singletable_apps.shared.mail import Email, Mailer, Outbox


@pytest.fixture
def outbox(store: Store) -> Outbox:
    return Outbox(store)


def _letter(number: int) -> Email:
    return Email("ada@example.org", f"Letter {number}", "Zoë\r\n\tsays hello. \0")


def test_letters_come_as_they_were_the_newest_first(
    outbox: Outbox, store_clock: StoreClock
) -> None:
    mailer: Mailer = outbox
    assert outbox.newest() == []
    for number in range(3):
        mailer.send(_letter(number), store_clock.advance(seconds=1))
    found = outbox.newest()
    assert [sent.letter for sent in found] == [_letter(2), _letter(1), _letter(0)]
    assert found[0].sent == store_clock()
    assert [sent.letter for sent in outbox.newest(limit=2)] == [_letter(2), _letter(1)]


def test_letters_of_the_same_moment_are_all_kept(outbox: Outbox, store_clock: StoreClock) -> None:
    for _ in range(5):
        outbox.send(_letter(1), store_clock())
    assert len(outbox.newest()) == 5


def test_letters_are_gone_after_a_week(outbox: Outbox, store_clock: StoreClock) -> None:
    outbox.send(_letter(1), store_clock())
    store_clock.advance(days=4)
    outbox.send(_letter(2), store_clock())
    store_clock.advance(days=3)
    assert [sent.letter for sent in outbox.newest()] == [_letter(2)]


# The table holds every session of the app: to look for letters must not mean to read them all.
def test_letters_are_found_by_a_query(
    driver: Driver, outbox: Outbox, store_clock: StoreClock
) -> None:
    outbox.send(_letter(1), store_clock())
    calls: list[Call] = []
    watched = Store(
        driver, tables={expiring: "vote_sessions"}, clock=store_clock, observers=[calls.append]
    )
    assert len(Outbox(watched).newest()) == 1
    assert [type(one.operation).__name__ for call in calls for one in call.requests] == ["Query"]
