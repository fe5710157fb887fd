"""The lanes of a poll follow its own item: whoever finds one behind brings it along.

What a vote depends on is in the lane that it goes down, so that many can vote without meeting at
the poll's own item. The poll is changed first, then its lanes; should that be broken off, the next
vote in a lane that is behind brings it along before it counts.
"""

from __future__ import annotations

from singletable import ConditionFailed, Store
from singletable_apps.polls.entities import Lane, Poll


def new_lanes(poll: Poll) -> list[Lane]:
    """The lanes of a new poll."""
    return [_lane(poll, number) for number in range(poll.lanes)]


def bring_all_along(store: Store, poll: Poll) -> None:
    """Let every lane follow: once this is done, no vote counts that relied on the poll before."""
    for number in range(poll.lanes):
        bring_along(store, poll, number)


def bring_along(store: Store, poll: Poll, number: int) -> None:
    """Let a lane follow its poll, unless it has already, or is gone."""
    try:
        store.update(
            Lane.key(poll.id, number),
            Lane.edition.set(poll.edition),
            Lane.expires_at.set(poll.expires_at),
            Lane.closed.set(poll.closed),
            if_=Lane.edition < poll.edition,
        )
    except ConditionFailed:
        return


def _lane(poll: Poll, number: int) -> Lane:
    return Lane(
        poll_id=poll.id,
        lane=number,
        edition=poll.edition,
        expires_at=poll.expires_at,
        closed=poll.closed,
    )
