"""E-mail by SMTP to a real server: accepted messages arrive, errors say what to do."""

from __future__ import annotations

import socket
from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import SMTP
from pathlib import Path
from threading import Thread
from typing import cast

import pytest

from singletable import connect
from singletable_apps.elections.keys import generate_keys
from singletable_apps.elections.service import open_elections
from singletable_apps.shared.accounts import Passwords
from singletable_apps.shared.email_delivery import InvalidSmtpUrl, parse_smtp_url
from singletable_apps.shared.mail import (
    Email,
    EmailDelivery,
    InvalidEmail,
    MailNotSent,
    MailServer,
    MailServerUnreachable,
    Smtp,
)
from tests.apps.support.mail_server import LOGIN, mail_server, make_certificate
from tests.apps.support.mailbox import deliver

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
HERE = "127.0.0.1"
SENDER = "vote@example.org"
EMAIL = Email("ada@example.org", "Zoë’s new password", "Open this:\n.\nhttps://…/reset\n")
USERNAME, PASSWORD = LOGIN.login.decode(), LOGIN.password.decode()


def _send_error(server: MailServer, email: Email = EMAIL) -> MailNotSent:
    with pytest.raises(MailNotSent) as raised:
        server.transmit(email, NOW)
    return raised.value


def test_email_arrives_complete() -> None:
    with mail_server() as server:
        Smtp(HERE, server.port, SENDER, starttls=False).transmit(EMAIL, NOW)
    [(sender, to, content)] = server.received
    assert (sender, to) == (SENDER, ["ada@example.org"])
    message = message_from_bytes(content, policy=SMTP)
    assert message["Subject"] == "Zoë’s new password"
    assert message["Date"] == "Thu, 01 Jan 2026 12:00:00 +0000"
    assert message["Auto-Submitted"] == "auto-generated"
    # A line with only a full stop ends a message in SMTP.
    assert cast(str, message.get_content()).splitlines() == EMAIL.text.splitlines()


def test_addresses_may_be_international() -> None:
    with mail_server() as server:
        smtp = Smtp(HERE, server.port, SENDER, starttls=False)
        smtp.transmit(Email("zoë@bücher.example", "Hello", "Hello"), NOW)
    assert server.received[0][1] == ["zoë@bücher.example"]


def test_password_is_sent_over_tls(tmp_path: Path) -> None:
    tls, client = make_certificate(tmp_path)
    with mail_server(tls=tls, login=True) as server:
        Smtp(HERE, server.port, SENDER, USERNAME, PASSWORD, tls_context=client).transmit(EMAIL, NOW)
        wrong = _send_error(Smtp(HERE, server.port, SENDER, USERNAME, "wrong", tls_context=client))
        nobody = _send_error(Smtp(HERE, server.port, SENDER, tls_context=client))
    assert len(server.received) == 1
    assert "Check the username and password" in str(wrong)
    assert "530" in str(nobody)
    # Nothing is wrong with the e-mails: they wait until the password is right.
    assert isinstance(wrong, MailServerUnreachable)
    assert "wrong" not in str(wrong)


# An attacker could present a certificate of their own.
def test_untrusted_certificate_stops_sending(tmp_path: Path) -> None:
    tls, _ = make_certificate(tmp_path)
    with mail_server(tls=tls) as server:
        error = _send_error(Smtp(HERE, server.port, SENDER))
    assert "certificate" in str(error)
    assert server.received == []


# An attacker could also remove the STARTTLS offer.
def test_server_without_starttls_receives_nothing() -> None:
    with mail_server() as server:
        error = _send_error(Smtp(HERE, server.port, SENDER))
    assert "STARTTLS" in str(error)
    assert server.received == []


def test_password_without_starttls_is_rejected() -> None:
    with pytest.raises(ValueError, match="unencrypted"):
        Smtp(HERE, 25, SENDER, USERNAME, PASSWORD, starttls=False)


