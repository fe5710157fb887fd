"""The store, secret and clock that every part of the service works with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from singletable import Store, TransactionConflict, retry_conflicts
from singletable_apps.polls import patterns
from singletable_apps.polls.entities import Poll
from singletable_apps.polls.errors import Busy, InvalidAdminKey, WrongSecret
from singletable_apps.polls.rules import check_exists
from singletable_apps.polls.tokens import Secret, parse_poll_id
from singletable_apps.polls.urls import Urls
from singletable_apps.shared.outbox import Outbox

MAX_ATTEMPTS = 10


retry_edits = retry_conflicts(
    attempts=MAX_ATTEMPTS,
    also=[TransactionConflict],
    idempotent=True,
    otherwise=lambda: Busy("Others keep changing this poll. Try again."),
)


@dataclass(frozen=True, slots=True)
class Context:
    """The store, the server secret, the clock, the URLs of the pages and the queue of e-mails."""

    store: Store
    secret: Secret
    clock: Callable[[], datetime]
    urls: Urls
    mail: Outbox

    def get_poll(self, poll_id: str) -> Poll:
        """Return the poll, or raise NotFound."""
        return check_exists(self.find_poll(poll_id))

    def find_poll(self, poll_id: str) -> Poll | None:
        """Return the poll, even while it is being deleted, or None."""
        if parse_poll_id(poll_id) != poll_id:
            return None
        return self.store.run(patterns.poll_by_id, poll_id)

    def get_managed_poll(self, poll_id: str, admin_key: str) -> Poll:
        """Return the poll, or raise InvalidAdminKey unless this is its admin key."""
        poll = self.get_poll(poll_id)
        self.check_secret(poll)
        self.check_admin_key(poll_id, admin_key)
        return poll

    def admin_key_of_creator(self, poll: Poll, browser: str | None) -> str | None:
        """Return the admin key if the poll was created in this browser, else None."""
        if browser is None or poll.creator != self.secret.browser_id(browser):
            return None
        return self.secret.admin_key(poll.id)

    def check_secret(self, poll: Poll) -> None:
        """Raise WrongSecret if the poll was created with another server secret."""
        if poll.secret != self.secret.fingerprint:
            raise WrongSecret(
                f"The poll “{poll.title}” was created with the server secret {poll.secret}, but "
                f"this server uses {self.secret.fingerprint}. The operator has to restore the "
                "secret file from a backup."
            )

    def check_admin_key(self, poll_id: str, admin_key: str) -> None:
        """Raise InvalidAdminKey unless this is the admin key of the poll."""
        if not self.secret.is_admin_key(poll_id, admin_key):
            raise InvalidAdminKey(
                "This admin key does not belong to this poll. Use the admin link that you got when "
                "you created it."
            )
