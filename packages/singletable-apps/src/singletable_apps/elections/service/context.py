"""The context of the service: store, keys, clock and command bus."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from singletable import Store
from singletable_apps.elections.command_bus import CommandBus, Decision
from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.errors import RebuildInProgress
from singletable_apps.elections.events import Event, EventData
from singletable_apps.elections.keys import Keys
from singletable_apps.elections.poll_book import PollBook
from singletable_apps.elections.projection import get_sync
from singletable_apps.elections.urls import Urls
from singletable_apps.shared.accounts import NotSignedIn, Passwords
from singletable_apps.shared.outbox import Outbox
from singletable_apps.shared.service import RevisionCheck, any_revision, utc_now


@dataclass(frozen=True)
class Context:
    """What the parts of the service share.

    With `confirm_registrations`, an account is created when its owner opens the link in an e-mail,
    so registering does not reveal which addresses have accounts.
    """

    store: Store
    keys: Keys
    mail: Outbox
    urls: Urls
    confirm_registrations: bool = False
    clock: Callable[[], datetime] = utc_now
    passwords: Passwords = field(default_factory=Passwords)
    random: Callable[[int], bytes] = secrets.token_bytes
    book: PollBook = field(init=False)
    bus: CommandBus = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "book", PollBook(self.store, self.keys.ballot_key))
        bus = CommandBus(self.store, self.clock, self.keys, self.book)
        object.__setattr__(self, "bus", bus)

    @property
    def read(self) -> PollBook:
        """Return the poll book with all events of the log. `book` has those of the last reading."""
        self.book.refresh()
        return self.book

    def check_not_rebuilding(self) -> None:
        """Raise RebuildInProgress while the table is rebuilt and therefore incomplete."""
        sync = get_sync(self.store)
        if sync is not None and sync.rebuilding:
            raise RebuildInProgress(
                "We’re rebuilding our data and will be back in a moment. Nothing is lost."
            )

    def execute(self, actor: User, decide: Decision) -> list[Event]:
        """Run a command: decide, append its events to the log, and apply them."""
        return self.bus.execute(actor.name, decide)

    def change_election(
        self,
        actor: User,
        name: str,
        check: Callable[[User, Election], None],
        change: Callable[[PollBook, User, Election], Sequence[EventData]],
        check_revision: RevisionCheck = any_revision,
        *,
        new_name: str | None = None,
    ) -> Election:
        """Run a command about an election: check rules and revision, then append its changes.

        Return the election as it is then, under the name that the command gives it.
        """

        def decide(read: PollBook) -> Sequence[EventData]:
            me, election = reload_user(read, actor), read.get_election(name)
            check(me, election)
            check_revision(election.revision)
            return change(read, me, election)

        self.execute(actor, decide)
        return self.read.get_election(new_name or name)


def reload_user(read: PollBook, user: User) -> User:
    """Return the user as they are now: name and role may have changed."""
    return get_user_by_id(read, user.user_id)


def get_user_by_id(read: PollBook, user_id: int) -> User:
    """Return the user with this ID, or raise NotSignedIn."""
    user = read.find_user_by_id(user_id)
    if user is None:
        raise NotSignedIn("This account no longer exists.")
    return user
