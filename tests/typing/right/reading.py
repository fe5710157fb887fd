"""Return types of a store: the entity, or None."""

from __future__ import annotations

from singletable import Change, Item, Page, Store, connect, parse_stream_event
from tests.typing.declared import Ballot, Election, votes

with connect("memory:") as driver:
    store = Store(driver)
    store.admin.create_table(votes)
    one: Election | None = store.get(Election.key("Languages"))
    # Unpacked at once, as most people write it.
    election, ballot = store.transact_get(Election.key("Languages"), Ballot.key("Languages", "ada"))
    first: Election | None = election
    second: Ballot | None = ballot
    ballots: list[Ballot] = list(store.query(Ballot.key.partition("Languages")))
    stored: Page[Item] = store.admin.items(votes, 10)
    known: list[object | None] = [store.admin.decode(votes, item) for item in stored.items]
    gone: int = store.admin.clear(votes, keep=[Election.key("Languages"), Ballot.key("x", "ada")])

changes: list[Change[Ballot | Election]] = parse_stream_event(
    {}, Ballot, Election, tables={votes: "votes-prod"}
)
