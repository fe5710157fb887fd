"""What every part of the service has at hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from singletable import ConnectionFailed, InternalError, Store
from singletable_apps.polls.entities import Poll
from singletable_apps.polls.errors import NotAdmin, OtherSecret
from singletable_apps.polls.rules import check_there
from singletable_apps.polls.text import is_id
from singletable_apps.polls.tokens import Secret

# After one of these nobody knows whether a write took effect.
LOST = (InternalError, ConnectionFailed)
# Told the revision of a poll, or a number in it, it raises if the wish was based on another.
RevisionCheck = Callable[[int], None]


def any_revision(_: int) -> None:
    """Whatever the revision is."""


def utc_now() -> datetime:
    """The time, for whoever is given no other clock."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Context:
    """The store, the secret, and the clock."""

    store: Store
    secret: Secret
    clock: Callable[[], datetime] = utc_now

    def poll(self, poll_id: str) -> Poll:
        """The poll as it is now; NotThere if there is none."""
        return check_there(self.found(poll_id), poll_id)

    def found(self, poll_id: str) -> Poll | None:
        """The poll as it is now, even if it is being deleted; None if there is none."""
        return self.store.get(Poll.key(poll_id), consistent=True) if is_id(poll_id) else None

    def managed(self, poll_id: str, admin_key: str) -> Poll:
        """The poll, for whoever has its admin key."""
        poll = self.poll(poll_id)
        self.check_secret(poll)
        self.check_admin(poll_id, admin_key)
        return poll

    def key_of_maker(self, poll: Poll, browser: str | None) -> str | None:
        """The admin key, if it is in this browser that the poll was made."""
        if browser is None or poll.maker != self.secret.browser(browser):
            return None
        return self.secret.admin_key(poll.id)

    def check_secret(self, poll: Poll) -> None:
        """Raise OtherSecret if nothing that this server derives would fit the poll."""
        if poll.secret != self.secret.name:
            raise OtherSecret(
                f"The poll '{poll.title}' was made with the secret {poll.secret}, and this server "
                f"has {self.secret.name}: it knows none of its voters again. Whoever runs the "
                "server can put the file of the secret back from a backup."
            )

    def check_admin(self, poll_id: str, admin_key: str) -> None:
        """Raise NotAdmin unless this is the key of the poll."""
        if not self.secret.is_admin(poll_id, admin_key):
            raise NotAdmin(
                "This is not the admin key of the poll. It is in the link that was shown when the "
                "poll was made."
            )
