"""Every access pattern of polls: the three of the original design, then the additions."""

from __future__ import annotations

from singletable import (
    ItemCount,
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
    zipf,
)
from singletable_apps.polls.entities import (
    Comment,
    CreatedPoll,
    LaneEntry,
    OptionPicture,
    Poll,
    Snapshot,
    SnapshotPart,
    Vote,
    VotingLane,
    polls,
)

# The bytes of an item, and how many there are on a busy site: three new polls a minute, and ten
# votes a second.
_ITEMS: dict[type, tuple[int, ItemCount]] = {
    Poll: (700, ItemCount(1_000_000, growth=0.13)),
    Vote: (300, ItemCount(200_000_000, growth=0.13)),
    VotingLane: (150, ItemCount(8_000_000, growth=0.13)),
    LaneEntry: (150, ItemCount(200_000_000, growth=0.13)),
    Snapshot: (200, ItemCount(1_000_000, growth=0.13)),
    SnapshotPart: (4_000, ItemCount(1_000_000, growth=0.13)),
    CreatedPoll: (150, ItemCount(1_000_000, growth=0.13)),
    Comment: (250, ItemCount(1_000_000, growth=0.13)),
    OptionPicture: (20_000, ItemCount(100_000, growth=0.13)),
}
# A few polls have most of the votes.
VALUES = [zipf(Poll.id, 1_000_000, 0.8)]
patterns = PatternCatalog(
    "polls",
    polls,
    sizes={entity: size for entity, (size, _) in _ITEMS.items()},
    counts={entity: count for entity, (_, count) in _ITEMS.items()},
    values=VALUES,
)
read, write, read_function = patterns.read, patterns.write, patterns.read_function

# The patterns of the original design.
poll_by_id = read("1", "Get Poll by ID", Poll.key, consistent=True, rate=per_second(10, peak=100))
all_votes = read(
    "2",
    "Get All Votes for a Poll: the recount",
    Vote.key.partition,
    consistent=True,
    items=1_000,
    rate=per_day(10),
)

# The third, "Calculate Results", without reading all votes: the snapshot and the entries after it.
snapshot = read(
    "3a", "Results: the latest snapshot", Snapshot.key, consistent=True, rate=per_second(1, peak=10)
)
snapshot_part = read(
    "3b",
    "Results: a part of the snapshot",
    SnapshotPart.key,
    consistent=True,
    rate=per_second(1, peak=10),
)


@read_function("3c", consistent=True, items=10, rate=per_second(8, peak=80))
def entries_after(poll_id: str, lane: int, number: int) -> Selection[LaneEntry]:
    """Results: new entries of a lane."""
    return LaneEntry.key.partition(poll_id, lane).gt(number)


put_snapshot = write(
    "3d", "Results: replace the snapshot", puts(Snapshot), checks(Poll), rate=per_minute(1)
)
write("3e", "Results: store the parts of a snapshot", puts(SnapshotPart), rate=per_minute(1))
write(
    "3f", "Results: delete the parts of the old snapshot", deletes(SnapshotPart), rate=per_minute(1)
)

# Creating and managing polls.
create_poll = write(
    "M1",
    "Create a poll",
    creates(Poll),
    *[creates(VotingLane)] * 8,
    creates(CreatedPoll),
    rate=per_minute(3),
)
write(
    "M2",
    "Edit or close a poll",
    updates(
        Poll,
        Poll.title,
        Poll.description,
        Poll.candidates,
        Poll.expires_at,
        Poll.settings,
        Poll.closed,
        Poll.deleted,
        Poll.edition,
    ),
    rate=per_minute(1),
)
write(
    "M3",
    "Update a lane to the edition of its poll",
    updates(VotingLane, VotingLane.edition),
    rate=per_minute(8),
)
edit_options = write(
    "M4",
    "Edit the options of a poll without votes",
    updates(Poll),
    updates(VotingLane),
    items=9,
    rate=per_minute(1),
)
issue_codes = write("M5", "Issue voting codes", updates(Poll, Poll.codes), rate=per_minute(1))
write("M7", "Add an option", updates(Poll, Poll.candidates, Poll.numbers), rate=per_minute(1))
write(
    "M8",
    "Confirm the address for notices, or mark a notice as sent",
    updates(Poll, Poll.confirmed, Poll.notices),
    rate=per_minute(1),
)
comments_of_poll = read(
    "C1", "Comments on a poll", Comment.key.partition, items=10, rate=per_minute(10)
)
write("C2", "Comment on a poll", creates(Comment), rate=per_minute(1))
write("C3", "Delete comments", deletes(Comment), rate=per_day(1))
picture = read("O1", "A picture of an option", OptionPicture.key, rate=per_minute(10))
pictures_of_poll = read(
    "O2", "All pictures of a poll", OptionPicture.key.partition, items=5, rate=per_day(1)
)
set_picture = write(
    "O3",
    "Set or remove the picture of an option",
    puts(OptionPicture),
    deletes(OptionPicture),
    updates(Poll, Poll.pictures),
    rate=per_day(100),
)
write("O4", "Delete the pictures of a poll", deletes(OptionPicture), rate=per_day(1))
polls_of_browser = read("M6", "My polls", CreatedPoll.key.partition, items=10, rate=per_minute(10))

# Voting.
lane_by_number = read(
    "V1", "Get a lane before voting", VotingLane.key, consistent=True, rate=per_second(10, peak=100)
)
vote_by_id = read(
    "V2",
    "Get the vote of a browser or code",
    Vote.key,
    consistent=True,
    rate=per_second(1, peak=10),
)
cast_vote = write(
    "V3",
    "Cast or change a vote",
    puts(Vote),
    updates(VotingLane, VotingLane.entries),
    creates(LaneEntry),
    rate=per_second(10, peak=100),
)

# Deleting a poll in batches; the poll itself is deleted last.
entries_of_lane = read("D1", "All entries of a lane", LaneEntry.key.partition, items=1_000)
snapshot_parts = read("D2", "All snapshot parts of a poll", SnapshotPart.key.partition, items=10)
write("D3", "Delete votes", deletes(Vote), items=25, rate=per_day(1))
write("D4", "Delete lane entries", deletes(LaneEntry), items=25, rate=per_day(1))
write("D5", "Delete a lane", deletes(VotingLane), rate=per_day(8))
write("D6", "Delete the snapshot", deletes(Snapshot), rate=per_day(1))
write("D7", "Remove a poll from My polls", deletes(CreatedPoll), rate=per_day(1))
write("D8", "Delete a poll", deletes(Poll), rate=per_day(1))

patterns.check()
