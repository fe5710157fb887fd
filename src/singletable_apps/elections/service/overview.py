"""What waits for somebody: where they can vote, what is theirs, and what has ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from singletable_apps.elections import patterns
from singletable_apps.elections.entities import Counts, Election, User
from singletable_apps.elections.roles import Permission
from singletable_apps.elections.rules import check_may, has_begun, has_ended, is_eligible
from singletable_apps.elections.service.desk import Office

MOST = 400
MOST_OWN = 50
RECENT = 5


@dataclass(frozen=True, slots=True)
class Overview:
    """The elections that concern somebody; `more` if there are some that were not looked at."""

    to_vote: Sequence[Election]
    voted: Sequence[Election]
    coming: Sequence[Election]
    own: Sequence[Election]
    ended: Sequence[Election]
    counts: Counts
    more: bool = False


def overview_of(office: Office, viewer: User) -> Overview:
    """What waits for who asks, among the first elections by name and those that list them."""
    check_may(viewer, Permission.VIEW_APPLICATION)
    now = office.clock()
    elections, listed, more = _looked_at(office, viewer)
    own = office.store.page(patterns.elections_of_owner(viewer.name), MOST_OWN)
    launched = [one for one in elections if one.allow_vote and not has_ended(one, now)]
    mine = [one for one in launched if is_eligible(viewer, one, one.name in listed)]
    begun = [one for one in mine if has_begun(one, now)]
    cast = _voted_in(office, viewer, begun)
    ended = [one for one in elections if _is_over(one) or (has_ended(one, now) and one.allow_vote)]
    return Overview(
        to_vote=[one for one in begun if one.name not in cast],
        voted=[one for one in begun if one.name in cast],
        coming=[one for one in mine if not has_begun(one, now)],
        own=_found(office, [one.election_name for one in own.items]),
        # A revision is the number of the last event, which is the close.
        ended=sorted(ended, key=lambda one: one.revision, reverse=True)[:RECENT],
        counts=office.view.counts(),
        more=more or own.cursor is not None,
    )


def _looked_at(office: Office, viewer: User) -> tuple[list[Election], set[str], bool]:
    """The elections, the names of those that list the viewer, and whether there are more."""
    page = office.store.page(patterns.list_elections(), MOST)
    where = office.store.page(patterns.eligible_where(viewer.name), MOST)
    listed = {one.election_name for one in where.items}
    further = sorted(listed - {one.name for one in page.items})
    elections = [*page.items, *_found(office, further)]
    return elections, listed, page.cursor is not None or where.cursor is not None


def _found(office: Office, names: Sequence[str]) -> list[Election]:
    found = office.store.get_many([patterns.election_by_name(name) for name in names])
    return [one for one in found if one is not None]


def _voted_in(office: Office, viewer: User, elections: Sequence[Election]) -> set[str]:
    """Where the viewer has voted; consistent, for whoever has just voted looks here next."""
    keys = [patterns.ballot_of(one.name, viewer.name) for one in elections]
    found = office.store.get_many(keys, consistent=True)
    return {one.election_name for one in found if one is not None}


def _is_over(election: Election) -> bool:
    return not election.allow_vote and not election.allow_edit
