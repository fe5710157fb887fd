"""Written ballots are read back unchanged, or the format rejects them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ranked_ballots import Ballots, Ranking
from ranked_ballots.formats import FORMATS, WriteError, read_ballots, write_ballots
from tests.counting.formats.strategies import all_ballots, any_letter, names, plain

WHEN = datetime(2026, 5, 1, 12, tzinfo=UTC)
WRITTEN = [name for name, form in FORMATS.items() if form.is_writable]
HUGE = (1, 2**53 + 1, 2**63, 10**30)


def written(ballots: Ballots, form: str) -> bytes | None:
    try:
        return write_ballots(ballots, form, title="A title", when=WHEN)
    except WriteError:
        return None


def assert_same(data: bytes, ballots: Ballots, form: str, asked: str | None) -> None:
    file = read_ballots(data, asked)
    assert file.ballots.ranking_counts() == ballots.ranking_counts()
    if form == "csv-ranks":
        # Candidates are known by being ranked there, so their order may differ.
        assert set(file.ballots.candidates) == set(ballots.candidates)
    else:
        assert file.ballots.candidates == ballots.candidates
    assert (file.total, file.changed, file.rejected) == (ballots.cast, (), ())
    assert file.format == form


# Counts are small for cast vote records, which have a record for each ballot.
@pytest.mark.rest
@pytest.mark.parametrize("form", WRITTEN)
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_written_ballots_are_read_back(form: str, data: st.DataObject) -> None:
    counts = None if FORMATS[form].counts else st.integers(1, 3)
    ballots = data.draw(all_ballots(names(any_letter), counts))
    content = written(ballots, form)
    if content is not None:
        assert_same(content, ballots, form, form)


# A format rejects exactly what its entry in FORMATS says.
@pytest.mark.rest
@pytest.mark.parametrize("form", WRITTEN)
@given(data=st.data())
def test_format_accepts_what_its_entry_says(form: str, data: st.DataObject) -> None:
    held = FORMATS[form]
    letters = plain.filter(lambda letter: letter not in held.reserved)
    # A title with only a word or a number could be read as a count or a rank.
    safe = names(letters).map(lambda name: f"Ms {name} Z")
    counts = None if held.counts else st.integers(1, 3)
    ballots = data.draw(all_ballots(safe, counts))
    ties = any(
        len(level) > 1 for ranking, _ in ballots.ranking_counts() for level in ranking.levels
    )
    partial = any(len(each.names) < len(ballots.candidates) for each, _ in ballots.ranking_counts())
    unranked = {*ballots.candidates} - {
        n for each, _ in ballots.ranking_counts() for n in each.names
    }
    fits = (
        (held.ties or not ties)
        and (held.partial or not partial)
        and (held.blank or not ballots.blank)
        and (form != "csv-ranks" or not unranked)
    )
    content = written(ballots, form)
    assert (content is not None) == fits
    if content is not None:
        assert_same(content, ballots, form, None)


@pytest.mark.parametrize("form", [name for name in WRITTEN if FORMATS[name].counts])
@pytest.mark.parametrize("count", HUGE)
def test_large_counts_are_exact(form: str, count: int) -> None:
    ballots = Ballots.from_counts(
        ["Ada", "Ben"],
        [(Ranking.from_levels(["Ada", "Ben"]), count), (Ranking.from_levels(["Ben", "Ada"]), 7)],
    )
    assert_same(write_ballots(ballots, form), ballots, form, None)


KINDS = [
    ("soc", [["Ada", "Ben", "Cy"]]),
    ("soi", [["Ada", "Ben", "Cy"], ["Ben"]]),
    ("toc", [["Ada", ["Ben", "Cy"]]]),
    ("toi", [["Ada", ["Ben", "Cy"]], ["Ben"]]),
]


@pytest.mark.parametrize(("kind", "levels"), KINDS)
def test_preflib_chooses_the_narrowest_kind(kind: str, levels: list[list[str | list[str]]]) -> None:
    orders = [(Ranking.from_levels(each), 1) for each in levels]
    ballots = Ballots.from_counts(["Ada", "Ben", "Cy"], orders)
    assert read_ballots(write_ballots(ballots, "preflib")).format == kind
