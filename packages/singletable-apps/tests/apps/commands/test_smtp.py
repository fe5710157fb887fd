"""E-mails are sent by the SMTP server of --smtp."""

from __future__ import annotations

import pytest

from singletable import connect
from singletable_apps.elections.keys import generate_keys
from singletable_apps.elections.service import open_elections
from singletable_apps.shared.accounts import Passwords
from singletable_apps.shared.email_delivery import InvalidSmtpUrl, parse_smtp_url
from tests.apps.support.mail_server import mail_server


def test_email_is_sent_by_the_server() -> None:
    with mail_server() as post, connect("memory:") as driver:
        mailer = parse_smtp_url(f"smtp+plain://127.0.0.1:{post.port}?from=vote@example.org")
        cheap = Passwords(memory_kib=64, passes=1)
        elections = open_elections(driver, generate_keys(), mailer=mailer, passwords=cheap)
        elections.people.register("ada", "ada@example.org", "correct horse battery")
        elections.auth.request_reset("ADA")
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
