"""Rules for messy ballots: the ranking that results, and the account of every ballot."""

from __future__ import annotations

import pytest

from ranked_ballots.formats import BallotFile, BallotRules, FormatError, read_ballots

HEADER = "rank 1,rank 2,rank 3,rank 4\n"

# The row, the rules, the ranking it makes (None: rejected), and what is reported.
ROWS = [
    ("A,B,C,D", BallotRules(), "A > B > C > D", ""),
    ("A,,B,", BallotRules(), "A > B", "skipped ranks ignored"),
    ("A,,B,", BallotRules(skipped=0), "A", "exhausted at skipped ranks"),
    ("A,,B,", BallotRules(skipped=1), "A > B", "skipped ranks ignored"),
    ("A,,,B", BallotRules(skipped=1), "A", "exhausted at skipped ranks"),
    (",,A,B", BallotRules(skipped=1), "", "exhausted at skipped ranks"),
    ("A,undervote,skipped,", BallotRules(skipped=0), "A", ""),
    ("A,A,B,", BallotRules(), "A > B", "repeated candidate counted once"),
    ("A,A,B,", BallotRules(repeats="exhaust"), "A", "exhausted at a repeated candidate"),
    ("A,A,B,", BallotRules(repeats="refuse"), None, "ranks a candidate twice"),
    ("A,overvote,B,", BallotRules(), "A > B", "overvoted rank skipped, because it names no one"),
    ("A,overvote,B,", BallotRules(overvotes="skip"), "A > B", "overvoted rank skipped"),
    ("A,overvote,B,", BallotRules(overvotes="exhaust"), "A", "exhausted at an overvote"),
    ("A,overvote,B,", BallotRules(overvotes="refuse"), None, "overvoted"),
    ("A|B,C,,", BallotRules(delimiter="|"), "A = B > C", ""),
    ("A|B,C,,", BallotRules(), "A|B > C", ""),
    ("A|B,C,,", BallotRules(delimiter="|", overvotes="skip"), "C", "overvoted rank skipped"),
    # A candidate on a skipped rank may still be ranked further down.
    ("A|B,B,,", BallotRules(delimiter="|", overvotes="skip"), "B", "overvoted rank skipped"),
    (
        "A|B,B,C,",
        BallotRules(delimiter="|", overvotes="skip", repeats="exhaust"),
        "",
        "exhausted at a repeated candidate; overvoted rank skipped",
    ),
]


def reported(file: BallotFile) -> str:
    return "; ".join(entry.rule for entry in (*file.changed, *file.rejected))


@pytest.mark.parametrize(("row", "rules", "ranking", "rule"), ROWS)
def test_row_of_names_becomes_a_ranking(
    row: str, rules: BallotRules, ranking: str | None, rule: str
) -> None:
    # The second row is clean, so that there are candidates under any rules.
    file = read_ballots(f"{HEADER}{row}\nA,B,C,D\n".encode(), rules=rules)
    rankings = [
        str(ranking) for ranking, count in file.ballots.ranking_counts() for _ in range(count)
    ]
    expected = ["A > B > C > D"] if ranking is None else ["A > B > C > D", ranking]
    assert sorted(rankings) == sorted(expected)
    assert reported(file) == rule
    assert file.total == 2
    assert all(entry.first == "line 2" for entry in (*file.changed, *file.rejected))


RANKS = [
    ("2,1,,", BallotRules(), "B > A", ""),
    ("1,1,2,", BallotRules(), "A = B > C", ""),
    ("1,1,2,", BallotRules(overvotes="skip"), "C", "overvoted rank skipped"),
    ("1,2,2,3", BallotRules(overvotes="exhaust"), "A", "exhausted at an overvote"),
    ("1,2,2,3", BallotRules(overvotes="refuse"), None, "overvoted"),
    ("1,4,,9", BallotRules(), "A > B > D", "skipped ranks ignored"),
    (
        "1,4,,9",
        BallotRules(skipped=2),
        "A > B",
        "exhausted at skipped ranks; skipped ranks ignored",
    ),
    ("1,99999999999999999999,,", BallotRules(), "A > B", "skipped ranks ignored"),
]


