"""Query users, elections, voters and the event log, as far as the viewer may see them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from singletable import Page
from singletable_apps.elections import patterns
from singletable_apps.elections.entities import (
    Counts,
    Election,
    Electorate,
    State,
    User,
    Voter,
    is_account,
    roll_number,
)
from singletable_apps.elections.events import Event
from singletable_apps.elections.log_state import DeletedElection
from singletable_apps.elections.poll_book import LinkVoter, PollBook
from singletable_apps.elections.projection import get_sync
from singletable_apps.elections.roles import PERMISSIONS, Permission
from singletable_apps.elections.rules.elections import has_begun, has_ended, state_of
from singletable_apps.elections.rules.methods import (
    CountingMethod,
    Marks,
    explain_method,
    method_of,
    proposal_of,
)
from singletable_apps.elections.rules.names import is_same_name
from singletable_apps.elections.rules.users import check_permission
from singletable_apps.elections.rules.voting import drop_removed_candidates, is_eligible, rank_pairs
from singletable_apps.elections.service.closing import count_eligible
from singletable_apps.elections.service.context import Context
from singletable_apps.shared.pictures import Picture

MAX_OVERVIEW_ELECTIONS = 400
MAX_OVERVIEW_OWN = 50
MAX_OVERVIEW_ENDED = 5


@dataclass(frozen=True, slots=True)
class Participation:
    """Whether a user may vote in an election, and whether they have voted."""

    may_vote: bool
    has_voted: bool


@dataclass(frozen=True, slots=True)
class Turnout:
    """How many people voted, or may; `answered` any question on the ballot, `partly` not all."""

    voted: int
    eligible: int
    answered: int
    partly: int


@dataclass(frozen=True, slots=True)
class ElectionTexts:
    """What the owner has written; description and statements are Markdown."""

    question: str
    description: str
    candidates: tuple[str, ...]
    statements: dict[str, str]
    pictures: dict[str, Picture]


@dataclass(frozen=True, slots=True)
class Overview:
    """The elections that matter to a user; `more` if there are too many to look at all."""

    to_vote: Sequence[Election]
    voted: Sequence[Election]
    coming: Sequence[Election]
    own: Sequence[Election]
    ended: Sequence[Election]
    counts: Counts
    more: bool = False


class Queries:
    """Queries. Each returns only data that the viewer may see."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._store = context.store

    def version(self) -> int:
        """Return the number of the last event in the table. It changes with every change."""
        sync = get_sync(self._store)
        return sync.last_event_id if sync is not None else 0

    def counts(self, viewer: User) -> Counts:
        """Return the numbers of users and elections."""
        check_permission(viewer, Permission.VIEW_APPLICATION)
        return self._context.read.counts()

    def method(self, election: Election) -> CountingMethod:
        """Return the method that decides, as people read about it."""
        method = method_of(election)
        if method.marks is not Marks.ONE:
            return method
        return explain_method(
            election, proposal_of(election, self._context.book.candidates(election))
        )

    # Users.

    def user_names(
        self,
        viewer: User,
        size: int,
        cursor: str | None = None,
        *,
        permission: Permission | None = None,
    ) -> tuple[list[str], str | None]:
        """Return a page of user names, of all users or only with the permission."""
        check_permission(viewer, Permission.USE_APPLICATION)
        where = (
            User.role.in_(*PERMISSIONS.roles_with(permission)) if permission is not None else None
        )
        page = self._store.page(patterns.list_users(), size, cursor=cursor, where=where)
        return [user.name for user in page.items], page.cursor

    # Elections.

    def elections(self, viewer: User, size: int, cursor: str | None = None) -> Page[Election]:
        """Return a page of elections by name."""
        check_permission(viewer, Permission.VIEW_APPLICATION)
        return self._store.page(patterns.list_elections(), size, cursor=cursor)

    def elections_of(
        self, viewer: User, owner: str, size: int, cursor: str | None = None
    ) -> tuple[list[Election], str | None]:
        """Return a page of an owner's elections by name."""
        check_permission(viewer, Permission.VIEW_APPLICATION)
        name = self._context.read.get_user(owner).name
        page = self._store.page(patterns.elections_of_owner(name), size, cursor=cursor)
        return self._load([each.election_name for each in page.items]), page.cursor

    def participation(self, viewer: User, elections: Sequence[Election]) -> list[Participation]:
        """Return the viewer's part in each of these elections."""
        check_permission(viewer, Permission.VIEW_APPLICATION)
        book = self._context.read
        return [_participation(book, viewer, each) for each in elections]

    def overview(self, viewer: User) -> Overview:
        """Return the elections that matter to the viewer: to vote in, voted in, own, ended."""
        check_permission(viewer, Permission.VIEW_APPLICATION)
        now, book = self._context.clock(), self._context.read
        first = self._store.page(patterns.list_elections(), MAX_OVERVIEW_ELECTIONS)
        others = set(book.listed_in(viewer)) - {election.name for election in first.items}
        elections = [*first.items, *self._load(sorted(others)[:MAX_OVERVIEW_ELECTIONS])]
        owned = self._store.page(patterns.elections_of_owner(viewer.name), MAX_OVERVIEW_OWN)
        own = [each.election_name for each in owned.items]
        own += [each for each in book.managed_by(viewer) if each not in own]
        parts = {each.name: _participation(book, viewer, each) for each in elections}
        open_now = [each for each in elections if each.allow_vote and not has_ended(each, now)]
        eligible = [each for each in open_now if parts[each.name].may_vote]
        begun = [each for each in eligible if has_begun(each, now)]
        ended = [
            each
            for each in elections
            if each.joint_with is None
            if state_of(each) is State.CLOSED or (each.allow_vote and has_ended(each, now))
        ]
        return Overview(
            to_vote=[each for each in begun if not parts[each.name].has_voted],
            voted=[each for each in begun if parts[each.name].has_voted],
            coming=[each for each in eligible if not has_begun(each, now)],
            own=self._load(own),
            # The revision is the number of the last event, which is the close.
            ended=sorted(ended, key=lambda each: each.revision, reverse=True)[:MAX_OVERVIEW_ENDED],
            counts=self._context.read.counts(),
            more=bool(first.cursor or owned.cursor) or len(others) > MAX_OVERVIEW_ELECTIONS,
        )

    def _load(self, names: Sequence[str]) -> list[Election]:
        found = self._store.get_many([patterns.election_by_name(name) for name in names])
        return [election for election in found if election is not None]

    def find_deleted(self, viewer: User, name: str) -> DeletedElection | None:
        """Return the last election of this name that was deleted, or None."""
        check_permission(viewer, Permission.VIEW_APPLICATION)
        deleted = self._context.read.deleted_elections()
        return next((each for each in deleted if is_same_name(each.name, name)), None)

    # An election's candidates, voters and ballots.

    def candidates(self, viewer: User, election: str) -> list[str]:
        """Return the names of the candidates of an election, in their order."""
        check_permission(viewer, Permission.VIEW_APPLICATION)
        read = self._context.read
        return read.candidates(read.get_election(election))

    def voters(
        self, viewer: User, election: str, size: int, cursor: str | None = None
    ) -> tuple[list[Voter], str | None]:
        """Return a page of the voter list. If it is empty, everyone with permission can vote."""
        check_permission(viewer, Permission.VIEW_APPLICATION)
        name = self._context.read.get_election(election).name
        page = self._store.page(patterns.voters_of(name), size, cursor=cursor)
        return [each for each in page.items if is_account(each.voter_name)], page.cursor

    def is_eligible(self, viewer: User, election: str, user: str) -> bool:
        """Return whether a user may vote in an election."""
        check_permission(viewer, Permission.VIEW_APPLICATION)
        read = self._context.read
        found, voter = read.get_election(election), read.get_user(user)
        return _participation(read, voter, found).may_vote

    def who_voted(
        self, viewer: User, election: str, size: int, cursor: str | None = None
    ) -> tuple[list[str], str | None]:
        """Return a page of the names of voters, without their ballots."""
        check_permission(viewer, Permission.VIEW_APPLICATION)
        found = self._context.read.get_election(election)
        page = self._store.page(patterns.ballots_of(found.name), size, cursor=cursor)
        roll = self._context.book.record(found).roll if found.electorate is Electorate.ROLL else {}
        names = [ballot.voter_name for ballot in page.items]
        entries = [roll.get(number) if (number := roll_number(name)) else None for name in names]
        return [
            entry.name if entry is not None else name
            for name, entry in zip(names, entries, strict=True)
        ], page.cursor

    def turnout(self, viewer: User | LinkVoter, election: str) -> Turnout:
        """Return how many people have voted in an election, and how many may.

        Someone who voted and may no longer vote counts as eligible, so that no more people have
        voted than may.
        """
        if not isinstance(viewer, LinkVoter):
            check_permission(viewer, Permission.VIEW_APPLICATION)
        book = self._context.read
        record = book.record(book.get_election(election))
        partly = book.partly_answered(record.election)
        answered, eligible = partly | record.ballots.keys(), count_eligible(book, record)
        return Turnout(len(record.ballots), eligible, len(answered), len(partly))

    def rankings(self, viewer: User | LinkVoter, election: str) -> list[tuple[str, int | None]]:
        """Return all candidates with their ranks on the viewer's ballot, None if not ranked."""
        if not isinstance(viewer, LinkVoter):
            check_permission(viewer, Permission.VIEW_APPLICATION)
        book = self._context.read
        record = book.record(book.get_election(election))
        owner = book.owner_of_ballot(record.election, viewer)
        ballot = book.ballot(record, owner.voter_id)
        ranks: dict[str, int] = {}
        if ballot is not None and book.can_show_ballot(record.election, viewer):
            ranking, event_id = ballot.content.ranking, ballot.event.event_id
            ranks = dict(rank_pairs(drop_removed_candidates(ranking, event_id, record.choices)))
        return [(name, ranks.get(name)) for name in record.choices]

    def texts(self, viewer: User | LinkVoter | None, election: str) -> ElectionTexts:
        """Return what the owner has written for voters; None has a link to a public page."""
        if isinstance(viewer, User):
            check_permission(viewer, Permission.VIEW_APPLICATION)
        book = self._context.read
        record = book.record(book.get_election(election))
        names = tuple(name for name in record.choices if name in record.candidates)
        statements = {name: text for name in names if (text := record.statements.get(name))}
        return ElectionTexts(
            record.question, record.description, names, statements, record.pictures
        )

    def events(self, viewer: User, size: int, cursor: str | None = None) -> Page[Event]:
        """Return a page of the event log, the newest event first."""
        check_permission(viewer, Permission.VIEW_SECRETS)
        return self._store.page(patterns.all_events(), size, cursor=cursor, reverse=True)


def _participation(book: PollBook, user: User, election: Election) -> Participation:
    listed, voted = book.participation(election, user)
    return Participation(is_eligible(user, election, listed), voted)
