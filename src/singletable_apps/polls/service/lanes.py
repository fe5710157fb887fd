"""The lanes of a poll follow its own item: whoever finds one behind brings it along.

What a vote depends on is in the lane that it goes down, so that many can vote without meeting at
the poll's own item. The poll is changed first, then its lanes; should that be broken off, the next
vote in a lane that is behind brings it along before it counts.
"""

from __future__ import annotations

from singletable import ConditionFailed, Store, TransactionConflict
from singletable_apps.polls.entities import Lane, Poll
from singletable_apps.polls.errors import Busy
from singletable_apps.polls.service.desk import LOST

TRIES = 10


def new_lanes(poll: Poll) -> list[Lane]:
    """The lanes of a new poll."""
    return [
        Lane(poll_id=poll.id, lane=number, edition=poll.edition) for number in range(poll.lanes)
    ]


def bring_all_along(store: Store, poll: Poll) -> None:
    """Let every lane follow: once this is done, no vote counts that relied on the poll before."""
    addresses = [Lane.key(poll.id, number) for number in range(poll.lanes)]
    for lane in store.get_many(addresses, consistent=True):
        if lane is not None and lane.edition < poll.edition:
            bring_along(store, poll, lane.lane)


def bring_along(store: Store, poll: Poll, number: int) -> None:
    """Let a lane follow its poll, unless it has already, or is gone."""
    for _ in range(TRIES):
        try:
            store.update(
                Lane.key(poll.id, number),
                Lane.edition.set(poll.edition),
                if_=Lane.edition < poll.edition,
            )
        except ConditionFailed:
            return
        except (TransactionConflict, *LOST):
            continue  # voters were faster, or nobody knows: it can be done twice
        return
    raise Busy(f"So many vote in '{poll.title}' that a change of it found no way in. Ask again.")