@pytest.mark.parametrize(("row", "rules", "ranking", "rule"), RANKS)
def test_row_of_rank_numbers_becomes_a_ranking(
    row: str, rules: BallotRules, ranking: str | None, rule: str
) -> None:
    file = read_ballots(f"A,B,C,D\n{row}\n".encode(), rules=rules)
    rankings = [str(kept) for kept, _ in file.ballots.ranking_counts()]
    assert rankings == ([] if ranking is None else [ranking])
    assert reported(file).startswith(rule)
    assert bool(reported(file)) == bool(rule)
    assert file.total == 1


MALFORMED = [
    ("A,B\n1,2\n1,x\n", "Line 3: the rank of 'B' is 'x'"),
    ("A,B\n1,2\n1,2,3\n", "Line 3: the row has 3 cells, but the first line has 2"),
    ("count,A\n2,1\n-1,1\n", "Line 3: The count of a row must be a whole number, not '-1'"),
    ("#/Candidates: A;B\nA > B\nA > A\n", "Line 3: 'A' is ranked twice"),
    (
        "#/Candidates: A;B\nA > B\nA * 2 ^3\n",
        r"Line 3: expected a vote as 'A > B = C \^weight \* quantity'",
    ),
    ("#/Candidates: A;B\nA > B\nA > > B\n", "Line 3: a rank is empty"),
    ("2:A>B\n1:A>A\n", "Line 2: 'A' is ranked twice"),
    ("2:A>B\n1:A B\n", "Line 2: expected '>', '=' or ',' between candidates, found 'B'"),
    ("2:A>B\nx:A>B\n", "Line 2: The count before the colon must be a whole number"),
    ("# ALTERNATIVE NAME 1: A\n1: 1\n1: 2\n", "Line 3: candidate 2 is ranked, but there are 1"),
    ("# ALTERNATIVE NAME 1: A\n1: 1\n1: {1\n", "Line 3: expected numbers of candidates"),
    ("# ALTERNATIVE NAME 1: A\n1: 1\n1: 1,1\n", "Line 3: 'A' is ranked twice"),
]


@pytest.mark.parametrize(("text", "why"), MALFORMED)
def test_malformed_ballot_stops_or_is_rejected(text: str, why: str) -> None:
    with pytest.raises(FormatError, match=why) as raised:
        read_ballots(text.encode())
    assert raised.value.line == len(text.splitlines())
    file = read_ballots(text.encode(), rules=BallotRules(malformed="refuse"))
    assert [entry.rule for entry in file.rejected] == ["malformed"]
    assert file.total == file.ballots.cast + 1


# Without valid declarations, no ballot can be trusted.
@pytest.mark.parametrize("line", ["=b:[Ben", "=b", "=:[Ben]", "=b:", "=b:[Ben] too", "=a:[Ben]"])
def test_malformed_declaration_always_stops(line: str) -> None:
    with pytest.raises(FormatError, match="Line 2: "):
        read_ballots(f"=a:[Ada]\n{line}\n1:a\n".encode(), rules=BallotRules(malformed="refuse"))


@pytest.mark.parametrize("line", ["# ALTERNATIVE NAME 1: B", "# ALTERNATIVE NAME 2:"])
def test_preflib_alternatives_have_one_name_each(line: str) -> None:
    with pytest.raises(FormatError, match="Line 2: alternative"):
        read_ballots(f"# ALTERNATIVE NAME 1: A\n{line}\n1: 1\n".encode())


def test_preflib_header_must_match_the_number_of_voters() -> None:
    with pytest.raises(FormatError, match="3 voters, but the orders have 2"):
        read_ballots(b"# NUMBER VOTERS: 3\n# ALTERNATIVE NAME 1: A\n2: 1\n")


def test_preflib_error_suggests_the_right_kind() -> None:
    file = b"# DATA TYPE: soc\n# ALTERNATIVE NAME 1: A\n# ALTERNATIVE NAME 2: B\n1: 2\n"
    with pytest.raises(FormatError, match=r"Line 4: a soc file ranks all.*as soi or toi"):
        read_ballots(file)
    assert read_ballots(file, "toi").total == 1


@pytest.mark.parametrize(
    "rules", [{"overvotes": "drop"}, {"repeats": "last"}, {"skipped": -1}, {"malformed": "skip"}]
)
def test_ballot_rules_reject_unknown_choices(rules: dict[str, str]) -> None:
    with pytest.raises(FormatError):
        BallotRules(**rules)  # type: ignore[arg-type]  # wrong on purpose
