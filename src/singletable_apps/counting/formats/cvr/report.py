"""The members of a cast vote record report that say who is ranked where; all others are skipped.

The names are the standard's. RCTab writes the same ones, and leaves `@type` out in places.
"""

from __future__ import annotations

from typing import Literal

import msgspec


class SelectionPosition(msgspec.Struct):
    """A mark: whether there is one, and on which rank."""

    indication: Literal["yes", "no", "unknown"] = msgspec.field(name="HasIndication", default="no")
    rank: int | None = msgspec.field(name="Rank", default=None)


class CVRContestSelection(msgspec.Struct):
    """The marks for one selection."""

    selection: str | None = msgspec.field(name="ContestSelectionId", default=None)
    rank: int | None = msgspec.field(name="Rank", default=None)
    positions: list[SelectionPosition] = msgspec.field(
        name="SelectionPosition", default_factory=list[SelectionPosition]
    )


class CVRContest(msgspec.Struct):
    """What a ballot says in one contest."""

    contest: str = msgspec.field(name="ContestId")
    selections: list[CVRContestSelection] = msgspec.field(
        name="CVRContestSelection", default_factory=list[CVRContestSelection]
    )


class CVRSnapshot(msgspec.Struct):
    """A ballot as it stood at some time."""

    id: str | None = msgspec.field(name="@id", default=None)
    contests: list[CVRContest] = msgspec.field(name="CVRContest", default_factory=list[CVRContest])


class CVR(msgspec.Struct):
    """A ballot."""

    snapshots: list[CVRSnapshot] = msgspec.field(name="CVRSnapshot")
    current: str | None = msgspec.field(name="CurrentSnapshotId", default=None)


class Candidate(msgspec.Struct):
    """A candidate."""

    id: str = msgspec.field(name="@id")
    name: str | None = msgspec.field(name="Name", default=None)


class ContestSelection(msgspec.Struct):
    """What can be marked: one candidate, several that stand together, or room for a name."""

    id: str = msgspec.field(name="@id")
    candidates: list[str] = msgspec.field(name="CandidateIds", default_factory=list[str])


class Contest(msgspec.Struct):
    """A contest."""

    id: str = msgspec.field(name="@id")
    name: str = msgspec.field(name="Name", default="")
    selections: list[ContestSelection] = msgspec.field(
        name="ContestSelection", default_factory=list[ContestSelection]
    )


class Election(msgspec.Struct):
    """An election."""

    contests: list[Contest] = msgspec.field(name="Contest")
    candidates: list[Candidate] = msgspec.field(name="Candidate", default_factory=list[Candidate])


class CastVoteRecordReport(msgspec.Struct):
    """A report."""

    elections: list[Election] = msgspec.field(name="Election")
    records: list[CVR] = msgspec.field(name="CVR", default_factory=list[CVR])


class Wrapped(msgspec.Struct):
    """A report inside a member of its own, as some exports have it."""

    report: CastVoteRecordReport = msgspec.field(name="CastVoteRecordReport")
