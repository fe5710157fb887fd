"""What a format cannot hold is refused with which ballot, and why, and what can."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from singletable_apps.counting import Ballots, Ranking
from singletable_apps.counting.formats import FormatError, WriteError, read_ballots, write_ballots

STRICT, TIED, PARTIAL, BLANK = (
    Ranking.from_levels(levels) for levels in (["Ada", "Ben"], [["Ada", "Ben"]], ["Ben"], [])
)

REFUSED = [
    (
        "soc",
        TIED,
        "cannot hold the ballot 'Ada = Ben' (×3), number 1 .*: it ranks several .* equal",
    ),
    ("soc", PARTIAL, "cannot hold the ballot 'Ben' (×3).*: it does not rank everybody"),
    ("soi", TIED, "it ranks several candidates equal"),
    ("toc", PARTIAL, "it does not rank everybody"),
    ("toi", BLANK, "cannot hold a blank ballot (×3), .*: it ranks nobody. Formats that can: csv"),
    ("csv-ranks", TIED, "it ranks several candidates equal"),
    ("csv-ranks", PARTIAL, "cannot hold the candidate 'Ada': nobody ranks them. Write csv"),
    ("rctab", STRICT, "count the ballots with instant_runoff"),
    ("cvr", STRICT, "give `when`, with a time zone"),
]


@pytest.mark.parametrize(("form", "ranking", "why"), REFUSED)
def test_a_ballot_is_refused_with_the_reason(form: str, ranking: Ranking, why: str) -> None:
    ballots = Ballots.from_counts(["Ada", "Ben"], [(ranking, 3)])
    with pytest.raises(WriteError, match=why.replace("(", r"\(").replace(")", r"\)")):
        write_ballots(ballots, form)


NAMES = [
    ("cef", "A > B", "'>' has a meaning of its own there"),
    ("cef", "A/B", "'/' has a meaning"),
    ("abif", "A [1]", r"'\[' has a meaning"),
    ("toi", "A\nB", "control character"),
    ("csv", " A", "white space at its ends would be lost"),
    ("csv", "", "a name may not be empty"),
    ("csv-ranks", "Overvote", "a word for no candidate"),
    ("cvr", "\ud800", "half of a surrogate pair"),
]


@pytest.mark.parametrize(("form", "name", "why"), NAMES)
def test_a_name_is_refused_with_the_reason(form: str, name: str, why: str) -> None:
    ballots = Ballots.from_counts([name], [(Ranking.from_levels([name]), 1)])
    with pytest.raises(WriteError, match=why):
        write_ballots(ballots, form)


# A spreadsheet would compute some of these, and we would take the others for counts and ranks.
@pytest.mark.parametrize(
    ("name", "written"),
    [
        ('=HYPERLINK("http://x")', '"\'=HYPERLINK(""http://x"")"'),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@sum", "'@sum"),
        ("2", "'2"),
        ("Rank 2", "'Rank 2"),
        ("Votes", "'Votes"),
        ("Ballot ID", "'Ballot ID"),
        ("'2", "''2"),
        ("'Allo", "''Allo"),
        ("O'Neill", "O'Neill"),
    ],
)
def test_a_name_that_a_table_would_misread_is_marked(name: str, written: str) -> None:
    ballots = Ballots.from_counts([name, "Ada"], [(Ranking.from_levels([name, "Ada"]), 3)])
    table = write_ballots(ballots, "csv")
    assert table.decode().splitlines()[0] == f"count,{written},Ada"
    assert read_ballots(table, "csv").ballots.ranking_counts() == ballots.ranking_counts()


def test_an_apostrophe_that_marks_nothing_is_of_the_name() -> None:
    assert read_ballots(b"count,'Allo,Ada\n1,1,2\n", "csv").ballots.candidates == ("'Allo", "Ada")


def test_an_unknown_format_is_refused_with_those_there_are() -> None:
    with pytest.raises(FormatError, match="no format 'xls'; there are: cef, abif, soc"):
        write_ballots(Ballots.from_counts(["Ada"], []), "xls")


def test_records_are_not_written_by_the_billion() -> None:
    ballots = Ballots.from_counts(["Ada"], [(Ranking.from_levels(["Ada"]), 10**9)])
    with pytest.raises(WriteError, match="a record for each ballot, and these are 1,000,000,0"):
        write_ballots(ballots, "cvr", when=datetime(2026, 5, 1, tzinfo=UTC))


# Members that the standard's schema requires, by the type that has them.
REQUIRED = {
    "CVR.CastVoteRecordReport": (
        "Election GeneratedDate GpUnit ReportGeneratingDeviceIds ReportingDevice Version"
    ),
    "CVR.Election": "@id Contest ElectionScopeId",
    "CVR.CandidateContest": "@id ContestSelection",
    "CVR.CandidateSelection": "@id",
    "CVR.Candidate": "@id",
    "CVR.GpUnit": "@id Type",
    "CVR.ReportingDevice": "@id",
    "CVR.CVR": "CVRSnapshot CurrentSnapshotId ElectionId",
    "CVR.CVRSnapshot": "@id Type",
    "CVR.CVRContest": "ContestId",
    "CVR.CVRContestSelection": "SelectionPosition",
    "CVR.SelectionPosition": "HasIndication NumberVotes",
}


def test_records_have_the_members_that_the_standard_requires() -> None:
    ballots = Ballots.from_counts(["Ada", "Ben"], [(STRICT, 2), (BLANK, 1)])
    met: set[str] = set()

    def look(members: dict[str, object]) -> dict[str, object]:
        kind = str(members["@type"])
        assert set(REQUIRED[kind].split()) <= set(members)
        met.add(kind)
        return members

    json.loads(
        write_ballots(ballots, "cvr", when=datetime(2026, 5, 1, tzinfo=UTC)), object_hook=look
    )
    assert met == set(REQUIRED)
