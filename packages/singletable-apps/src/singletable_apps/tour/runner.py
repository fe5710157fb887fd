"""Run the tour: create the tables of each design, fill them, and run and show each step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from singletable.cli.output import pluralize
from singletable.connect import connect
from singletable.engine import Settings
from singletable.errors import SingleTableError, StorageError
from singletable.operations import ListTables
from singletable_apps.tour.design import Design, Step, TourClock, TourSession
from singletable_apps.tour.elections import ELECTIONS
from singletable_apps.tour.games import CHANGES_AND_EXPIRY, GAMES
from singletable_apps.tour.polls import POLLS
from singletable_apps.tour.portfolio import PORTFOLIO
from singletable_apps.tour.skills import SKILLS
from singletable_apps.tour.view import View

DESIGNS = (ELECTIONS, POLLS, PORTFOLIO, SKILLS, GAMES)


@dataclass(slots=True)
class Totals:
    """The items, requests and capacity units of one design."""

    title: str
    items: int = 0
    requests: int = 0
    rejected: int = 0
    read_units: float = 0
    write_units: float = 0

    def add(self, session: TourSession) -> None:
        """Add the units of the session's current requests."""
        for request in session.requests:
            if request.is_read:
                self.read_units += request.units
            else:
                self.write_units += request.units


def run_tour(console: Console, *, file: Path | None = None, plain: bool = False) -> None:
    """Run and show the whole tour, in memory or in a new file that is kept."""
    clock = TourClock()
    address = "memory:" if file is None else f"file:{file}"
    with connect(address, Settings(clock=clock)) as driver:
        tables = driver.execute(ListTables()).table_names
        if tables:
            raise StorageError(
                f"'{file}' already has {pluralize(len(tables), 'table')} ({', '.join(tables)}), "
                "and the tour would write to them. Choose a new file."
            )
        view = View(console, plain=plain)
        view.heading(
            "A DynamoDB inside this process",
            "Five documents describe five single-table designs. Here they run on one SQLite "
            f"database ({'in memory' if file is None else file}): each table is created, filled "
            "and queried by the documents' own access patterns. Every result and every capacity "
            "unit below comes from the engine.",
        )
        session = TourSession(driver, clock)
        totals: list[Totals] = []
        for number, design in enumerate((*DESIGNS, CHANGES_AND_EXPIRY), start=1):
            position = f"{number} of {len(DESIGNS)}: " if design.tables else ""
            view.heading(f"{position}{design.title}", design.description)
            totals.append(_show_design(session, view, design))
        view.heading("Summary and next steps", "")
        view.summary(
            ("items", "requests", "rejected", "read units", "write units"),
            [
                (
                    total.title,
                    *map(str, (total.items, total.requests, total.rejected)),
                    *(f"{units:g}" for units in (total.read_units, total.write_units)),
                )
                for total in totals
            ],
        )
        view.links(_next_steps(file))


def _show_design(session: TourSession, view: View, design: Design) -> Totals:
    totals = Totals(design.title)
    if design.tables:
        totals.items = prepare(session, design)
        totals.add(session)
        view.tables(design.tables, totals.items, totals.write_units)
    for step, result in run_steps(session, design):
        totals.requests += len(session.requests)
        totals.rejected += isinstance(result, SingleTableError)
        totals.add(session)
        view.step(step, session.requests, result)
    return totals


def prepare(session: TourSession, design: Design) -> int:
    """Create the tables of a design, fill them with sample items and return the number of items."""
    for table in design.tables:
        session.store.admin.create_table(table)
    items = design.items(session.clock.now())
    session.requests.clear()
    session.store.put_many(items)
    return len(items)


def run_steps(session: TourSession, design: Design) -> Iterator[tuple[Step, object]]:
    """Run each step and yield its result, or the error of a step that DynamoDB rejects."""
    for step in design.steps:
        session.requests.clear()
        session.clock.skip(step.after)
        try:
            result = step.call(session)
        except SingleTableError as error:
            if not step.rejected:
                raise
            result = error
        session.results[step.title] = result
        yield step, result


def _next_steps(file: Path | None) -> list[tuple[str, str]]:
    kept = (
        ("singletable tour --file votes.db", "run the tour again and keep the tables")
        if file is None
        else (f'singletable.connect("file:{file}")', "open these tables from Python")
    )
    return [
        kept,
        ("README.md", "the same library from Python"),
        ("docs/compatibility.md", "every known difference from DynamoDB, with its test"),
        ("ARCHITECTURE.md", "how the library is built, on one page"),
    ]
