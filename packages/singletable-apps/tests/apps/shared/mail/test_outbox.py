"""The outbox stores e-mails for a week and lists the newest first."""

from __future__ import annotations

import pytest

from singletable import Call, Driver, Store
from singletable.testing import StoreClock
from singletable_apps.shared.expiry import expiring
from singletable_apps.shared.mail import Email, Mailer, Outbox, StoredEmail


@pytest.fixture
def outbox(store: Store) -> Outbox:
    return Outbox(store)


def _email(number: int) -> Email:
    text = "Zoë\r\n\tsays hello. \0"
    return Email("ada@example.org", f"E-mail {number}", text, reply_to="zoe@example.org")


def _read(stored: list[StoredEmail]) -> list[Email]:
    return [Email(each.to, each.subject, each.text, each.reply_to) for each in stored]


def test_newest_returns_emails_unchanged_newest_first(
    outbox: Outbox, store_clock: StoreClock
) -> None:
    mailer: Mailer = outbox
    assert outbox.newest() == []
    for number in range(3):
        mailer.transmit(_email(number), store_clock.advance(seconds=1))
    emails = outbox.newest()
    assert _read(emails) == [_email(2), _email(1), _email(0)]
    assert emails[0].sent_at == store_clock()
    assert _read(outbox.newest(limit=2)) == [_email(2), _email(1)]


def test_emails_sent_at_the_same_time_are_all_stored(
    outbox: Outbox, store_clock: StoreClock
) -> None:
    for _ in range(5):
        outbox.transmit(_email(1), store_clock())
    assert len(outbox.newest()) == 5


def test_emails_expire_after_a_week(outbox: Outbox, store_clock: StoreClock) -> None:
    outbox.transmit(_email(1), store_clock())
    store_clock.advance(days=4)
    outbox.transmit(_email(2), store_clock())
    store_clock.advance(days=3)
    assert _read(outbox.newest()) == [_email(2)]


# The table holds all sessions of the app too: reading e-mails must not scan it.
def test_newest_is_one_query(driver: Driver, outbox: Outbox, store_clock: StoreClock) -> None:
    outbox.transmit(_email(1), store_clock())
    calls: list[Call] = []
    watched = Store(
        driver, tables={expiring: "vote_sessions"}, clock=store_clock, observers=[calls.append]
    )
    assert len(Outbox(watched).newest()) == 1
    assert [type(one.operation).__name__ for call in calls for one in call.requests] == ["Query"]
