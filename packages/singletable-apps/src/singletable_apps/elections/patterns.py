"""Every access pattern of elections: those of the document in its own words, then others."""

from __future__ import annotations

from singletable import (
    EntityAccess,
    ItemCount,
    PatternCatalog,
    Selection,
    creates,
    deletes,
    per_day,
    per_minute,
    per_second,
    puts,
    updates,
)
from singletable_apps.elections.entities import (
    Ballot,
    Candidate,
    Counts,
    Election,
    Ownership,
    Sync,
    User,
    Voter,
    votes,
)
from singletable_apps.elections.events import Event, RestoreMarker, event_log

SIZES = {User: 500, Election: 600, Ballot: 700, Candidate: 150, Voter: 150, Event: 900}
# A ballot a second on average, and a hundred in the last hour of an election.
COUNTS: dict[type, int | ItemCount] = {
    User: ItemCount(2_000_000, growth=0.05),
    Election: ItemCount(50_000, growth=0.05),
    Ownership: ItemCount(50_000, growth=0.05),
    Candidate: ItemCount(300_000, growth=0.05),
    Voter: ItemCount(8_000_000, growth=0.05),
    Ballot: ItemCount(20_000_000, growth=0.1),
    Counts: 1,
    Sync: 1,
    Event: ItemCount(25_000_000, growth=0.1),
}
patterns = PatternCatalog("elections", votes, event_log, sizes=SIZES, counts=COUNTS)

# Users.
user_by_name = patterns.read(
    "U1", "Lookup by username", User.key, consistent=True, rate=per_second(1, peak=100)
)
user_by_email = patterns.read("U2", "Lookup by email", User.one_email, rate=per_second(1))
list_users = patterns.read("U3", "List all users", User.listed, items=100, rate=per_minute(1))
name_taken = patterns.read("U4", "Check username exists", User.one_name, rate=per_minute(1))
user_by_id = patterns.read("U6", "User of a token", User.one_id, rate=per_second(1, peak=100))


# Elections.
election_by_name = patterns.read(
    "E1", "Lookup by name", Election.key, consistent=True, rate=per_second(1, peak=100)
)
list_elections = patterns.read(
    "E2", "List all elections", Election.listed, items=100, rate=per_second(1)
)
election_ignoring_case = patterns.read(
    "E4", "Lookup by name, ignoring case", Election.one_name, rate=per_second(1)
)
elections_of_owner = patterns.read(
    "E5", "Elections of an owner", Ownership.by_owner, items=10, rate=per_minute(1)
)
ownership = patterns.read("E7", "Owner", Ownership.key, consistent=True, rate=per_day(10))

# Candidates.
candidates_of = patterns.read(
    "C1",
    "List candidates for election",
    Candidate.key.partition,
    consistent=True,
    items=10,
    rate=per_second(1, peak=100),
)
candidate_exists = patterns.read("C2", "Check candidate exists", Candidate.key, rate=per_day(100))

# Eligible voters.
voters_of = patterns.read(
    "V1", "List voters for election", Voter.key.partition, items=500, rate=per_minute(1)
)
eligibility = patterns.read(
    "V2", "Check eligibility", Voter.key, consistent=True, rate=per_second(1, peak=100)
)

# Ballots.
ballot_of = patterns.read(
    "B1",
    "Get ballot by voter + election",
    Ballot.key,
    consistent=True,
    rate=per_second(1, peak=100),
)
ballots_of = patterns.read(
    "B2", "List all ballots for election", Ballot.key.partition, items=500, rate=per_second(1)
)
rankings_of = patterns.read(
    "B4", "List rankings for election", Ballot.key.partition, items=500, rate=per_second(1)
)

# Counts, and how far the table has followed the log.
counts = patterns.read("M1", "Get counts", Counts.key, consistent=True, rate=per_second(1))
sync_state = patterns.read(
    "M3", "Sync state", Sync.key, consistent=True, rate=per_second(2, peak=200)
)

# The log.
all_events = patterns.read(
    "L3", "Count events, list all in order", Event.key.partition, items=10_000
)
event = patterns.read("L5", "One event", Event.key, consistent=True, rate=per_minute(1))
restoring = patterns.read(
    "L6", "Whether the log is being restored", RestoreMarker.key, consistent=True, rate=per_day(10)
)
begin_restoring = patterns.write(
    "L7", "Begin to restore it", creates(RestoreMarker), rate=per_day(1)
)
end_restoring = patterns.write("L8", "The log is restored", deletes(RestoreMarker), rate=per_day(1))
append = patterns.write(
    "L1", "Append event", creates(Event), size=900, rate=per_second(1, peak=100)
)


@patterns.read_function("L2", consistent=True, items=10, rate=per_second(1, peak=100))
def events_after(event_id: int) -> Selection[Event]:
    """Read events since last sync."""
    return Event.key.partition().gt(event_id)


