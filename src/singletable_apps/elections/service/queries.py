"""The query side: everything by natural keys; nobody outside sees how it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from singletable import Page
from singletable_apps.elections import patterns
from singletable_apps.elections.entities import (
    Candidate,
    Counts,
    Election,
    User,
    Voter,
    is_removed_user,
)
from singletable_apps.elections.events import Event
from singletable_apps.elections.roles import Permission, Role, has_permission
from singletable_apps.elections.rules.elections import has_begun, has_ended
from singletable_apps.elections.rules.names import is_valid_key
from singletable_apps.elections.rules.users import allowed_roles, check_permission, check_view_user
from singletable_apps.elections.rules.voting import drop_removed_candidates, is_eligible, rank_pairs
from singletable_apps.elections.service.closing import open_ballot
from singletable_apps.elections.service.context import Context


@dataclass(frozen=True, slots=True)
class UserSummary:
    """A user in a list, and the roles that who asks may give them."""

    user: User
    allowed_roles: tuple[Role, ...]


@dataclass(frozen=True, slots=True)
class Activity:
    """What somebody has been doing here."""

    user_name: str
    role: Role
    elections_owned: int
    ballots_cast: int


@dataclass(frozen=True, slots=True)
class Participation:
    """Whether a user can vote in an election, and whether they have."""

    may_vote: bool
    has_voted: bool


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


class Queries:
    """What there is, as far as who asks may see it."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._store = context.store

    def version(self) -> int:
        """The number of the last event that is in the table: it moves when anything changes."""
        sync = self._context.read.get_sync()
        return sync.last_event_id if sync is not None else 0

    def counts(self, viewer: User) -> Counts:
        """How many users and elections there are."""
        check_permission(viewer, Permission.VIEW_APPLICATION)
        return self._context.read.get_counts()

    def activity(self, viewer: User) -> Activity:
        """What who asks has been doing; everybody who can sign in may see their own."""
        return Activity(viewer.name, viewer.role, viewer.elections_owned, viewer.ballots_cast)

    def user(self, viewer: User, name: str) -> UserSummary:
        """A user, with the address."""
        found = self._context.read.get_user(name)
        check_view_user(viewer, found)
        return UserSummary(found, allowed_roles(viewer, found))

    def users(
        self, viewer: User, size: int, cursor: str | None = None, *, beginning: str = ""
    ) -> tuple[list[UserSummary], str | None]:
        """Users by name, or those whose names begin so, with what may be done about their roles."""
        check_permission(viewer, Permission.MANAGE_USERS)
        if beginning and not is_valid_key(beginning):
            return [], None
        everybody = patterns.list_users()
        wanted = patterns.users_beginning(beginning) if beginning else everybody
        page = self._store.page(wanted, size, cursor=cursor)
        return [UserSummary(one, allowed_roles(viewer, one)) for one in page.items], page.cursor

    def user_names(
        self,
        viewer: User,
        size: int,
        cursor: str | None = None,
        *,
        permission: Permission | None = None,
    ) -> tuple[list[str], str | None]:
        """Return the names on a page of users, or only of those who have `permission`."""
        check_permission(viewer, Permission.USE_APPLICATION)
        page = self._store.page(patterns.list_users(), size, cursor=cursor)
        names = [
            user.name
            for user in page.items
            if permission is None or has_permission(user.role, permission)
        ]
        return names, page.cursor

    def elections(self, viewer: User, size: int, cursor: str | None = None) -> Page[Election]:
        """Elections by name."""
        check_permission(viewer, Permission.VIEW_APPLICATION)
        return self._store.page(patterns.list_elections(), size, cursor=cursor)

    def elections_of(
        self, viewer: User, owner: str, size: int, cursor: str | None = None
    ) -> tuple[list[Election], str | None]:
        """Elections of an owner, by name."""
        check_permission(viewer, Permission.VIEW_APPLICATION)
        name = self._context.read.get_user(owner).name
        page = self._store.page(patterns.elections_of_owner(name), size, cursor=cursor)
        keys = [patterns.election_by_name(one.election_name) for one in page.items]
        return [one for one in self._store.get_many(keys) if one is not None], page.cursor

    def participation(self, viewer: User, elections: Sequence[Election]) -> list[Participation]:
        """The part of who asks in each of some elections: two requests for all of them."""
        check_permission(viewer, Permission.VIEW_APPLICATION)
        names = [one.name for one in elections]
        entries = [patterns.eligibility(name, viewer.name) for name in names]
        ballots = [patterns.ballot_of(name, viewer.name) for name in names]
        listed = self._store.get_many(entries, consistent=True)
        cast = self._store.get_many(ballots, consistent=True)
        return [
            Participation(is_eligible(viewer, election, entry is not None), ballot is not None)
            for election, entry, ballot in zip(elections, listed, cast, strict=True)
        ]

    def overview(self, viewer: User) -> Overview:
        """What waits for who asks, among the first elections by name and those that list them."""
        context = self._context
        check_permission(viewer, Permission.VIEW_APPLICATION)
        now = context.clock()
        elections, listed, more = _looked_at(context, viewer)
        own = context.store.page(patterns.elections_of_owner(viewer.name), MOST_OWN)
        launched = [one for one in elections if one.allow_vote and not has_ended(one, now)]
        mine = [one for one in launched if is_eligible(viewer, one, one.name in listed)]
        begun = [one for one in mine if has_begun(one, now)]
        cast = _voted_in(context, viewer, begun)
        ended = [
            one for one in elections if _is_over(one) or (has_ended(one, now) and one.allow_vote)
        ]
        return Overview(
            to_vote=[one for one in begun if one.name not in cast],
            voted=[one for one in begun if one.name in cast],
            coming=[one for one in mine if not has_begun(one, now)],
            own=_found(context, [one.election_name for one in own.items]),
            # A revision is the number of the last event, which is the close.
            ended=sorted(ended, key=lambda one: one.revision, reverse=True)[:RECENT],
            counts=context.read.get_counts(),
            more=more or own.cursor is not None,
        )

    def candidates(self, viewer: User, election: str) -> list[Candidate]:
        """The candidates of an election, by name."""
        check_permission(viewer, Permission.VIEW_APPLICATION)
        return self._context.read.list_candidates(self._context.read.get_election(election).name)

    def voters(
        self, viewer: User, election: str, size: int, cursor: str | None = None
    ) -> tuple[list[Voter], str | None]:
        """Those who may vote, if the election has a list; without one everybody may."""
        check_permission(viewer, Permission.VIEW_APPLICATION)
        name = self._context.read.get_election(election).name
        page = self._store.page(patterns.voters_of(name), size, cursor=cursor)
        return [one for one in page.items if not is_removed_user(one.voter_name)], page.cursor

    def is_eligible(self, viewer: User, election: str, user: str) -> bool:
        """Whether somebody may vote in an election."""
        check_permission(viewer, Permission.VIEW_APPLICATION)
        found, who = self._context.read.get_election(election), self._context.read.get_user(user)
        return is_eligible(who, found, self._context.read.is_listed_voter(found.name, who.name))

    def who_voted(
        self, viewer: User, election: str, size: int, cursor: str | None = None
    ) -> tuple[list[str], str | None]:
        """The names of those who have voted: apart from what they cast, which is another page."""
        check_permission(viewer, Permission.VIEW_APPLICATION)
        name = self._context.read.get_election(election).name
        page = self._store.page(patterns.ballots_of(name), size, cursor=cursor)
        return [one.voter_name for one in page.items], page.cursor

    def turnout(self, viewer: User, election: str) -> int:
        """How many have voted."""
        check_permission(viewer, Permission.VIEW_APPLICATION)
        name = self._context.read.get_election(election).name
        return self._store.count(patterns.ballots_of(name), consistent=True)

    def rankings(self, viewer: User, election: str) -> list[tuple[str, int | None]]:
        """One's own ballot with every candidate there is; those not ranked have no rank."""
        check_permission(viewer, Permission.VIEW_APPLICATION)
        found = self._context.read.get_election(election)
        since = {
            one.candidate_name: one.since for one in self._context.read.list_candidates(found.name)
        }
        ballot = self._context.read.find_ballot(found.name, viewer.name)
        said: dict[str, int] = {}
        if ballot is not None:
            cast = open_ballot(found, ballot, self._context.keys).ranking
            said = dict(rank_pairs(drop_removed_candidates(cast, ballot.revision, since)))
        return [(name, said.get(name)) for name in sorted(since)]

    def events(self, viewer: User, size: int, cursor: str | None = None) -> Page[Event]:
        """The log, newest first."""
        check_permission(viewer, Permission.VIEW_SECRETS)
        return self._store.page(patterns.all_events(), size, cursor=cursor, reverse=True)


def _looked_at(context: Context, viewer: User) -> tuple[list[Election], set[str], bool]:
    """The elections, the names of those that list the viewer, and whether there are more."""
    page = context.store.page(patterns.list_elections(), MOST)
    where = context.store.page(patterns.eligible_where(viewer.name), MOST)
    listed = {one.election_name for one in where.items}
    further = sorted(listed - {one.name for one in page.items})
    elections = [*page.items, *_found(context, further)]
    return elections, listed, page.cursor is not None or where.cursor is not None


def _found(context: Context, names: Sequence[str]) -> list[Election]:
    found = context.store.get_many([patterns.election_by_name(name) for name in names])
    return [one for one in found if one is not None]


def _voted_in(context: Context, viewer: User, elections: Sequence[Election]) -> set[str]:
    """Where the viewer has voted; consistent, for whoever has just voted looks here next."""
    keys = [patterns.ballot_of(one.name, viewer.name) for one in elections]
    found = context.store.get_many(keys, consistent=True)
    return {one.election_name for one in found if one is not None}


def _is_over(election: Election) -> bool:
    return not election.allow_vote and not election.allow_edit
