"""Cast vote records become ballots of one contest.

What counts is the current snapshot of each record and its marks with HasIndication "yes".
IsAllocable is not looked at: in a ranked contest it says which mark a round counted.
"""

from __future__ import annotations

from collections import Counter

from singletable_apps.counting.errors import FormatError
from singletable_apps.counting.formats.collecting import Asked, Collector
from singletable_apps.counting.formats.cvr.report import (
    CVR,
    CastVoteRecordReport,
    Contest,
    CVRContest,
    CVRSnapshot,
    Election,
    Wrapped,
)
from singletable_apps.counting.formats.json import Members, decoded
from singletable_apps.counting.formats.marks import Mark
from singletable_apps.counting.formats.reading import BallotFile
from singletable_apps.counting.formats.source import Source


def read_cvr(source: Source, asked: Asked) -> BallotFile:
    """The ballots of the contest that was asked for, or of the only one there is."""
    report = _report(source.data)
    election, contest = _contest(report, asked.contest)
    names = _names(election, contest)
    collector = Collector(asked, list(names.values()), "record")
    elsewhere = 0
    for number, record in enumerate(report.records, start=1):
        try:
            marked = _marked(record, contest.id, number)
            if marked is None:
                elsewhere += 1
            else:
                collector.add_marks(_marks(marked, names, number), 1, number)
        except FormatError as error:
            asked.stop_or_go(error)
            collector.refuse("malformed", 1, number)
    if elsewhere:
        collector.notes.append(f"{elsewhere:,} records have nothing of this contest")
    asked.told(len(source.data), len(source.data))
    return collector.reading("cvr", contest.name)


def _report(data: bytes) -> CastVoteRecordReport:
    if decoded(data, Members).is_wrapped:
        return decoded(data, Wrapped).report
    return decoded(data, CastVoteRecordReport)


def _contest(report: CastVoteRecordReport, asked: str | None) -> tuple[Election, Contest]:
    found = [(election, contest) for election in report.elections for contest in election.contests]
    listed = ", ".join(f"'{contest.name}' ({contest.id})" for _, contest in found)
    if not found:
        raise FormatError("The report has no contests.")
    if asked is None:
        if len(found) > 1:
            raise FormatError(f"There are several contests; name one by name or id: {listed}.")
        return found[0]
    fitting = [each for each in found if asked in (each[1].id, each[1].name)]
    if len(fitting) != 1:
        many = "several contests are called" if fitting else "no contest is called"
        raise FormatError(f"In the report {many} '{asked}'; there are: {listed}.")
    return fitting[0]


def _names(election: Election, contest: Contest) -> dict[str, str]:
    """The name of each selection, by its id; names that come twice have the id behind them."""
    people = {candidate.id: candidate.name for candidate in election.candidates}
    names: dict[str, str] = {}
    for selection in contest.selections:
        together = [people.get(person) or person for person in selection.candidates]
        names[selection.id] = " / ".join(together) or selection.id
    often = Counter(names.values())
    return {
        selection: f"{name} ({selection})" if often[name] > 1 else name
        for selection, name in names.items()
    }


def _marked(record: CVR, contest: str, number: int) -> CVRContest | None:
    snapshot = _current(record, number)
    found = [each for each in snapshot.contests if each.contest == contest]
    if len(found) > 1:
        raise FormatError(f"Record {number:,} has the contest '{contest}' {len(found)} times.")
    return found[0] if found else None


def _current(record: CVR, number: int) -> CVRSnapshot:
    for snapshot in record.snapshots:
        if record.current is None or snapshot.id == record.current:
            return snapshot
    raise FormatError(
        f"Record {number:,} names '{record.current}' as its current snapshot and has none of that "
        "id."
    )


def _marks(marked: CVRContest, names: dict[str, str], number: int) -> list[Mark]:
    by_rank: dict[int, list[str]] = {}
    for selection in marked.selections:
        for position in selection.positions:
            if position.indication != "yes":
                continue
            name = names.get(selection.selection or "")
            if name is None:
                raise FormatError(
                    f"Record {number:,} marks '{selection.selection}', which is no selection of "
                    "the contest."
                )
            rank = selection.rank if position.rank is None else position.rank
            if rank is None or rank < 1:
                raise FormatError(
                    f"Record {number:,} marks '{name}' with the Rank {rank}; a ranked contest "
                    "has ranks from 1 on."
                )
            by_rank.setdefault(rank, []).append(name)
    return list(by_rank.items())