def _moves(*entities: type) -> list[EntityAccess]:
    return [effect(entity) for entity in entities for effect in (creates, deletes)]


# Applying events: each is one transaction with the sync state.
register = patterns.write(
    "P1",
    "Register a user",
    creates(User),
    updates(Counts),
    updates(Sync),
    rate=per_minute(2, peak=60),
)
change_registration = patterns.write(
    "P20", "Change who may register", updates(Counts), updates(Sync), rate=per_day(0.1)
)
change_user = patterns.write(
    "P2",
    "Change a role, e-mail address or password",
    updates(User),
    updates(Sync),
    rate=per_minute(1),
)
rename_user = patterns.write(
    "P3",
    "Rename a user and all their items, in chunks",
    creates(User),
    deletes(User),
    updates(Election),
    updates(Ownership),
    *_moves(Voter, Ballot),
    updates(Sync),
    items=24,
    rate=per_day(10),
)
remove_user = patterns.write(
    "P4",
    "Remove a user with ballots and voter list entries, in chunks",
    deletes(User),
    *_moves(Voter, Ballot),
    updates(Counts),
    updates(Sync),
    items=24,
    rate=per_day(10),
)
create_election = patterns.write(
    "P5",
    "Create an election",
    creates(Election),
    creates(Ownership),
    updates(User),
    updates(Counts),
    updates(Sync),
    rate=per_day(80),
)
change_election = patterns.write(
    "P6", "Change settings or state", updates(Election), updates(Sync), rate=per_day(300)
)
rename_election = patterns.write(
    "P7",
    "Rename an election and all its items, in chunks",
    *_moves(Election, Ownership, Candidate, Voter, Ballot),
    updates(Sync),
    items=24,
    rate=per_day(5),
)
hand_over = patterns.write(
    "P8",
    "Transfer an election",
    updates(Election),
    updates(Ownership),
    updates(User),
    updates(Sync),
    rate=per_day(5),
)
delete_election = patterns.write(
    "P9",
    "Delete an election and all its items, in chunks",
    *map(deletes, (Election, Ownership, Candidate, Voter, Ballot)),
    updates(User),
    updates(Counts),
    updates(Sync),
    items=24,
    rate=per_day(10),
)
change_candidates = patterns.write(
    "P10",
    "Add, remove, order and rename candidates",
    creates(Candidate),
    deletes(Candidate),
    updates(Candidate),
    updates(Election),
    updates(Sync),
    items=5,
    rate=per_day(80),
)
change_voters = patterns.write(
    "P11",
    "Add voter, remove voter",
    puts(Voter),
    deletes(Voter),
    updates(Election),
    updates(Sync),
    items=92,
    rate=per_day(500),
)
change_roll = patterns.write(
    "P16",
    "Put voters on a roll, change their entries",
    puts(Voter),
    updates(Election),
    updates(Sync),
    items=92,
    rate=per_day(100),
)
cast_ballot = patterns.write(
    "P12", "Cast ballot", puts(Ballot), updates(User), updates(Sync), rate=per_second(1, peak=100)
)
withdraw_ballot = patterns.write(
    "P13", "Withdraw ballot", deletes(Ballot), updates(User), updates(Sync), rate=per_day(100)
)
begin = patterns.write("P14", "Start applying the log", creates(Sync), creates(Counts))
rebuild = patterns.write("P15", "Rebuild the table", updates(Sync), puts(Counts), rate=per_day(1))


# Pages of auditors' relations start after the last row of the previous page.
@patterns.read_function("A8", items=100, rate=per_day(100))
def users_after(name: str) -> Selection[User]:
    """Users after one, by name."""
    return User.listed().gt(name)


@patterns.read_function("A9", items=100, rate=per_day(100))
def elections_after(name: str) -> Selection[Election]:
    """Elections after one, by name."""
    return Election.listed().gt(name)


@patterns.read_function("A10", items=25, rate=per_day(100))
def elections_from(name: str) -> Selection[Election]:
    """Elections from one on, by name."""
    return Election.listed().ge(name)


@patterns.read_function("A11", items=100, rate=per_day(100))
def candidates_after(election: str, name: str) -> Selection[Candidate]:
    """Candidates of an election after one, by name."""
    return Candidate.key.partition(election).gt(name)


@patterns.read_function("A12", items=100, rate=per_day(100))
def voters_after(election: str, name: str) -> Selection[Voter]:
    """Voters of an election after one, by name."""
    return Voter.key.partition(election).gt(name)


@patterns.read_function("A13", items=100, rate=per_day(100))
def ballots_after(election: str, name: str) -> Selection[Ballot]:
    """Ballots of an election after that of a voter, by name."""
    return Ballot.key.partition(election).gt(name)


patterns.check()
