"""Every access pattern of polls: the document's three, then what it lacks."""

from __future__ import annotations

from singletable import (
    PatternCatalog,
    Selection,
    checks,
    creates,
    deletes,
    per_day,
    per_minute,
    per_second,
    puts,
    updates,
)
from singletable_apps.polls.entities import (
    Lane,
    Line,
    Made,
    Poll,
    Snapshot,
    SnapshotPart,
    Vote,
    polls,
)

SIZES = {Poll: 700, Vote: 300, Lane: 150, Line: 150, Snapshot: 200, SnapshotPart: 4_000, Made: 150}
patterns = PatternCatalog("polls", polls, sizes=SIZES)

# The document's.
poll_by_id = patterns.read("1", "Get Poll by ID", Poll.key, consistent=True, rate=per_second(100))
all_votes = patterns.read(
    "2",
    "Get All Votes for a Poll: the recount",
    Vote.key.partition,
    consistent=True,
    items=1_000,
    rate=per_day(10),
)

# The document's third, "Calculate Results", without reading all votes: what is summed up already,
# and the lines that came after it.
snapshot = patterns.read(
    "3a", "Results: how far they are summed up", Snapshot.key, consistent=True, rate=per_second(10)
)
snapshot_part = patterns.read(
    "3b", "Results: the sums", SnapshotPart.key, consistent=True, rate=per_second(10)
)


@patterns.read_function("3c", consistent=True, items=10, rate=per_second(80))
def lines_after(poll_id: str, lane: int, number: int) -> Selection[Line]:
    """Results: what came after that, lane by lane."""
    return Line.key.partition(poll_id, lane).gt(number)


put_snapshot = patterns.write(
    "3d", "Results: sum up anew", puts(Snapshot), checks(Poll), rate=per_minute(1)
)
put_parts = patterns.write("3e", "Results: keep the sums", puts(SnapshotPart), rate=per_minute(1))
drop_parts = patterns.write(
    "3f", "Results: drop the sums before", deletes(SnapshotPart), rate=per_minute(1)
)

# Making and keeping polls.
make = patterns.write("M1", "Make a poll", creates(Poll), creates(Lane), creates(Made), items=10)
change = patterns.write(
    "M2",
    "Change words, closing time, and who sees the results",
    updates(
        Poll,
        Poll.title,
        Poll.description,
        Poll.expires_at,
        Poll.results,
        Poll.changeable,
        Poll.closed,
        Poll.deleted,
        Poll.edition,
    ),
    rate=per_minute(1),
)
bring_along = patterns.write(
    "M3",
    "Let a lane follow its poll",
    updates(Lane, Lane.edition),
    rate=per_minute(8),
)
ask_anew = patterns.write(
    "M4",
    "Change options, while nobody has voted",
    updates(Poll),
    updates(Lane),
    items=9,
    rate=per_minute(1),
)
issue_codes = patterns.write(
    "M5", "Issue one-time codes", updates(Poll, Poll.codes), rate=per_minute(1)
)
polls_of_browser = patterns.read(
    "M6", "My polls", Made.key.partition, items=10, rate=per_minute(10)
)

# Voting.
lane = patterns.read("V1", "The gate of a lane", Lane.key, consistent=True, rate=per_second(100))
vote_by_id = patterns.read(
    "V2", "The vote of a browser or code", Vote.key, consistent=True, rate=per_second(10)
)
cast = patterns.write(
    "V3",
    "Vote, or change a vote",
    puts(Vote),
    updates(Lane, Lane.lines),
    creates(Line),
    rate=per_second(100),
)

# Deleting, piece by piece; the poll itself goes last.
lines_of = patterns.read("D1", "All lines of a lane", Line.key.partition, items=1_000)
parts_of = patterns.read("D2", "All sums of a poll", SnapshotPart.key.partition, items=10)
drop_votes = patterns.write("D3", "Delete votes", deletes(Vote), items=25, rate=per_day(1))
drop_lines = patterns.write("D4", "Delete lines", deletes(Line), items=25, rate=per_day(1))
drop_lane = patterns.write("D5", "Delete a lane", deletes(Lane), rate=per_day(8))
drop_snapshot = patterns.write("D6", "Delete the snapshot", deletes(Snapshot), rate=per_day(1))
drop_made = patterns.write("D7", "Forget who made it", deletes(Made), rate=per_day(1))
drop_poll = patterns.write("D8", "Delete a poll", deletes(Poll), rate=per_day(1))

patterns.check()
