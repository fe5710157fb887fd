"""The rows of each relation in the order of their keys, from any of them on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from singletable import Selection, Store
from singletable_apps.elections import patterns
from singletable_apps.elections.auditing.cursors import Position
from singletable_apps.elections.auditing.hiding import hidden_data
from singletable_apps.elections.auditing.rows import (
    BallotRow,
    CandidateRow,
    CountsRow,
    ElectionRow,
    EventRow,
    RankingRow,
    Row,
    UserRow,
    VoterRow,
)
from singletable_apps.elections.entities import Ballot, Election
from singletable_apps.elections.rules import state_of
from singletable_apps.elections.view import View

# An election may have no candidate, voter or ballot at all, so some are looked at in advance.
ELECTIONS_AT_ONCE = 25

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The rows after a position, or from the first on; more than `limit` will not be taken."""

    store: Store
    after: Position | None
    limit: int


Rows: TypeAlias = Iterator[tuple[Position, Row]]


def users(wanted: Wanted) -> Rows:
    """Users, by name whatever its case."""
    after = wanted.after
    chosen = patterns.users_after(str(after[0])) if after else patterns.list_users()
    for one in wanted.store.query(chosen, limit=wanted.limit):
        yield (
            (one.name,),
            UserRow(
                user_id=one.user_id,
                name=one.name,
                email=one.email,
                role=one.role,
                elections_owned=one.elections_owned,
                ballots_cast=one.ballots_cast,
                eligible_in=one.eligible_in,
                when_registered=one.when_registered,
                last_event=one.revision,
            ),
        )


def elections(wanted: Wanted) -> Rows:
    """Elections, by name whatever its case."""
    after = wanted.after
    chosen = patterns.elections_after(str(after[0])) if after else patterns.list_elections()
    for one in wanted.store.query(chosen, limit=wanted.limit):
        yield (
            (one.name,),
            ElectionRow(
                election_id=one.election_id,
                name=one.name,
                owner=one.owner_name,
                state=state_of(one),
                secret_ballot=one.secret_ballot,
                publication=one.publication,
                no_voting_before=one.no_voting_before,
                no_voting_after=one.no_voting_after,
                candidates=one.candidate_count,
                voters=one.voter_count,
                when_created=one.when_created,
                signature=one.signature,
                last_event=one.revision,
            ),
        )


def candidates(wanted: Wanted) -> Rows:
    """Candidates, by election and name."""
    inside = _within(wanted, patterns.candidates_of, patterns.candidates_after)
    for one in inside:
        row = CandidateRow(one.election_name, one.candidate_name, one.since)
        yield (one.election_name, one.candidate_name), row


def voters(wanted: Wanted) -> Rows:
    """Entries in lists of voters, by election and name."""
    for one in _within(wanted, patterns.voters_of, patterns.voters_after):
        yield (one.election_name, one.voter_name), VoterRow(one.election_name, one.voter_name)


def ballots(wanted: Wanted) -> Rows:
    """Ballots, by election and voter."""
    for one in _within(wanted, patterns.ballots_of, patterns.ballots_after):
        yield (
            (one.election_name, one.voter_name),
            BallotRow(
                election=one.election_name,
                voter=one.voter_name,
                when_cast=one.when_cast,
                sealed=one.sealed is not None,
                confirmation=one.confirmation,
                definition=one.definition,
                last_event=one.revision,
            ),
        )


def rankings(wanted: Wanted) -> Rows:
    """What open ballots rank: the rest of the ballot where the last page ended, and all after."""
    if wanted.after:
        election, voter, given = str(wanted.after[0]), str(wanted.after[1]), int(wanted.after[2])
        begun = View(wanted.store).ballot(election, voter)
        yield from _lines(begun, given) if begun is not None else ()
    for one in _within(wanted, patterns.ballots_of, patterns.ballots_after):
        yield from _lines(one, 0)


def events(wanted: Wanted) -> Rows:
    """The log, in order."""
    after = wanted.after
    chosen = patterns.events_after(int(after[0])) if after else patterns.all_events()
    for one in wanted.store.query(chosen, limit=wanted.limit, consistent=True):
        yield (
            (one.event_id,),
            EventRow(
                event_id=one.event_id,
                when_occurred=one.when_occurred,
                actor=one.actor,
                event_type=one.event_type,
                event_data=hidden_data(one.event_data),
                previous_hash=one.previous_hash,
                hash=one.hash,
            ),
        )


def counts(wanted: Wanted) -> Rows:
    """The one row of counts."""
    view = View(wanted.store)
    sync, there = view.sync(), view.counts()
    if sync is not None and wanted.after is None:
        yield (
            (0,),
            CountsRow(
                users=there.user_count,
                elections=there.election_count,
                events=sync.last_event_id,
                last_updated=sync.last_updated,
            ),
        )


def _within(
    wanted: Wanted,
    all_of: Callable[[str], Selection[T]],
    after: Callable[[str, str], Selection[T]],
) -> Iterator[T]:
    """What belongs to elections, election by election, after the one at the position."""
    for election in _elections_from(wanted):
        name, begun = election.name, wanted.after
        goes_on = begun is not None and begun[0] == name
        chosen = after(name, str(begun[1])) if begun and goes_on else all_of(name)
        yield from wanted.store.query(chosen, limit=wanted.limit, consistent=True)


def _elections_from(wanted: Wanted) -> Iterator[Election]:
    after = wanted.after
    chosen = patterns.elections_from(str(after[0])) if after else patterns.list_elections()
    cursor = None
    while True:
        page = wanted.store.page(chosen, ELECTIONS_AT_ONCE, cursor=cursor)
        yield from page.items
        cursor = page.cursor
        if cursor is None:
            return


def _lines(ballot: Ballot, given: int) -> Rows:
    for number, line in enumerate(ballot.rankings or (), 1):
        if number > given:
            names = ballot.election_name, ballot.voter_name
            yield (*names, number), RankingRow(*names, line.candidate_name, line.rank)
