"""Writing: ballots and names that a format cannot represent, escaping, and required members."""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime

import pytest

from ranked_ballots import Ballots, Ranking
from ranked_ballots.formats import FormatError, WriteError, read_ballots, write_ballots

STRICT, TIED, PARTIAL, BLANK = (
    Ranking.from_levels(levels) for levels in (["Ada", "Ben"], [["Ada", "Ben"]], ["Ben"], [])
)

REJECTED = [
    (
        "soc",
        TIED,
        "the ballot 'Ada = Ben' (×3), number 1 .*: it ranks several candidates equally",
    ),
    ("soc", PARTIAL, "the ballot 'Ben' (×3).*: it does not rank all candidates"),
    ("soi", TIED, "it ranks several candidates equally"),
    ("toc", PARTIAL, "it does not rank all candidates"),
    ("toi", BLANK, "a blank ballot (×3), .*: it is blank. Use another format: csv"),
    ("csv-ranks", TIED, "it ranks several candidates equally"),
    ("csv-ranks", PARTIAL, "the candidate 'Ada': no ballot ranks them. Use csv"),
    ("rctab", STRICT, "count the ballots with instant_runoff"),
    ("cvr", STRICT, "pass `when` with a time zone"),
]


@pytest.mark.parametrize(("form", "ranking", "why"), REJECTED)
def test_write_error_names_the_ballot_and_the_reason(form: str, ranking: Ranking, why: str) -> None:
    ballots = Ballots.from_counts(["Ada", "Ben"], [(ranking, 3)])
    with pytest.raises(WriteError, match=why.replace("(", r"\(").replace(")", r"\)")):
        write_ballots(ballots, form)


NAMES = [
    ("cef", "A > B", "'>' has a special meaning"),
    ("cef", "A/B", "'/' has a special meaning"),
    ("abif", "A [1]", r"'\[' has a special meaning"),
    ("toi", "A\nB", "control character"),
    ("csv", " A", "white space at its ends would be lost"),
    ("csv", "", "a name must not be empty"),
    ("csv-ranks", "Overvote", "a word for no candidate"),
    ("cvr", "\ud800", "half of a surrogate pair"),
]


@pytest.mark.parametrize(("form", "name", "why"), NAMES)
def test_write_error_names_the_candidate_and_the_reason(form: str, name: str, why: str) -> None:
    ballots = Ballots.from_counts([name], [(Ranking.from_levels([name]), 1)])
    with pytest.raises(WriteError, match=why):
        write_ballots(ballots, form)


# A spreadsheet would compute some of these; others would be read as counts or ranks.
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
        # Where cells are separated by semicolons, a new one starts here.
        ("A;=1", "A;'=1"),
        ("Rank 2;@A", "'Rank 2;'@A"),
    ],
)
def test_csv_escapes_names_that_would_be_misread(name: str, written: str) -> None:
    ballots = Ballots.from_counts([name, "Ada"], [(Ranking.from_levels([name, "Ada"]), 3)])
    table = write_ballots(ballots, "csv")
    assert table.decode().splitlines()[0] == f"count,{written},Ada"
    assert read_ballots(table, "csv").ballots.ranking_counts() == ballots.ranking_counts()


@pytest.mark.parametrize("name", ['=HYPERLINK("http://x")', "+1", "＝1", "'=1", "'Allo"])
def test_csv_ranks_escapes_names_that_a_spreadsheet_would_run(name: str) -> None:
    ballots = Ballots.from_counts([name, "Ada"], [(Ranking.from_levels([name, "Ada"]), 3)])
    table = write_ballots(ballots, "csv-ranks")
    [_, row] = csv.reader(table.decode().splitlines())
    assert row == ["3", name if name == "'Allo" else f"'{name}", "Ada"]
    assert read_ballots(table, "csv-ranks").ballots.ranking_counts() == ballots.ranking_counts()


def test_csv_keeps_an_apostrophe_that_escapes_nothing() -> None:
    assert read_ballots(b"count,'Allo,Ada\n1,1,2\n", "csv").ballots.candidates == ("'Allo", "Ada")


def test_unknown_format_error_lists_all_formats() -> None:
    with pytest.raises(FormatError, match=r"no format 'xls'\. Formats: cef, abif, soc"):
        write_ballots(Ballots.from_counts(["Ada"], []), "xls")


def test_cvr_rejects_too_many_records() -> None:
    ballots = Ballots.from_counts(["Ada"], [(Ranking.from_levels(["Ada"]), 10**9)])
    with pytest.raises(WriteError, match="1,000,000,000 are too many"):
        write_ballots(ballots, "cvr", when=datetime(2026, 5, 1, tzinfo=UTC))


# The members that the schema of the standard requires, by type.
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


def test_cvr_has_all_required_members() -> None:
    ballots = Ballots.from_counts(["Ada", "Ben"], [(STRICT, 2), (BLANK, 1)])
    seen: set[str] = set()

    def look(members: dict[str, object]) -> dict[str, object]:
        kind = str(members["@type"])
        assert set(REQUIRED[kind].split()) <= set(members)
        seen.add(kind)
        return members

    json.loads(
        write_ballots(ballots, "cvr", when=datetime(2026, 5, 1, tzinfo=UTC)), object_hook=look
    )
    assert seen == set(REQUIRED)
