"""Fast ballot_file in chunks: the same ballots as line by line, progress, and errors with lines."""

from __future__ import annotations

from functools import cache
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranked_ballots import Ballots, Ranking
from ranked_ballots.formats import (
    BallotRules,
    FormatError,
    numbers,
    read_ballots,
    write_ballots,
)
from ranked_ballots.formats.rules import Overvotes, Repeats
from tests.counting.formats.strategies import all_ballots, names

letters = st.characters(min_codepoint=ord("a"), max_codepoint=ord("z"))
ROWS = 12_000


def with_empty_line(file: bytes) -> bytes:
    """Append an empty line, which is only supported line by line."""
    return file + b"\n"


@pytest.mark.rest
@pytest.mark.parametrize("form", ["csv", "csv-ranks", "soc", "soi", "toc", "toi"])
@given(data=st.data())
def test_chunks_and_lines_give_the_same_ballots(form: str, data: st.DataObject) -> None:
    ballots = data.draw(all_ballots(names(letters).map("Ms {}".format), st.integers(1, 10**17)))
    kept = [
        (each, count)
        for each, count in ballots.ranking_counts()
        if is_supported(form, each, ballots)
    ]
    ranked = tuple(dict.fromkeys(name for each, _ in kept for name in each.names))
    if form == "csv-ranks":
        # In this format, candidates are only known by being ranked.
        ballots = Ballots.from_counts([*ranked, "Ms Z"], [*kept, (Ranking((("Ms Z",),)), 1)])
    else:
        ballots = Ballots.from_counts(ballots.candidates, kept)
    file = write_ballots(ballots, form)
    assert (
        read_ballots(with_empty_line(file), form).ballots.ranking_counts()
        == read_ballots(file, form).ballots.ranking_counts()
    )
    assert read_ballots(file, form).ballots.ranking_counts() == ballots.ranking_counts()


def is_supported(form: str, ranking: Ranking, ballots: Ballots) -> bool:
    ties = any(len(level) > 1 for level in ranking.levels)
    whole = len(ranking.names) == len(ballots.candidates)
    match form:
        case "csv":
            return True
        case "csv-ranks":
            return not ties
        case _:
            return (
                not ranking.is_blank
                and (form.startswith("to") or not ties)
                and (form.endswith("i") or whole)
            )


cells = st.sampled_from(["", "", "A", "B", "C", "overvote", "skipped", "D"])
ranks = st.sampled_from(["", "", "1", "2", "3", "0", "7"])
all_rules = st.builds(
    BallotRules,
    overvotes=st.sampled_from(get_args(Overvotes)),
    repeats=st.sampled_from(get_args(Repeats)),
    skipped=st.none() | st.integers(0, 2),
)


# With a quote anywhere in a table, its rows are read one by one.
@pytest.mark.parametrize(
    ("header", "cell", "last"),
    [("rank 1,rank 2,rank 3,rank 4,votes", cells, "A"), ("A,B,C,D,votes", ranks, "1")],
)
@given(data=st.data(), rules=all_rules)
def test_messy_rows_are_treated_the_same_in_chunks(
    header: str, cell: st.SearchStrategy[str], last: str, data: st.DataObject, rules: BallotRules
) -> None:
    row = st.tuples(cell, cell, cell, cell, st.sampled_from(["1", "1", "2", "0"]))
    rows = data.draw(st.lists(row, max_size=12))
    text = f"{header}\n" + "".join(f"{','.join(r)}\n" for r in rows)
    fast = read_ballots(f"{text}{last},,,,1\n".encode(), rules=rules)
    slow = read_ballots(f'{text}"{last}",,,,1\n'.encode(), rules=rules)
    assert fast.ballots.ranking_counts() == slow.ballots.ranking_counts()
    assert (fast.total, fast.changed, fast.rejected) == (slow.total, slow.changed, slow.rejected)


@cache
def orders() -> list[list[int]]:
    dice = np.random.default_rng(7)
    listed: list[list[int]] = dice.permuted(np.tile(np.arange(1, 21), (ROWS, 1)), axis=1).tolist()
    return listed


@cache
def files() -> dict[str, bytes]:
    rows = orders()
    people = [f"Candidate {number}" for number in range(1, 21)]
    header = "".join(f"# ALTERNATIVE NAME {at}: {name}\n" for at, name in enumerate(people, 1))
    by_name = [",".join(people[number - 1] for number in row) for row in rows]
    ranks = [",".join(str(row.index(number) + 1) for number in range(1, 21)) for row in rows]
    lines = {
        "soc": header + "".join(f"1: {','.join(map(str, row))}\n" for row in rows),
        "csv": ",".join(people) + "\n" + "\n".join(ranks),
        "csv-ranks": ",".join(f"rank {at}" for at in range(1, 21)) + "\n" + "\n".join(by_name),
    }
    return {form: text.encode() for form, text in lines.items()}


# Small chunks, so that there are many and lines cross their borders.
@pytest.mark.parametrize("form", ["soc", "csv", "csv-ranks"])
def test_many_chunks_are_read_completely_with_progress(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numbers, "CHUNK_SIZE", 1 << 16)
    file = files()[form]
    progress: list[tuple[int, int]] = []
    ballot_file = read_ballots(
        file, form, on_progress=lambda done, total: progress.append((done, total))
    )
    assert (ballot_file.total, ballot_file.ballots.rows, ballot_file.ballots.strict) == (
        ROWS,
        ROWS,
        True,
    )
    number = {f"Candidate {at}": at for at in range(1, 21)}
    for row, order in list(enumerate(orders()))[::997]:
        assert [number[name] for name in ballot_file.ballots.ranking(row).names] == order
    assert progress[0] == (0, len(file))
    assert progress[-1] == (len(file), len(file))
    assert len(progress) > 10
    assert progress == sorted(progress)


@pytest.mark.rest
@pytest.mark.parametrize("form", ["soc", "csv", "csv-ranks"])
def test_error_has_the_line_of_a_malformed_ballot_among_many(form: str) -> None:
    lines = files()[form].split(b"\n")
    lines[ROWS // 2] = lines[ROWS // 2] + b",21,x"
    with pytest.raises(FormatError) as raised:
        read_ballots(b"\n".join(lines), form)
    assert raised.value.line == ROWS // 2 + 1
