"""Letters of the service go by the mail server that an operator names."""

from __future__ import annotations

import logging

import pytest

from singletable import connect
from singletable_apps.elections.app import InvalidSmtpUrl, parse_smtp_url
from singletable_apps.elections.keys import generate_keys
from singletable_apps.elections.service import open_elections
from singletable_apps.shared.accounts import Passwords
from tests.apps.support.mail_server import mail_server


def test_a_letter_goes_by_the_server_that_was_named() -> None:
    with mail_server() as post, connect("memory:") as driver:
        mailer = parse_smtp_url(f"smtp+plain://127.0.0.1:{post.port}?from=vote@example.org")
        cheap = Passwords(memory_kib=64, passes=1)
        elections = open_elections(driver, generate_keys(), mailer=mailer, passwords=cheap)
        elections.people.register("ada", "ada@example.org", "correct horse battery")
        elections.auth.request_reset("ADA")
    [(sender, to, content)] = post.received
    assert (sender, to) == ("vote@example.org", ["ada@example.org"])
    assert b"/elections/reset?token" in content


# Who has an account would otherwise be told apart from who has none.
def test_who_asks_is_told_the_same_when_no_letter_can_be_sent(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with connect("memory:") as driver:
        mailer = parse_smtp_url("smtp+plain://127.0.0.1:1?from=vote@example.org")
        cheap = Passwords(memory_kib=64, passes=1)
        elections = open_elections(driver, generate_keys(), mailer=mailer, passwords=cheap)
        elections.people.register("ada", "ada@example.org", "correct horse battery")
        with caplog.at_level(logging.ERROR):
            elections.auth.request_reset("ada")
    assert "A letter could not be sent." in caplog.text


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("mail.example.org", "is none"),
        ("smtp://mail.example.org", "is none"),
        ("smtp://mail.example.org:no?from=a@b.c", "is none"),
        ("http://mail.example.org?from=a@b.c", "is none"),
        ("smtp://me:secret@mail.example.org?from=a@b.c", "SMTP_PASSWORD"),
        ("smtp://mail.example.org?from=nobody", "nobody"),
        ("smtp+plain://me@mail.example.org?from=a@b.c", "unencrypted"),
    ],
)
def test_an_address_that_cannot_be_is_refused_in_words(address: str, why: str) -> None:
    with pytest.raises(InvalidSmtpUrl, match=why):
        parse_smtp_url(address)
