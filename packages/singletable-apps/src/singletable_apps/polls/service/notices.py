"""E-mails to the organizer: one at the first vote, one at the close, none per vote.

Nothing is sent before the owner of the address has confirmed it, except the e-mail that asks. A
poll that closes by time sends its notice with the first look at the results after that.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from singletable import ConditionFailed
from singletable_apps.polls.entities import Poll
from singletable_apps.polls.errors import InvalidInput, NotFound
from singletable_apps.polls.service.context import Context
from singletable_apps.shared.mail import Email, InvalidEmail, check_address
from singletable_apps.shared.service import UNKNOWN_OUTCOME

_LOG = logging.getLogger(__name__)
FIRST_VOTE, CLOSED = "first vote", "closed"
_SUBJECTS = {FIRST_VOTE: "The first vote is in", CLOSED: "Your poll is closed"}
_TEXTS = {
    FIRST_VOTE: "Someone has voted in your poll “{title}”.\n\n{link}\n\nThe next notice comes when "
    "the poll closes.",
    CLOSED: "Your poll “{title}” is closed. See the results:\n\n{link}\n",
}


def check_email(address: str) -> None:
    """Raise InvalidInput unless this is an e-mail address."""
    try:
        check_address(address)
    except InvalidEmail:
        raise InvalidInput({"email": "Enter one address such as ada@example.org."}) from None


@dataclass(frozen=True, slots=True)
class Notices:
    """Ask for the confirmation of an address, and send notices to it."""

    context: Context

    def ask(self, poll: Poll) -> None:
        """Send the link that confirms the address."""
        if poll.email:
            token = self.context.secret.email_token(poll.id, poll.email)
            link = self.context.urls.absolute(
                self.context.urls.poll(poll.id, "notices", token=token)
            )
            self._send(
                poll,
                "Confirm notices about your poll",
                # Without the title, so that nobody can send words of their own to others.
                "Someone, probably you, has created a poll and wants notices to this address. To "
                f"get them, confirm it:\n\n{link}\n\nOtherwise, ignore this e-mail; there will be "
                "no other.",
            )

    def change(self, poll: Poll, email: str) -> None:
        """Send notices to another address once it is confirmed, or to none."""
        changes = Poll.email.set(email or None), Poll.confirmed.set(False)
        self.ask(self.context.store.update(Poll.key(poll.id), *changes))

    def check_token(self, poll: Poll, token: str) -> None:
        """Raise NotFound unless the token is the one that was sent to the address of the poll."""
        if not poll.email or not self.context.secret.is_email_token(poll.id, poll.email, token):
            raise NotFound("This link is not valid. Open the whole link from the e-mail.")

    def confirm(self, poll: Poll, token: str) -> None:
        """Confirm the address with the token that was sent to it."""
        self.check_token(poll, token)
        self.context.store.update(
            Poll.key(poll.id), Poll.confirmed.set(True), Poll.notices.set(poll.notices)
        )

    def notify(self, poll: Poll, event: str) -> None:
        """Send a notice once. If the poll changes at the same time, the next event tries again."""
        if not poll.email or not poll.confirmed or event in poll.notices:
            return
        try:
            self.context.store.update(
                Poll.key(poll.id),
                Poll.confirmed.set(True),
                Poll.notices.set([*poll.notices, event]),
                if_=Poll.revision == poll.revision,
            )
        except (ConditionFailed, *UNKNOWN_OUTCOME):
            return
        urls = self.context.urls
        link = urls.absolute(urls.poll(poll.id, "results"))
        self._send(poll, _SUBJECTS[event], _TEXTS[event].format(title=poll.title, link=link))

    def _send(self, poll: Poll, subject: str, text: str) -> None:
        try:
            self.context.mail.send(Email(poll.email or "", subject, text), self.context.clock())
        except (InvalidEmail, *UNKNOWN_OUTCOME) as error:
            # A vote counts and a poll is created, whether or not the e-mail arrives.
            _LOG.warning("A notice about poll %s was not sent: %s", poll.id, error)
