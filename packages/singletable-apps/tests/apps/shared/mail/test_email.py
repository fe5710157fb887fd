"""E-mails have one address and a subject of one line: nothing can inject a header."""

from __future__ import annotations

from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import SMTP
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.shared.mail import Email, InvalidEmail, build_message

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
HEADERS = [
    "From",
    "To",
    "Subject",
    "Date",
    "Message-ID",
    "Auto-Submitted",
    "Content-Type",
    "Content-Transfer-Encoding",
    "MIME-Version",
]


@pytest.mark.parametrize(
    "to",
    [
        "",
        "ada",
        "@example.org",
        "ada@",
        "ada@example.org\n",
        "ada@example.org\r\nBcc: eve@example.org",
        "ada@example.org,eve@example.org",
        "ada@example.org;eve@example.org",
        "ada@example.org eve@example.org",
        "Ada <ada@example.org>",
        "ada@exa@mple.org",
        "ada@example.org\u2028",
        "ada@example..org",
        "ada@example.org.",
        "ada@.org",
        "ada\x85@example.org",
        "ada\0@example.org",
        "ad\ud800a@example.org",
        "a" * 250 + "@example.org",
    ],
)
def test_email_rejects_anything_but_one_address(to: str) -> None:
    with pytest.raises(InvalidEmail):
        Email(to, "Hello", "")
    if to:
        with pytest.raises(InvalidEmail):
            Email("ada@example.org", "Hello", "", reply_to=to)


@pytest.mark.parametrize(
    "to", ["ada@example.org", "a.b+c@x.example", "zoë@bücher.example", "root@localhost", "o'n@e.ie"]
)
def test_email_accepts_addresses(to: str) -> None:
    assert Email(to, "Hello", "").to == to
    assert Email("ada@example.org", "Hello", "", reply_to=to).reply_to == to


def test_replies_go_to_the_address_for_replies() -> None:
    email = Email("ada@example.org", "Hello", "", reply_to="bob@example.org")
    read = message_from_bytes(build_message(email, "site@example.org", NOW).as_bytes(), policy=SMTP)
    assert (read["From"], read["To"]) == ("site@example.org", "ada@example.org")
    assert read["Reply-To"] == "bob@example.org"


@pytest.mark.parametrize(
    "subject",
    [
        "",
        "  ",
        "x" * 201,
        "a\nBcc: eve@example.org",
        "a\r",
        "a\tb",
        "a\0",
        "a\x85b",
        "a\u2028b",
        "\ud800",
    ],
    ids=range(10),
)
def test_email_rejects_subjects_that_are_not_one_line(subject: str) -> None:
    with pytest.raises(InvalidEmail):
        Email("ada@example.org", subject, "")


def test_email_must_fit_into_an_item() -> None:
    assert Email("ada@example.org", "Long", "é" * 50_000).subject == "Long"
    with pytest.raises(InvalidEmail, match="at most 100,000 bytes, but got 100,001"):
        Email("ada@example.org", "Long", "é" * 50_000 + ".")
    with pytest.raises(InvalidEmail, match="half a character"):
        Email("ada@example.org", "Half", "\ud800")


# The message has exactly our headers. White space in the subject may change, as long ones are
# folded.
@given(
    st.one_of(st.text(max_size=80), st.text("aé \t\r\n:?=", max_size=200)),
    st.text("abé \r\n.:-", max_size=300),
)
def test_valid_email_becomes_a_message_with_no_other_headers(subject: str, text: str) -> None:
    try:
        email = Email("ada@example.org", subject, text)
    except InvalidEmail:
        return
    sent = build_message(email, "vote@example.org", NOW).as_bytes()
    read = message_from_bytes(sent, policy=SMTP)
    assert read.keys() == HEADERS
    assert read["To"] == "ada@example.org"
    assert "".join(str(read["Subject"]).split()) == "".join(subject.split())
    content = cast(str, read.get_content())
    assert content.split() == text.split()
