"""Cast vote records in JSON, as NIST SP 1500-103 defines them.

The current snapshot of each record counts, with its marks whose HasIndication is "yes". IsAllocable
is ignored: in a ranked contest it says which mark a round counted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Literal

import msgspec

from ranked_ballots.ballots import Ballots
from ranked_ballots.errors import FormatError, WriteError
from ranked_ballots.formats.collector import BallotCollector, BallotFile, ReadOptions
from ranked_ballots.formats.registry import FORMATS, check_writable
from ranked_ballots.formats.rules import Mark
from ranked_ballots.formats.source import JsonMembers, Source, decode_json
from ranked_ballots.ranking import Ranking

_MAX_RECORDS = 1_000_000


# The classes below have the names of the standard, and only the members that say who is ranked
# where; others are ignored. RCTab writes the same members and omits `@type` in places.


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
    """The marks of a ballot in one contest."""

    contest: str = msgspec.field(name="ContestId")
    selections: list[CVRContestSelection] = msgspec.field(
        name="CVRContestSelection", default_factory=list[CVRContestSelection]
    )


class CVRSnapshot(msgspec.Struct):
    """A version of a ballot."""

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
    """A choice on the ballot: a candidate, running mates, or a write-in."""

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


class WrappedReport(msgspec.Struct):
    """A report inside a member of its own, as in some exports."""

    report: CastVoteRecordReport = msgspec.field(name="CastVoteRecordReport")


def read_cvr(source: Source, options: ReadOptions) -> BallotFile:
    """Read the ballots of the chosen contest, or of the only one."""
    report = _decode_report(source.data)
    election, contest = _find_contest(report, options.contest)
    names = _selection_names(election, contest)
    collector = BallotCollector(options, list(names.values()), "record")
    without_contest = 0
    for number, record in enumerate(report.records, start=1):
        try:
            marked = _find_marks(record, contest.id, number)
            if marked is None:
                without_contest += 1
            else:
                collector.add_marks(_parse_marks(marked, names, number), 1, number)
        except FormatError as error:
            options.check_malformed(error)
            collector.reject("malformed", 1, number)
    if without_contest:
        collector.notes.append(f"{without_contest:,} records do not have this contest")
    options.on_progress(len(source.data), len(source.data))
    return collector.finish("cvr", contest.name)


def _decode_report(data: bytes) -> CastVoteRecordReport:
    if decode_json(data, JsonMembers).is_wrapped:
        return decode_json(data, WrappedReport).report
    return decode_json(data, CastVoteRecordReport)


def _find_contest(report: CastVoteRecordReport, wanted: str | None) -> tuple[Election, Contest]:
    contests = [
        (election, contest) for election in report.elections for contest in election.contests
    ]
    known = ", ".join(f"'{contest.name}' ({contest.id})" for _, contest in contests)
    if not contests:
        raise FormatError("The report has no contests.")
    if wanted is None:
        if len(contests) > 1:
            raise FormatError(f"There are several contests; choose one by name or id: {known}.")
        return contests[0]
    matching = [entry for entry in contests if wanted in (entry[1].id, entry[1].name)]
    if len(matching) != 1:
        number = "several contests" if matching else "no contest"
        raise FormatError(f"The report has {number} '{wanted}'. Contests: {known}.")
    return matching[0]


def _selection_names(election: Election, contest: Contest) -> dict[str, str]:
    """Return the name of each selection by id; repeated names are followed by the id."""
    people = {candidate.id: candidate.name for candidate in election.candidates}
    names: dict[str, str] = {}
    for selection in contest.selections:
        together = [people.get(person) or person for person in selection.candidates]
        names[selection.id] = " / ".join(together) or selection.id
    frequency = Counter(names.values())
    return {
        selection: f"{name} ({selection})" if frequency[name] > 1 else name
        for selection, name in names.items()
    }


def _find_marks(record: CVR, contest: str, number: int) -> CVRContest | None:
    snapshot = _current_snapshot(record, number)
    matching = [marked for marked in snapshot.contests if marked.contest == contest]
    if len(matching) > 1:
        raise FormatError(f"Record {number:,} has the contest '{contest}' {len(matching)} times.")
    return matching[0] if matching else None


def _current_snapshot(record: CVR, number: int) -> CVRSnapshot:
    for snapshot in record.snapshots:
        if record.current is None or snapshot.id == record.current:
            return snapshot
    raise FormatError(
        f"Record {number:,} refers to '{record.current}' as its current snapshot, which it does "
        "not have."
    )


def _parse_marks(marked: CVRContest, names: dict[str, str], number: int) -> list[Mark]:
    by_rank: dict[int, list[str]] = {}
    for selection in marked.selections:
        for position in selection.positions:
            if position.indication != "yes":
                continue
            name = names.get(selection.selection or "")
            if name is None:
                raise FormatError(
                    f"Record {number:,} marks '{selection.selection}', which is not a selection of "
                    "the contest."
                )
            rank = selection.rank if position.rank is None else position.rank
            if rank is None or rank < 1:
                raise FormatError(
                    f"Record {number:,} marks '{name}' with the Rank {rank}; ranks start at 1."
                )
            by_rank.setdefault(rank, []).append(name)
    return list(by_rank.items())


def write_cvr(ballots: Ballots, title: str, when: datetime | None) -> str:
    """Write a report with all required members and a record per ballot, sorted by ranking."""
    rankings = ballots.ranking_counts()
    check_writable(FORMATS["cvr"], ballots.candidates, rankings)
    if when is None or when.tzinfo is None:
        raise WriteError(
            "A cast vote record report contains its time: pass `when` with a time zone."
        )
    if ballots.cast > _MAX_RECORDS:
        raise WriteError(
            f"The format cvr has a record for each ballot; {ballots.cast:,} are too many, the "
            f"maximum is {_MAX_RECORDS:,}. Use a format with counts: cef, abif, csv or toi."
        )
    report = _make_report(ballots.candidates, title, when)
    ids = {name: f"cs-{at}" for at, name in enumerate(ballots.candidates, start=1)}
    single = (ranking for ranking, count in rankings for _ in range(count))
    report["CVR"] = [_make_record(ranking, at, ids) for at, ranking in enumerate(single, start=1)]
    return json.dumps(report, ensure_ascii=False, indent=1) + "\n"


def _make_report(candidates: tuple[str, ...], title: str, when: datetime) -> dict[str, object]:
    numbered = list(enumerate(candidates, start=1))
    contest = _typed(
        "CandidateContest",
        {
            "@id": "contest-1",
            "Name": title,
            "VoteVariation": "rcv",
            "ContestSelection": [
                _typed("CandidateSelection", {"@id": f"cs-{at}", "CandidateIds": [f"c-{at}"]})
                for at, _ in numbered
            ],
        },
    )
    people = [_typed("Candidate", {"@id": f"c-{at}", "Name": name}) for at, name in numbered]
    election = {
        "@id": "election-1",
        "Name": title,
        "ElectionScopeId": "gp-1",
        "Candidate": people,
        "Contest": [contest],
    }
    unit = {"@id": "gp-1", "Type": "other", "OtherType": "election"}
    return _typed(
        "CastVoteRecordReport",
        {
            "Version": "1.0.0",
            "GeneratedDate": when.isoformat(timespec="seconds"),
            "ReportGeneratingDeviceIds": ["device-1"],
            "ReportingDevice": [
                _typed("ReportingDevice", {"@id": "device-1", "Application": "singletable"})
            ],
            "GpUnit": [_typed("GpUnit", unit)],
            "Election": [_typed("Election", election)],
        },
    )


def _make_record(ranking: Ranking, number: int, ids: dict[str, str]) -> dict[str, object]:
    selections = [
        _typed(
            "CVRContestSelection",
            {
                "ContestSelectionId": ids[name],
                "SelectionPosition": [
                    _typed(
                        "SelectionPosition",
                        {"HasIndication": "yes", "NumberVotes": 1, "Rank": rank},
                    )
                ],
            },
        )
        for rank, level in enumerate(ranking.levels, start=1)
        for name in level
    ]
    contest = _typed("CVRContest", {"ContestId": "contest-1", "CVRContestSelection": selections})
    snapshot = {"@id": f"snapshot-{number}", "Type": "original", "CVRContest": [contest]}
    return _typed(
        "CVR",
        {
            "ElectionId": "election-1",
            "CurrentSnapshotId": f"snapshot-{number}",
            "CVRSnapshot": [_typed("CVRSnapshot", snapshot)],
        },
    )


def _typed(kind: str, members: Mapping[str, object]) -> dict[str, object]:
    return {"@type": f"CVR.{kind}", **members}
