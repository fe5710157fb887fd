"""A driver, a clock that tests control, and services on them."""

from __future__ import annotations

import json
from collections.abc import Sequence

from singletable import Driver, Item, Store, Table
from singletable_apps.elections.entities import Election, Electorate, User, votes
from singletable_apps.elections.events import Event, event_log
from singletable_apps.elections.keys import Keys
from singletable_apps.elections.patterns import patterns
from singletable_apps.elections.poll_book import PollBook
from singletable_apps.elections.projection import catch_up, get_last_event
from singletable_apps.elections.proofs.keys import BallotKey, Signer
from singletable_apps.elections.service import TABLES, Elections, ElectionSettings, open_elections
from singletable_apps.shared.accounts import Passwords
from singletable_apps.shared.mail import KEEP_EMAILS, EmailDelivery
from tests.apps.support.tables import all_items
from tests.apps.support.worlds import AppWorld

PASSWORD = "lantern copper river"
KEYS = Keys(BallotKey(b"ballots." * 4), Signer(b"signing." * 4), b"tokens.." * 4)
# Fast rather than safe.
FAST_PASSWORDS = Passwords(memory_kib=64, passes=1, at_once=16)


class World(AppWorld[Elections]):
    """Elections."""

    patterns = patterns
    tables = (votes, event_log)

    def open(
        self,
        driver: Driver | None = None,
        *,
        keys: Keys = KEYS,
        confirm_registrations: bool = False,
        passwords: Passwords = FAST_PASSWORDS,
        emails: EmailDelivery = KEEP_EMAILS,
    ) -> Elections:
        """Open another service on the same tables, like another process."""
        return open_elections(
            driver or self.driver,
            keys,
            emails=emails,
            confirm_registrations=confirm_registrations,
            clock=self.clock,
            passwords=passwords,
            observers=[self.calls.append],
        )

    def register(self, *names: str) -> list[User]:
        """Register users."""
        register = self.service.people.register
        return [register(name, email_of(name), PASSWORD) for name in names]

    def reload(self, user: User) -> User:
        """Return the user as they are now."""
        found = self.service.context.read.find_user_by_id(user.user_id)
        assert found is not None
        return found

    def launch(
        self,
        owner: User,
        name: str,
        candidates: Sequence[str] = ("Red", "Green", "Blue"),
        *,
        voters: Sequence[str] = (),
        allow_edit: bool = True,
        terms: ElectionSettings | None = None,
    ) -> Election:
        """Create and launch an election, in which people with accounts vote by default."""
        lifecycle, terms = self.service.lifecycle, terms or ElectionSettings()
        terms = terms.model_copy(update={"electorate": terms.electorate or Electorate.ACCOUNTS})
        lifecycle.create(owner, name, terms)
        lifecycle.set_candidates(owner, name, candidates)
        if voters:
            lifecycle.set_voters(owner, name, voters)
        return lifecycle.launch(owner, name, allow_edit=allow_edit)

    @property
    def event_count(self) -> int:
        """Return the number of events in the log."""
        newest = get_last_event(open_store(self.driver))
        return newest.event_id if newest is not None else 0


def email_of(name: str) -> str:
    """Return the e-mail address of a user of this name."""
    return f"{''.join(filter(str.isalnum, name)).casefold()}@example.org"


def open_store(driver: Driver) -> Store:
    """Open a store on the tables."""
    return Store(driver, tables=TABLES, cursor_secret=KEYS.secret)


def follow_log(driver: Driver) -> None:
    """Apply the events that the table lacks, as another process does."""
    store = open_store(driver)
    catch_up(store, PollBook(store, KEYS.ballot_key))


def read_items(driver: Driver, table: Table) -> list[Item]:
    """Return all stored items of a table."""
    return all_items(open_store(driver), table)


def dump_items(driver: Driver, table: Table = votes) -> list[str]:
    """Return all items of a table as sorted text."""
    return sorted(
        json.dumps(item, sort_keys=True, ensure_ascii=False) for item in read_items(driver, table)
    )


def read_events(driver: Driver) -> list[Event]:
    """Return the event log, oldest first."""
    return list(open_store(driver).query(Event.key.partition(), consistent=True))


def ballot(*best_first: str) -> list[tuple[str, int | None]]:
    """Return a ballot that ranks these, best first."""
    return [(name, rank) for rank, name in enumerate(best_first, 1)]