@pytest.mark.parametrize(
    ("reply", "is_temporary"), [("550 no such mailbox", False), ("451 the mailbox is busy", True)]
)
def test_rejected_address_is_reported(reply: str, is_temporary: bool) -> None:
    with mail_server() as server:
        server.address_reply = reply
        error = _send_error(Smtp(HERE, server.port, SENDER, starttls=False))
    assert f"rejected the address: {reply}" in str(error)
    # Greylisting is no reason to change an address.
    assert ("Try again later" if is_temporary else "Check the address") in str(error)
    assert error.is_temporary == is_temporary


@pytest.mark.parametrize(
    ("reply", "is_temporary", "advice"),
    [
        ("554 this is an advertisement", False, "will not help"),
        ("452 the disk is full", True, "Try again later"),
    ],
)
def test_rejected_email_says_whether_to_try_again(
    reply: str, is_temporary: bool, advice: str
) -> None:
    with mail_server() as server:
        server.message_reply = reply
        error = _send_error(Smtp(HERE, server.port, SENDER, starttls=False))
    assert reply in str(error)
    assert advice in str(error)
    assert error.is_temporary == is_temporary


def test_unreachable_server_is_reported() -> None:
    with socket.socket() as taken:
        taken.bind((HERE, 0))  # and nobody listens
        port = taken.getsockname()[1]
        error = _send_error(Smtp(HERE, port, SENDER, starttls=False))
    assert f"{HERE}:{port}" in str(error)
    assert error.is_temporary


# The port of some other service.
def test_closed_connection_is_reported() -> None:
    with socket.create_server((HERE, 0)) as other:
        port = other.getsockname()[1]
        server = Smtp(HERE, port, SENDER, starttls=False)
        hang_up = Thread(target=lambda: other.accept()[0].close())
        hang_up.start()
        error = _send_error(server)
        hang_up.join()
    assert error.is_temporary
    assert "again" in str(error)


def test_silent_server_times_out() -> None:
    with socket.create_server((HERE, 0)) as silent:
        port = silent.getsockname()[1]
        error = _send_error(Smtp(HERE, port, SENDER, starttls=False, timeout=0.05))
    assert error.is_temporary
    assert "timed out" in str(error)


@pytest.mark.parametrize("sender", ["", "vote", "vote@example.org\r\nBcc: eve@example.org"])
def test_sender_must_be_one_address(sender: str) -> None:
    with pytest.raises(InvalidEmail):
        Smtp(HERE, 25, sender)


def test_email_is_sent_by_the_server() -> None:
    with mail_server() as post, connect("memory:") as driver:
        server = parse_smtp_url(f"smtp+plain://127.0.0.1:{post.port}?from=vote@example.org")
        cheap = Passwords(memory_kib=64, passes=1)
        elections = open_elections(
            driver, generate_keys(), emails=EmailDelivery(server), passwords=cheap
        )
        elections.people.register("ada", "ada@example.org", "correct horse battery")
        elections.auth.request_reset("ADA")
        assert post.received == []
        deliver(elections)
    [(sender, to, content)] = post.received
    assert (sender, to) == ("vote@example.org", ["ada@example.org"])
    assert b"/elections/reset?token" in content


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("mail.example.org", "is not valid"),
        ("smtp://mail.example.org", "is not valid"),
        ("smtp://mail.example.org:no?from=a@b.c", "is not valid"),
        ("http://mail.example.org?from=a@b.c", "is not valid"),
        ("smtp://me:secret@mail.example.org?from=a@b.c", "SMTP_PASSWORD"),
        ("smtp://mail.example.org?from=nobody", "nobody"),
        ("smtp+plain://me@mail.example.org?from=a@b.c", "unencrypted"),
    ],
)
def test_invalid_smtp_url_is_rejected(address: str, why: str) -> None:
    with pytest.raises(InvalidSmtpUrl, match=why):
        parse_smtp_url(address)
