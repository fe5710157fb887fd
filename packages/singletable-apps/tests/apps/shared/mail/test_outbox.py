"""Queued e-mails are sent once, repeated after temporary problems, and bounces are noted."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest

from singletable import Call, Store, connect
from singletable.testing import StoreClock
from singletable_apps.shared import outbox
from singletable_apps.shared.expiry import expiring
from singletable_apps.shared.mail import (
    Email,
    EmailDelivery,
    InvalidEmail,
    MailNotSent,
    MailServerUnreachable,
    build_message,
)
from singletable_apps.shared.outbox import (
    ESSENTIAL_PER_HOUR,
    FROM_ALL,
    LEASE,
    MESSAGES,
    PER_AUTHOR,
    PER_DAY,
    PER_HOUR,
    RESETS,
    RETRIES,
    SECURITY,
    SITE,
    Author,
    DeliveryState,
    Notice,
    Outbox,
    QueuedEmail,
    SealedEmail,
    newest_emails,
    note_bounce,
)
from tests.apps.support.tables import stored_text

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
TEXT = "Vote here: {link}\nNo more reminders: {unsubscribe}"
SECRET = b"a secret of thirty-two bytes or more"
EVE = Author("7")
ADA = Notice(
    author=SITE,
    about="e1",
    purpose="invitation",
    recipient="ada",
    to="ada@example.org",
    subject="Vote",
    text=TEXT,
    can_unsubscribe=True,
)
BEN = replace(ADA, recipient="ben", to="ben@example.org")


@dataclass
class Server:
    """A mail server that answers with `problems` first."""

    problems: list[Exception] = field(default_factory=list[Exception])
    received: list[Email] = field(default_factory=list[Email])

    def transmit(self, email: Email, now: datetime) -> None:
        if self.problems:
            raise self.problems.pop(0)
        self.received.append(email)


@pytest.fixture
def store() -> Store:
    store = Store(connect("memory:"), clock=lambda: NOW)
    store.admin.create_table(expiring)
    return store


@pytest.fixture
def server() -> Server:
    return Server()


def make_queue(store: Store, server: Server) -> Outbox:
    return Outbox(
        store,
        EmailDelivery(server),
        secret=SECRET,
        link=lambda about, recipient: f"https://vote.example/{about}/{recipient}",
        unsubscribe=lambda about, recipient: f"https://vote.example/stop/{recipient}",
    )


@pytest.fixture
def queue(store: Store, server: Server, monkeypatch: pytest.MonkeyPatch) -> Outbox:
    """Return an outbox that sends two e-mails at once."""
    monkeypatch.setattr(outbox, "AT_ONCE", 2)
    return make_queue(store, server)


@pytest.fixture
def fast(store: Store, server: Server, monkeypatch: pytest.MonkeyPatch) -> Outbox:
    """Return an outbox that sends everything at once."""
    monkeypatch.setattr(outbox, "AT_ONCE", 5_000)
    return make_queue(store, server)


def states(queue: Outbox) -> dict[str, str]:
    return {each.recipient: each.state for each in queue.deliveries("e1")}


def test_each_notice_is_sent_once(queue: Outbox, server: Server) -> None:
    assert queue.enqueue([ADA, BEN, ADA], NOW) == 2
    assert states(queue) == {"ada": "waiting", "ben": "waiting"}
    assert queue.enqueue([ADA], NOW) == 0
    assert queue.deliver(NOW) == 2
    assert queue.enqueue([ADA, BEN], NOW) == 0
    assert queue.deliver(NOW + timedelta(days=1)) == 0
    assert sorted(each.to for each in server.received) == ["ada@example.org", "ben@example.org"]
    assert states(queue) == {"ada": "sent", "ben": "sent"}
    assert queue.enqueue([replace(ADA, purpose="reminder")], NOW) == 1


def test_links_are_only_in_what_is_sent(queue: Outbox, server: Server, store: Store) -> None:
    queue.enqueue([ADA], NOW)
    (stored,) = store.query(QueuedEmail.key.partition())
    assert stored.text == TEXT
    queue.deliver(NOW)
    (email,) = server.received
    assert email.text == (
        "Vote here: https://vote.example/e1/ada\nNo more reminders: https://vote.example/stop/ada"
    )
    message = build_message(email, "vote@example.org", NOW)
    assert message["List-Unsubscribe"] == "<https://vote.example/stop/ada>"
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert message["Message-ID"] == "<e1.invitation.ada@example.org>"


def test_long_url_to_unsubscribe_is_sent_as_it_is() -> None:
    # Programs that offer one click look for < and >, and decode nothing (RFC 2369).
    url = f"https://vote.example/stop/{'x' * 150}"
    email = Email("ada@example.org", "Übung " * 20, "Hello", unsubscribe=url)
    lines = bytes(build_message(email, "vote@example.org", NOW)).split(b"\r\n")
    assert f"List-Unsubscribe: <{url}>".encode() in lines
    assert all(len(line) < 80 for line in lines if url.encode() not in line)


def test_no_more_than_the_limit_is_sent_at_once(queue: Outbox) -> None:
    many = [
        replace(ADA, recipient=f"voter-{number}", to=f"v{number}@example.org")
        for number in range(120)
    ]
    assert queue.enqueue(many, NOW) == 120
    assert [queue.deliver(NOW) for _ in range(61)] == [2] * 60 + [0]


def test_temporary_problems_are_retried_and_then_noted(queue: Outbox, server: Server) -> None:
    server.problems = [MailNotSent("Busy.", is_temporary=True) for _ in range(len(RETRIES) + 1)]
    queue.enqueue([ADA], NOW)
    now = NOW
    for wait in RETRIES:
        assert queue.deliver(now) == 0
        (delivery,) = queue.deliveries("e1")
        assert (delivery.state, delivery.problem) == (DeliveryState.WAITING, "Busy.")
        assert queue.deliver(now + wait - timedelta(seconds=1)) == 0
        assert len(server.problems) > 0
        now += wait
    queue.deliver(now)
    assert states(queue) == {"ada": "failed"}
    assert server.problems == []
    assert queue.enqueue([ADA], now) == 1
    assert queue.deliver(now) == 1
    assert states(queue) == {"ada": "sent"}


@pytest.mark.parametrize(
    "problem", [MailNotSent("No such mailbox.", is_temporary=False), InvalidEmail("Too long.")]
)
def test_permanent_problems_are_noted_at_once(
    queue: Outbox, server: Server, problem: Exception
) -> None:
    server.problems = [problem]
    queue.enqueue([ADA, BEN], NOW)
    assert queue.deliver(NOW) == 1
    failed = [each for each in queue.deliveries("e1") if each.state == "failed"]
    assert [each.problem for each in failed] == [str(problem)]


def test_others_wait_while_the_server_does_not_answer(queue: Outbox, server: Server) -> None:
    server.problems = [MailServerUnreachable("Timed out.")]
    queue.enqueue([ADA, BEN], NOW)
    assert queue.deliver(NOW) == 0
    assert server.received == []
    assert queue.deliver(NOW + timedelta(seconds=5)) == 1
    assert sorted(states(queue).values()) == ["sent", "waiting"]
    assert queue.deliver(NOW + RETRIES[0]) == 1


def test_another_process_sends_what_a_killed_one_had(queue: Outbox, server: Server) -> None:
    server.problems = [KeyboardInterrupt()]  # type: ignore[list-item]
    queue.enqueue([ADA], NOW)
    with pytest.raises(KeyboardInterrupt):
        queue.deliver(NOW)
    assert queue.deliver(NOW + LEASE - timedelta(seconds=1)) == 0
    assert queue.deliver(NOW + LEASE) == 1


def test_two_processes_do_not_send_the_same(store: Store, queue: Outbox) -> None:
    class Other:
        sent = 0

        def transmit(self, email: Email, now: datetime) -> None:
            self.sent += 1
            assert queue.deliver(now) == 0

    other = Other()
    queue.enqueue([ADA], NOW)
    queue_of_other = Outbox(
        store, EmailDelivery(other), secret=SECRET, link=lambda about, recipient: ""
    )
    assert queue_of_other.deliver(NOW) == 1
    assert other.sent == 1


def notices(
    count: int, author: Author, to: str = "ada@example.org", start: int = 0
) -> list[Notice]:
    return [
        replace(ADA, author=author, purpose=f"again-{number}", to=to)
        for number in range(start, start + count)
    ]


# Someone renewed the link of a stranger sixty times, who got sixty e-mails within seconds.
def test_address_gets_few_emails_of_one_author(fast: Outbox, server: Server) -> None:
    fast.enqueue(notices(60, EVE), NOW)
    sent = [fast.deliver(NOW + timedelta(hours=hour)) for hour in range(8)]
    assert sent == [PER_HOUR, PER_HOUR, PER_HOUR, 0, 0, 0, 0, 0]
    assert len(server.received) == PER_DAY
    problems = {each.problem for each in fast.deliveries("e1") if each.state == "failed"}
    assert len(problems) == 1
    # Others still reach this address.
    fast.enqueue(notices(1, Author("8"), start=60), NOW)
    assert fast.deliver(NOW + timedelta(hours=8)) == 1
    fast.enqueue(notices(1, EVE, start=70), NOW + timedelta(days=1))
    assert fast.deliver(NOW + timedelta(days=1)) == 1


@pytest.mark.parametrize("to", ["ada@example.org", "Ada+{}@Example.org"])
def test_address_gets_a_limited_number_from_all_authors(
    fast: Outbox, server: Server, to: str
) -> None:
    for number in range(FROM_ALL // PER_HOUR + 2):
        batch = notices(PER_HOUR, Author(str(number)), to.format(number), start=number * 100)
        fast.enqueue(batch, NOW)
    fast.deliver(NOW)
    assert len(server.received) == FROM_ALL


def test_author_sends_a_limited_number_in_a_day(fast: Outbox, server: Server) -> None:
    def roll(author: Author) -> list[Notice]:
        return [
            replace(ADA, author=author, recipient=str(number), to=f"v{number}@example.org")
            for number in range(PER_AUTHOR + 2)
        ]

    assert fast.enqueue(roll(EVE), NOW) == PER_AUTHOR
    failed = [each for each in fast.deliveries("e1") if each.state == "failed"]
    assert len(failed) == 2
    assert "an administrator" in failed[0].problem
    assert fast.enqueue(roll(EVE), NOW) == 0
    # The others are sent on the next day, or by an administrator.
    assert fast.enqueue(roll(EVE), NOW + timedelta(days=1)) == 2
    other = [replace(each, about="e2") for each in roll(Author("1", has_daily_limit=False))]
    assert fast.enqueue(other, NOW) == PER_AUTHOR + 2


def test_failed_attempts_are_counted_once(fast: Outbox, server: Server) -> None:
    server.problems = [MailNotSent("Busy.", is_temporary=True)] * PER_HOUR
    fast.enqueue(notices(PER_HOUR, EVE), NOW)
    assert fast.deliver(NOW) == 0
    assert fast.deliver(NOW + RETRIES[0]) == PER_HOUR


RESET = Email("ada@example.org", "Reset", "Open {link} https://x.example/reset?token=7", "b@x.org")


def test_single_email_is_sent_first_and_leaves_nothing(
    fast: Outbox, store: Store, server: Server
) -> None:
    fast.enqueue([BEN], NOW)
    fast.send(RESET, NOW)
    stored = stored_text(store, "kept")
    for secret in ("ada@", "Reset", "token=7", "b@x.org"):
        assert secret not in stored
    assert fast.deliver(NOW) == 2
    assert server.received[0] == RESET
    assert [*store.query(SealedEmail.key.partition())] == []
    assert fast.deliver(NOW + timedelta(days=1)) == 0


def test_single_email_is_sent_again_after_temporary_problems(
    fast: Outbox, store: Store, server: Server
) -> None:
    server.problems = [MailServerUnreachable("Timed out."), MailNotSent("No.", is_temporary=False)]
    fast.send(RESET, NOW)
    assert [fast.deliver(NOW), fast.deliver(NOW)] == [0, 0]
    assert fast.deliver(NOW + RETRIES[0]) == 0
    assert [*store.query(SealedEmail.key.partition())] == []


def test_single_emails_have_limits_too(fast: Outbox, server: Server) -> None:
    for _ in range(PER_HOUR + 3):
        fast.send(RESET, NOW)
    assert fast.deliver(NOW) == PER_HOUR
    assert fast.deliver(NOW + timedelta(hours=3)) == 0


def test_single_email_of_another_secret_is_dropped(
    fast: Outbox, store: Store, server: Server
) -> None:
    fast.send(RESET, NOW)
    other = Outbox(store, EmailDelivery(server), secret=SECRET[::-1], link=lambda *_: "")
    assert [other.deliver(NOW), fast.deliver(NOW)] == [0, 0]


# A stranger could subscribe and write to an address until its owner gets no link to reset the
# password, and no notice that it was changed.
@pytest.mark.parametrize("essential", [SECURITY, RESETS])
def test_nobody_keeps_essential_emails_from_an_address(
    fast: Outbox, server: Server, essential: Author
) -> None:
    for number in range(FROM_ALL):
        fast.send(replace(RESET, subject="Spam"), NOW, Author(str(number)))
    others = [each for each in (SECURITY, RESETS, MESSAGES) if each is not essential]
    for other in [SITE, *others] * FROM_ALL:
        fast.send(replace(RESET, subject="Spam"), NOW, other)
    fast.deliver(NOW)
    server.received.clear()
    fast.send(RESET, NOW, essential)
    fast.deliver(NOW)
    assert RESET in server.received


@pytest.mark.parametrize("essential", [SECURITY, RESETS, MESSAGES])
def test_essential_emails_wait_and_none_is_dropped(fast: Outbox, essential: Author) -> None:
    for _ in range(2 * ESSENTIAL_PER_HOUR + 3):
        fast.send(RESET, NOW, essential)
    sent = [fast.deliver(NOW + timedelta(hours=hour)) for hour in range(4)]
    assert sent == [ESSENTIAL_PER_HOUR, ESSENTIAL_PER_HOUR, 3, 0]


def test_single_emails_of_an_author_are_limited_in_a_day(
    fast: Outbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "PER_AUTHOR", 3)
    assert [fast.send(RESET, NOW, EVE) for _ in range(5)] == [True] * 3 + [False] * 2
    assert fast.send(RESET, NOW + timedelta(days=1), EVE)
    assert not fast.send(None, NOW, SITE)


def report(action: str, original: str, kind: str = "message/rfc822") -> bytes:
    """Return a report of a mail server about an e-mail."""
    parts = [
        "Content-Type: text/plain\n\nSorry.",
        "Content-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example\n\n"
        "Final-Recipient: rfc822; ada@example.org\n"
        f"Action: {action}\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 No such user",
        f"Content-Type: {kind}\n\nMessage-ID: {original}\nSubject: Vote\n\n",
    ]
    head = (
        "Subject: Undelivered Mail\nMessage-ID: <20260301.12.ab@mx.example>\nMIME-Version: 1.0\n"
        'Content-Type: multipart/report; report-type=delivery-status; boundary="=="\n\n'
    )
    return (head + "".join(f"--==\n{part}\n" for part in parts) + "--==--\n").encode()


@pytest.mark.parametrize("kind", ["message/rfc822", "text/rfc822-headers"])
def test_reports_of_bounces_are_noted(queue: Outbox, store: Store, kind: str) -> None:
    queue.enqueue([ADA], NOW)
    queue.deliver(NOW)
    sent = "<e1.invitation.ada@example.org>"
    assert note_bounce(store, report("delayed", sent, kind), NOW) is None
    assert note_bounce(store, report("failed", "<other@example.org>", kind), NOW) is None
    assert note_bounce(store, report("failed", "<e1.invitation.eve@x>", kind), NOW) is None
    assert note_bounce(store, b"Hello", NOW) is None
    assert states(queue) == {"ada": "sent"}
    noted = note_bounce(store, report("failed", sent, kind), NOW)
    assert noted is not None
    assert noted.problem == "smtp; 550 5.1.1 No such user"
    assert states(queue) == {"ada": "failed"}


@pytest.mark.parametrize(
    "change", [{"recipient": "a b"}, {"about": ""}, {"purpose": "a.b"}, {"to": "nobody"}]
)
def test_notices_are_checked_when_they_are_made(change: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="Expected"):
        replace(ADA, **change)  # type: ignore[arg-type]


# ------------------------------------------------------------------------------ without a server


def _email(number: int) -> Email:
    text = "Zoë\r\n\tsays hello. \0"
    return Email("ada@example.org", f"E-mail {number}", text, reply_to="zoe@example.org")


def _kept(store: Store, limit: int = 50) -> list[Email]:
    kept = newest_emails(store, limit)
    return [Email(each.to, each.subject, each.text, each.reply_to) for each in kept]


def test_emails_without_a_server_are_kept_unchanged_and_shown(store: Store) -> None:
    shown: list[Email] = []
    kept = Outbox(store, EmailDelivery(show=shown.append), secret=SECRET)
    assert _kept(store) == []
    for number in range(3):
        assert kept.send(_email(number), NOW)
        assert kept.deliver(NOW + timedelta(seconds=number)) == 1
    assert _kept(store) == [_email(2), _email(1), _email(0)]
    assert newest_emails(store)[0].sent_at == NOW + timedelta(seconds=2)
    assert _kept(store, 2) == [_email(2), _email(1)]
    assert shown == [_email(0), _email(1), _email(2)]


def test_emails_of_the_same_moment_are_all_kept(store: Store) -> None:
    kept = Outbox(store, secret=SECRET)
    for _ in range(5):
        kept.send(_email(1), NOW)
    assert kept.deliver(NOW) == len(_kept(store)) == 5


def test_kept_emails_expire_after_a_week() -> None:
    clock = StoreClock()
    store = Store(connect("memory:"), clock=clock)
    store.admin.create_table(expiring)
    kept = Outbox(store, secret=SECRET)
    for number, days in ((1, 4), (2, 3)):
        kept.send(_email(number), clock())
        kept.deliver(clock())
        clock.advance(days=days)
    assert _kept(store) == [_email(2)]


# The table holds all sessions of the app too: reading e-mails must not scan it.
def test_newest_emails_are_one_query() -> None:
    driver = connect("memory:")
    store = Store(driver, clock=lambda: NOW)
    store.admin.create_table(expiring)
    kept, calls = Outbox(store, secret=SECRET), list[Call]()
    kept.send(_email(1), NOW)
    kept.deliver(NOW)
    watched = Store(driver, clock=lambda: NOW, observers=[calls.append])
    assert len(newest_emails(watched)) == 1
    assert [type(one.operation).__name__ for call in calls for one in call.requests] == ["Query"]
