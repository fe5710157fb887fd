"""Messages from the contact form reach the owner, and nobody can misuse the form to send mail."""

from __future__ import annotations

from dataclasses import replace
from email import message_from_bytes
from email.policy import SMTP

import pytest

from singletable import Store
from singletable_apps.portfolio.comment_rules import ContactDraft
from singletable_apps.portfolio.rules import SwitchedOff
from singletable_apps.portfolio.service.comments import MESSAGES_PER_HOUR
from singletable_apps.shared.errors import Busy, InvalidInput
from singletable_apps.shared.mail import MailServerUnreachable, build_message
from singletable_apps.shared.outbox import ESSENTIAL_PER_HOUR
from tests.apps.portfolio.support.harness import World
from tests.apps.support.tables import stored_text

DRAFT = ContactDraft("Bob", "bob@example.org", "Hello!\n\nWill you give a talk?")


@pytest.fixture
def site(memory: World) -> World:
    """Return a site whose owner has an address."""
    memory.service.profile.update_settings(memory.user(), {"title": "Ada's notes"})
    memory.service.profile.update_portfolio(memory.user(), {"email": "ada@home.example"})
    return memory


def test_message_is_sent_to_the_owner_and_replies_to_the_visitor(site: World) -> None:
    site.service.contact.send(replace(DRAFT, name=" Bob  B. ", email=" bob@example.org "))
    [email] = site.mailbox.emails
    assert (email.to, email.reply_to) == ("ada@home.example", "bob@example.org")
    assert email.subject == "Message from Bob B."
    assert email.text.startswith(DRAFT.message)
    assert "Bob B. <bob@example.org> wrote this in the contact form of Ada's notes." in email.text


def test_message_is_sent_to_the_account_of_the_owner(memory: World) -> None:
    owner = memory.user()
    Store(memory.driver).create(owner)
    memory.service.contact.send(DRAFT)
    assert [email.to for email in memory.mailbox.emails] == [owner.email]


def test_site_without_an_owner_takes_no_messages(memory: World) -> None:
    with pytest.raises(SwitchedOff):
        memory.service.contact.send(DRAFT)


@pytest.mark.parametrize(
    ("draft", "fields"),
    [
        (ContactDraft("", "", ""), ["name", "email", "message"]),
        (replace(DRAFT, name="x" * 81), ["name"]),
        (replace(DRAFT, name="\x07"), ["name"]),
        *(
            (replace(DRAFT, email=each), ["email"])
            for each in ("bob", "tess@nodot", "tess@nodot.", "")
        ),
        (replace(DRAFT, email="bob@example.org, eve@example.org"), ["email"]),
        (replace(DRAFT, email="bob@example.org\r\nBcc: eve@example.org"), ["email"]),
        (replace(DRAFT, message="x" * 5_001), ["message"]),
        (replace(DRAFT, message="\x00"), ["message"]),
        (replace(DRAFT, message="a\x00"), ["message"]),
        (replace(DRAFT, message="\ud800a"), ["message"]),
    ],
    ids=range(13),
)
def test_invalid_message_names_the_fields(
    site: World, draft: ContactDraft, fields: list[str]
) -> None:
    with pytest.raises(InvalidInput) as raised:
        site.service.contact.send(draft)
    assert list(raised.value.errors) == fields
    assert site.mailbox.emails == []


# A name of several lines becomes one line, so it cannot add a header.
@pytest.mark.parametrize("name", ["Bob\r\nBcc: eve@example.org", "Bob\u2028Bcc: eve@example.org"])
def test_name_cannot_inject_a_header(site: World, name: str) -> None:
    site.service.contact.send(replace(DRAFT, name=name))
    sent = build_message(site.mailbox.emails[0], "site@example.org", site.clock()).as_bytes()
    read = message_from_bytes(sent, policy=SMTP)
    assert read["Bcc"] is None
    assert read["Subject"] == "Message from Bob Bcc: eve@example.org"


def test_message_waits_for_the_mail_server(site: World) -> None:
    site.server.error = MailServerUnreachable("It does not answer.")
    site.service.contact.send(DRAFT)
    assert site.mailbox.emails == []
    site.server.error = None
    site.clock.advance(minutes=2)
    assert len(site.mailbox.emails) == 1


def test_messages_are_not_stored(site: World) -> None:
    site.service.contact.send(DRAFT)
    store = site.service.context.store
    # While it waits, it is encrypted.
    for table in ("DataTable", "portfolio_sessions"):
        assert "bob@example.org" not in stored_text(store, table)


def test_owner_is_not_flooded_from_many_networks(site: World) -> None:
    for _ in range(MESSAGES_PER_HOUR):
        site.service.contact.send(DRAFT)
    with pytest.raises(Busy, match="in an hour"):
        site.service.contact.send(DRAFT)
    sent = []
    for _ in range(MESSAGES_PER_HOUR // ESSENTIAL_PER_HOUR):
        sent.append(len(site.mailbox.emails))
        site.clock.advance(hours=1)
    assert sent == [*range(ESSENTIAL_PER_HOUR, MESSAGES_PER_HOUR + 1, ESSENTIAL_PER_HOUR)]
    site.service.contact.send(DRAFT)
