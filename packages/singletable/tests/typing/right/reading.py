"""Return types of a store: the entity, or None."""

from __future__ import annotations

from typing import Unpack

from singletable import (
    AsyncStore,
    Change,
    Collection,
    Item,
    Page,
    ReadOptions,
    Store,
    connect,
    parse_stream_event,
)
from tests.typing.declared import Ballot, Election, votes


class BallotFile(Collection):
    """The ballots of an election."""

    election: Election | None
    ballots: list[Ballot]


def read_some(store: Store, **options: Unpack[ReadOptions[Ballot]]) -> list[Ballot]:
    """Pass options on."""
    return list(store.query(Ballot.key.partition("Languages"), **options, limit=3))


with connect("memory:") as driver:
    store = Store(driver)
    store.admin.create_table(votes)
    one: Election | None = store.get(Election.key("Languages"))
    # Unpacked at once, as most people write it.
    election, ballot = store.transact_get(Election.key("Languages"), Ballot.key("Languages", "ada"))
    first: Election | None = election
    second: Ballot | None = ballot
    ballots: list[Ballot] = list(store.query(Ballot.key.partition("Languages")))
    everyone = Ballot.key.partition("Languages")
    page: Page[Ballot] = store.page(everyone, 5, hydrate=True, max_read=100, on_mismatch=print)
    back: str | None = page.previous
    names: Page[tuple[str]] = store.page(everyone, 5, fields=(Ballot.voter,))
    pairs: Page[tuple[str, str]] = store.page(everyone, 5, fields=(Ballot.voter, Ballot.election))
    file: BallotFile = store.collect(BallotFile, everyone, where=Ballot.voter != "x", limit=5)
    found: list[Ballot] = file.ballots
    some: list[Ballot] = read_some(store, where=Ballot.voter != "x", reverse=True)
    few: int = store.count(everyone, limit=10, max_read=1000)
    scanned: list[Ballot] = list(store.admin.scan(Ballot, segments=4))
    stored: Page[Item] = store.admin.items(votes, 10)
    known: list[object | None] = [store.admin.decode(votes, item) for item in stored.items]
    gone: int = store.admin.clear(votes, keep=[Election.key("Languages"), Ballot.key("x", "ada")])


async def follow(store: AsyncStore) -> Ballot | Election | None:
    """Return the first item that is removed."""
    async for change in store.stream(Ballot, Election, name="index", checkpoints=votes):
        if change.new is None:
            return change.old
    return None


def follow_to_the_end(store: Store) -> list[Change[Ballot]]:
    """Return all changes of one entity."""
    return list(store.stream(Ballot, follow=False, page=10))


changes: list[Change[Ballot | Election]] = parse_stream_event(
    {}, Ballot, Election, tables={votes: "votes-prod"}
)
