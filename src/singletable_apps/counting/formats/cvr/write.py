"""Ballots as cast vote records: one record for each ballot, in an order that tells nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime

from singletable_apps.counting.ballots import Ballots
from singletable_apps.counting.errors import WriteError
from singletable_apps.counting.formats.table import CVR
from singletable_apps.counting.formats.writable import check_writable
from singletable_apps.counting.ranking import Ranking

_MOST_RECORDS = 1_000_000


def write_cvr(ballots: Ballots, title: str, when: datetime | None) -> str:
    """The report, with all members that the standard requires; `when` it was made is one."""
    counted = ballots.ranking_counts()
    check_writable(CVR, ballots.candidates, counted)
    if when is None or when.tzinfo is None:
        raise WriteError(
            "A cast vote record report says when it was made: give `when`, with a time zone."
        )
    if ballots.cast > _MOST_RECORDS:
        raise WriteError(
            f"The format cvr has a record for each ballot, and these are {ballots.cast:,}; "
            f"{_MOST_RECORDS:,} are the most we write. Formats with counts: cef, abif, csv, toi."
        )
    report = _report(ballots.candidates, title, when)
    numbers = {name: f"cs-{at}" for at, name in enumerate(ballots.candidates, start=1)}
    alike = (ranking for ranking, count in counted for _ in range(count))
    report["CVR"] = [_record(ranking, at, numbers) for at, ranking in enumerate(alike, start=1)]
    return json.dumps(report, ensure_ascii=False, indent=1) + "\n"


def _report(candidates: tuple[str, ...], title: str, when: datetime) -> dict[str, object]:
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


def _record(ranking: Ranking, number: int, numbers: dict[str, str]) -> dict[str, object]:
    selections = [
        _typed(
            "CVRContestSelection",
            {
                "ContestSelectionId": numbers[name],
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
