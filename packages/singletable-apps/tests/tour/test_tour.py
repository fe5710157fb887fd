"""The tour runs, fits the terminal, and shows only results of the engine."""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import cache

import pytest
from rich.console import Console

from singletable import Settings, SingleTableError, connect
from singletable.operations import PageOutput, SweepExpiredOutput
from singletable.store import Page
from singletable_apps.tour import run_tour
from singletable_apps.tour.design import Design, TourClock, TourSession
from singletable_apps.tour.games import CHANGES_AND_EXPIRY, GAMES
from singletable_apps.tour.runner import DESIGNS, prepare, run_steps

every_design = pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.title)


@cache
def tour_text(width: int, *, plain: bool = False) -> str:
    """Run the tour and return its output."""
    out = io.StringIO()
    run_tour(Console(file=out, width=width, highlight=False), plain=plain)
    return out.getvalue()


@pytest.fixture
def session() -> Iterator[TourSession]:
    """Open a session in memory."""
    clock = TourClock()
    with connect("memory:", Settings(clock=clock)) as driver:
        yield TourSession(driver, clock)


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_every_line_fits_the_terminal(width: int) -> None:
    lines = tour_text(width).splitlines()
    assert max(len(line.rstrip()) for line in lines) <= min(width, 120)


# Screen readers, logs and old terminals cannot use drawn lines.
def test_plain_output_has_no_escapes_and_no_drawn_lines() -> None:
    text = tour_text(80, plain=True)
    assert "\x1b" not in text
    assert "─" not in text


@every_design
def test_output_names_the_tables_and_steps_of_each_design(design: Design) -> None:
    text = tour_text(120)
    assert design.title in text
    for table in design.tables:
        assert table.name in text
    for step in design.steps:
        assert step.title in text


# A rejected step shows an error on purpose; every other one must succeed.
@every_design
def test_only_the_steps_marked_as_rejected_are_rejected(
    session: TourSession, design: Design
) -> None:
    prepare(session, design)
    for step, result in run_steps(session, design):
        assert isinstance(result, SingleTableError) == step.rejected, step.title
        assert session.requests, step.title


@every_design
def test_every_query_returns_items(session: TourSession, design: Design) -> None:
    prepare(session, design)
    for step, result in run_steps(session, design):
        if isinstance(result, PageOutput):
            assert result.count, step.title
        elif isinstance(result, Page):
            assert result.items, step.title
        elif isinstance(result, list | int) or step.columns:
            assert result, step.title


# Every request that reads or writes items shows what it consumed.
@every_design
def test_requests_report_consumed_units(session: TourSession, design: Design) -> None:
    prepare(session, design)
    for step, _ in run_steps(session, design):
        for request in session.requests:
            assert request.consumed or request.error, step.title


def test_expired_connection_is_swept_after_two_hours(session: TourSession) -> None:
    prepare(session, GAMES)
    results = [result for _, result in run_steps(session, CHANGES_AND_EXPIRY)]
    assert SweepExpiredOutput(removed=1, more=False) in results
