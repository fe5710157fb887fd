"""Messy ballots become rankings by the rules that were chosen, and every one is accounted for."""

from __future__ import annotations

import pytest

from singletable_apps.counting.formats import BallotFile, BallotRules, FormatError, read_ballots

HEADER = "rank 1,rank 2,rank 3,rank 4\n"

# The row, the rules, the ranking it makes (None: refused), and what is reported.
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
    ("A,overvote,B,", BallotRules(), "A > B", "overvoted rank skipped, as nobody is named on it"),
    ("A,overvote,B,", BallotRules(overvotes="skip"), "A > B", "overvoted rank skipped"),
    ("A,overvote,B,", BallotRules(overvotes="exhaust"), "A", "exhausted at an overvote"),
    ("A,overvote,B,", BallotRules(overvotes="refuse"), None, "overvoted"),
    ("A|B,C,,", BallotRules(delimiter="|"), "A = B > C", ""),
    ("A|B,C,,", BallotRules(), "A|B > C", ""),
    ("A|B,C,,", BallotRules(delimiter="|", overvotes="skip"), "C", "overvoted rank skipped"),
    # Who is only on a rank that is skipped may still be ranked further down.
    ("A|B,B,,", BallotRules(delimiter="|", overvotes="skip"), "B", "overvoted rank skipped"),
    (
        "A|B,B,C,",
        BallotRules(delimiter="|", overvotes="skip", repeats="exhaust"),
        "",
        "exhausted at a repeated candidate; overvoted rank skipped",
    ),
]


def reported(reading: BallotFile) -> str:
    return "; ".join(each.rule for each in (*reading.changed, *reading.refused))


@pytest.mark.parametrize(("row", "rules", "ranking", "rule"), ROWS)
def test_a_row_becomes_a_ranking(
    row: str, rules: BallotRules, ranking: str | None, rule: str
) -> None:
    # The second row is as it should be, so that there are candidates whatever the rules.
    reading = read_ballots(f"{HEADER}{row}\nA,B,C,D\n".encode(), rules=rules)
    rankings = [str(each) for each, count in reading.ballots.ranking_counts() for _ in range(count)]
    expected = ["A > B > C > D"] if ranking is None else ["A > B > C > D", ranking]
    assert sorted(rankings) == sorted(expected)
    assert reported(reading) == rule
    assert reading.read == 2
    assert all(each.first == "line 2" for each in (*reading.changed, *reading.refused))


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
def test_rank_numbers_become_a_ranking(
    row: str, rules: BallotRules, ranking: str | None, rule: str
) -> None:
    reading = read_ballots(f"A,B,C,D\n{row}\n".encode(), rules=rules)
    rankings = [str(each) for each, _ in reading.ballots.ranking_counts()]
    assert rankings == ([] if ranking is None else [ranking])
    assert reported(reading).startswith(rule)
    assert bool(reported(reading)) == bool(rule)
    assert reading.read == 1


MALFORMED = [
    ("A,B\n1,2\n1,x\n", "Line 3: the rank of 'B' is 'x'"),
    ("A,B\n1,2\n1,2,3\n", "Line 3: there are 3 cells, and the first line has 2"),
    ("count,A\n2,1\n-1,1\n", "Line 3: The count of a row is a whole number, and '-1' is none"),
    ("#/Candidates: A;B\nA > B\nA > A\n", "Line 3: 'A' is ranked twice"),
    ("#/Candidates: A;B\nA > B\nA * 2 ^3\n", r"Line 3: a vote is 'A > B = C \^weight \* quantity'"),
    ("#/Candidates: A;B\nA > B\nA > > B\n", "Line 3: a rank is empty"),
    ("2:A>B\n1:A>A\n", "Line 2: 'A' is ranked twice"),
    ("2:A>B\n1:A B\n", "Line 2: '>', '=' or ',' was expected between candidates, and 'B' came"),
    ("2:A>B\nx:A>B\n", "Line 2: The count before the colon is a whole number"),
    ("# ALTERNATIVE NAME 1: A\n1: 1\n1: 2\n", "Line 3: candidate 2 is ranked, and there are 1"),
    ("# ALTERNATIVE NAME 1: A\n1: 1\n1: {1\n", "Line 3: candidates by number were expected"),
    ("# ALTERNATIVE NAME 1: A\n1: 1\n1: 1,1\n", "Line 3: 'A' is ranked twice"),
]


@pytest.mark.parametrize(("text", "why"), MALFORMED)
def test_what_makes_no_sense_stops_the_reading_or_is_reported(text: str, why: str) -> None:
    with pytest.raises(FormatError, match=why) as refused:
        read_ballots(text.encode())
    assert refused.value.line == len(text.splitlines())
    reading = read_ballots(text.encode(), rules=BallotRules(malformed="refuse"))
    assert [each.rule for each in reading.refused] == ["malformed"]
    assert reading.read == reading.ballots.cast + 1


# Declarations are not ballots: without them no ballot can be trusted.
@pytest.mark.parametrize("line", ["=b:[Ben", "=b", "=:[Ben]", "=b:", "=b:[Ben] too", "=a:[Ben]"])
def test_a_candidate_that_is_not_declared_right_stops_the_reading(line: str) -> None:
    with pytest.raises(FormatError, match="Line 2: "):
        read_ballots(f"=a:[Ada]\n{line}\n1:a\n".encode(), rules=BallotRules(malformed="refuse"))


def test_a_header_that_counts_otherwise_is_refused() -> None:
    with pytest.raises(FormatError, match="says 3 voters, and the orders are of 2"):
        read_ballots(b"# NUMBER VOTERS: 3\n# ALTERNATIVE NAME 1: A\n2: 1\n")


def test_a_kind_that_does_not_fit_says_which_does() -> None:
    file = b"# DATA TYPE: soc\n# ALTERNATIVE NAME 1: A\n# ALTERNATIVE NAME 2: B\n1: 2\n"
    with pytest.raises(FormatError, match=r"Line 4: a soc file ranks everybody.*as soi or toi"):
        read_ballots(file)
    assert read_ballots(file, "toi").read == 1


@pytest.mark.parametrize(
    "rules", [{"overvotes": "drop"}, {"repeats": "last"}, {"skipped": -1}, {"malformed": "skip"}]
)
def test_a_rule_that_is_none_is_refused(rules: dict[str, str]) -> None:
    with pytest.raises(FormatError):
        BallotRules(**rules)  # type: ignore[arg-type]  # wrong on purpose
