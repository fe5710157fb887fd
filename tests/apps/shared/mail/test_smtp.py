"""Letters by SMTP, on a real server: what is taken arrives whole, what is not says what to do."""

from __future__ import annotations

import socket
from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import SMTP
from pathlib import Path
from threading import Thread
from typing import cast

import pytest

from singletable_apps.shared.mail import Email, InvalidEmail, Mailer, MailNotSent, Smtp
from tests.apps.shared.mail.certificate import certificate
from tests.apps.shared.mail.server import WORDS, mail_server

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
HERE = "127.0.0.1"
SENDER = "vote@example.org"
LETTER = Email("ada@example.org", "Zoë’s new password", "Open this:\n.\nhttps://…/reset\n")
USERNAME, PASSWORD = WORDS.login.decode(), WORDS.password.decode()


def _refusal(mailer: Mailer, letter: Email = LETTER) -> MailNotSent:
    with pytest.raises(MailNotSent) as refused:
        mailer.send(letter, NOW)
    return refused.value


def test_a_letter_arrives_whole() -> None:
    with mail_server() as post:
        Smtp(HERE, post.port, SENDER, starttls=False).send(LETTER, NOW)
    [(sender, to, content)] = post.taken
    assert (sender, to) == (SENDER, ["ada@example.org"])
    message = message_from_bytes(content, policy=SMTP)
    assert message["Subject"] == "Zoë’s new password"
    assert message["Date"] == "Thu, 01 Jan 2026 12:00:00 +0000"
    assert message["Auto-Submitted"] == "auto-generated"
    # A line that is only a full stop would end the letter for the server.
    assert cast(str, message.get_content()).splitlines() == LETTER.text.splitlines()


def test_an_address_may_have_any_letters() -> None:
    with mail_server() as post:
        mailer = Smtp(HERE, post.port, SENDER, starttls=False)
        mailer.send(Email("zoë@bücher.example", "Hello", "Hello"), NOW)
    assert post.taken[0][1] == ["zoë@bücher.example"]


def test_a_password_is_sent_on_a_line_that_nobody_reads(tmp_path: Path) -> None:
    shown, trusted = certificate(tmp_path)
    with mail_server(certificate=shown, login=True) as post:
        Smtp(HERE, post.port, SENDER, USERNAME, PASSWORD, trusted=trusted).send(LETTER, NOW)
        wrong = _refusal(Smtp(HERE, post.port, SENDER, USERNAME, "wrong", trusted=trusted))
        nobody = _refusal(Smtp(HERE, post.port, SENDER, trusted=trusted))
    assert len(post.taken) == 1
    assert "Look at username and password" in str(wrong)
    assert "530" in str(nobody)
    assert not wrong.passing
    assert "wrong" not in str(wrong)


# Whoever sits on the line could show a certificate of their own.
def test_a_certificate_that_is_not_trusted_ends_it(tmp_path: Path) -> None:
    shown, _ = certificate(tmp_path)
    with mail_server(certificate=shown) as post:
        refusal = _refusal(Smtp(HERE, post.port, SENDER))
    assert "certificate" in str(refusal)
    assert post.taken == []


# Whoever sits on the line could also leave the offer out.
def test_a_server_without_starttls_gets_nothing() -> None:
    with mail_server() as post:
        refusal = _refusal(Smtp(HERE, post.port, SENDER))
    assert "STARTTLS" in str(refusal)
    assert post.taken == []


def test_no_password_is_sent_in_clear() -> None:
    with pytest.raises(ValueError, match="in clear"):
        Smtp(HERE, 25, SENDER, USERNAME, PASSWORD, starttls=False)


@pytest.mark.parametrize(
    ("said", "passing"), [("550 no such mailbox", False), ("451 the mailbox is busy", True)]
)
def test_an_address_that_the_server_refuses_is_named_so(said: str, passing: bool) -> None:
    with mail_server() as post:
        post.to_address = said
        refusal = _refusal(Smtp(HERE, post.port, SENDER, starttls=False))
    assert f"does not take the address: {said}" in str(refusal)
    assert refusal.passing == passing


@pytest.mark.parametrize(
    ("said", "passing", "advice"),
    [
        ("554 this is an advertisement", False, "will not help"),
        ("452 the disk is full", True, "again later"),
    ],
)
def test_a_letter_that_the_server_refuses_says_whether_to_try_again(
    said: str, passing: bool, advice: str
) -> None:
    with mail_server() as post:
        post.to_letter = said
        refusal = _refusal(Smtp(HERE, post.port, SENDER, starttls=False))
    assert said in str(refusal)
    assert advice in str(refusal)
    assert refusal.passing == passing


def test_a_server_that_is_not_there_is_told() -> None:
    with socket.socket() as taken:
        taken.bind((HERE, 0))  # and nobody listens
        port = taken.getsockname()[1]
        refusal = _refusal(Smtp(HERE, port, SENDER, starttls=False))
    assert f"{HERE}:{port} cannot be reached" in str(refusal)
    assert refusal.passing


# A port of something else: it answers, but not as a mail server does.
def test_a_server_that_hangs_up_is_told() -> None:
    with socket.create_server((HERE, 0)) as other:
        port = other.getsockname()[1]
        mailer = Smtp(HERE, port, SENDER, starttls=False)
        hang_up = Thread(target=lambda: other.accept()[0].close())
        hang_up.start()
        refusal = _refusal(mailer)
        hang_up.join()
    assert refusal.passing
    assert "again" in str(refusal)


def test_a_server_that_says_nothing_is_told() -> None:
    with socket.create_server((HERE, 0)) as silent:
        port = silent.getsockname()[1]
        refusal = _refusal(Smtp(HERE, port, SENDER, starttls=False, timeout=0.05))
    assert refusal.passing
    assert "timed out" in str(refusal)


@pytest.mark.parametrize("sender", ["", "vote", "vote@example.org\r\nBcc: eve@example.org"])
def test_a_sender_is_one_address(sender: str) -> None:
    with pytest.raises(InvalidEmail):
        Smtp(HERE, 25, sender)
