"""The tour: it runs, it fits, and every answer in it is the engine's."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from singletable import Operation, OperationError, Settings, connect
from singletable.cli.tour import take_tour
from singletable.cli.tour.aftermath import aftermath
from singletable.cli.tour.chapter import Chapter
from singletable.cli.tour.clock import TourClock
from singletable.cli.tour.guide import CHAPTERS, batches, walked
from singletable.operations import Driver, PageOutput, SweepExpiredOutput


def shown(width: int, *, plain: bool = False) -> str:
    """The tour as text."""
    out = io.StringIO()
    take_tour(Console(file=out, width=width, highlight=False), plain=plain)
    return out.getvalue()


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_every_line_fits_the_terminal(width: int) -> None:
    assert max(len(line.rstrip()) for line in shown(width).splitlines()) <= min(width, 120)


# A screen reader, a log or an old terminal has no use for drawn lines.
def test_plain_is_plain() -> None:
    text = shown(80, plain=True)
    assert "\x1b" not in text
    assert not [line for line in text.splitlines() if "─" in line]


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.title)
def test_a_chapter_names_its_tables_and_patterns(chapter: Chapter) -> None:
    text = shown(120)
    assert chapter.title in text
    for table in chapter.tables:
        assert table.table_name in text


# A step that is meant to be refused teaches by its refusal; every other one must be answered.
@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.title)
def test_steps_are_refused_only_where_the_tour_says_so(chapter: Chapter) -> None:
    with connect("memory:") as driver:
        prepare(driver, chapter)
        for step, answer in walked(driver, chapter.walk(0)):
            assert isinstance(answer, OperationError) == step.refused, step.pattern


# A pattern that finds nothing shows nothing.
@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.title)
def test_every_query_finds_something(chapter: Chapter) -> None:
    with connect("memory:") as driver:
        prepare(driver, chapter)
        for step, answer in walked(driver, chapter.walk(0)):
            if isinstance(answer, PageOutput):
                assert answer.count, step.pattern


def test_two_hours_later_one_connection_is_swept() -> None:
    clock = TourClock()
    with connect("memory:", Settings(clock=clock)) as driver:
        prepare(driver, CHAPTERS[-1], int(clock()))
        answers = [answer for _, answer in walked(driver, aftermath(clock))]
    assert SweepExpiredOutput(removed=1, more=False) in answers


def prepare(driver: Driver, chapter: Chapter, now: int = 0) -> None:
    """Create and fill the chapter's tables."""
    before: list[Operation[object]] = [*chapter.tables, *chapter.times_to_live]
    for operation in [*before, *batches(chapter.fill(now))]:
        driver.execute(operation)
