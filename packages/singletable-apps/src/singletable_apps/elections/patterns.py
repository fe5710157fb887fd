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
read, write, read_function = patterns.read, patterns.write, patterns.read_function

# Users.
user_by_name = read(
    "U1", "Lookup by username", User.key, consistent=True, rate=per_second(1, peak=100)
)
user_by_email = read("U2", "Lookup by email", User.one_email, rate=per_second(1))
list_users = read("U3", "List all users", User.listed, items=100, rate=per_minute(1))
read("U4", "Check username exists", User.one_name, rate=per_minute(1))
read("U6", "User of a token", User.one_id, rate=per_second(1, peak=100))


# Elections.
election_by_name = read(
    "E1", "Lookup by name", Election.key, consistent=True, rate=per_second(1, peak=100)
)
list_elections = read("E2", "List all elections", Election.listed, items=100, rate=per_second(1))
read("E4", "Lookup by name, ignoring case", Election.one_name, rate=per_second(1))
elections_of_owner = read(
    "E5", "Elections of an owner", Ownership.by_owner, items=10, rate=per_minute(1)
)
read("E7", "Owner", Ownership.key, consistent=True, rate=per_day(10))

# Candidates.
candidates_of = read(
    "C1",
    "List candidates for election",
    Candidate.key.partition,
    consistent=True,
    items=10,
    rate=per_second(1, peak=100),
)
read("C2", "Check candidate exists", Candidate.key, rate=per_day(100))

# Eligible voters.
voters_of = read(
    "V1", "List voters for election", Voter.key.partition, items=500, rate=per_minute(1)
)
read("V2", "Check eligibility", Voter.key, consistent=True, rate=per_second(1, peak=100))

# Ballots.
read(
    "B1",
    "Get ballot by voter + election",
    Ballot.key,
    consistent=True,
    rate=per_second(1, peak=100),
)
ballots_of = read(
    "B2", "List all ballots for election", Ballot.key.partition, items=500, rate=per_second(1)
)
read("B4", "List rankings for election", Ballot.key.partition, items=500, rate=per_second(1))

# Counts, and how far the table has followed the log.
counts = read("M1", "Get counts", Counts.key, consistent=True, rate=per_second(1))
sync_state = read("M3", "Sync state", Sync.key, consistent=True, rate=per_second(2, peak=200))

# The log.
all_events = read("L3", "Count events, list all in order", Event.key.partition, items=10_000)
event = read("L5", "One event", Event.key, consistent=True, rate=per_minute(1))
restoring = read(
    "L6", "Whether the log is being restored", RestoreMarker.key, consistent=True, rate=per_day(10)
)
write("L7", "Begin to restore it", creates(RestoreMarker), rate=per_day(1))
write("L8", "The log is restored", deletes(RestoreMarker), rate=per_day(1))
append = write("L1", "Append event", creates(Event), size=900, rate=per_second(1, peak=100))


@read_function("L2", consistent=True, items=10, rate=per_second(1, peak=100))
def events_after(event_id: int) -> Selection[Event]:
    """Read events since last sync."""
    return Event.key.partition().gt(event_id)


def _moves(*entities: type) -> list[EntityAccess]:
    return [effect(entity) for entity in entities for effect in (creates, deletes)]


# Applying events: each is one transaction with the sync state.
register = write(
    "P1",
    "Register a user",
    creates(User),
    updates(Counts),
    updates(Sync),
    rate=per_minute(2, peak=60),
)
change_registration = write(
    "P20", "Change who may register", updates(Counts), updates(Sync), rate=per_day(0.1)
)
change_user = write(
    "P2",
    "Change a role, e-mail address or password",
    updates(User),
    updates(Sync),
    rate=per_minute(1),
)
rename_user = write(
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
remove_user = write(
    "P4",
    "Remove a user with ballots and voter list entries, in chunks",
    deletes(User),
    *_moves(Voter, Ballot),
    updates(Counts),
    updates(Sync),
    items=24,
    rate=per_day(10),
)
create_election = write(
    "P5",
    "Create an election",
    creates(Election),
    creates(Ownership),
    updates(User),
    updates(Counts),
    updates(Sync),
    rate=per_day(80),
)
change_election = write(
    "P6", "Change settings or state", updates(Election), updates(Sync), rate=per_day(300)
)
rename_election = write(
    "P7",
    "Rename an election and all its items, in chunks",
    *_moves(Election, Ownership, Candidate, Voter, Ballot),
    updates(Sync),
    items=24,
    rate=per_day(5),
)
hand_over = write(
    "P8",
    "Transfer an election",
    updates(Election),
    updates(Ownership),
    updates(User),
    updates(Sync),
    rate=per_day(5),
)
delete_election = write(
    "P9",
    "Delete an election and all its items, in chunks",
    *map(deletes, (Election, Ownership, Candidate, Voter, Ballot)),
    updates(User),
    updates(Counts),
    updates(Sync),
    items=24,
    rate=per_day(10),
)
change_candidates = write(
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
change_voters = write(
    "P11",
    "Add voter, remove voter",
    puts(Voter),
    deletes(Voter),
    updates(Election),
    updates(Sync),
    items=92,
    rate=per_day(500),
)
change_roll = write(
    "P16",
    "Put voters on a roll, change their entries",
    puts(Voter),
    updates(Election),
    updates(Sync),
    items=92,
    rate=per_day(100),
)
cast_ballot = write(
    "P12", "Cast ballot", puts(Ballot), updates(User), updates(Sync), rate=per_second(1, peak=100)
)
withdraw_ballot = write(
    "P13", "Withdraw ballot", deletes(Ballot), updates(User), updates(Sync), rate=per_day(100)
)
begin = write("P14", "Start applying the log", creates(Sync), creates(Counts))
rebuild = write("P15", "Rebuild the table", updates(Sync), puts(Counts), rate=per_day(1))

patterns.check()
