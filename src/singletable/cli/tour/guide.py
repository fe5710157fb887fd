"""The guide: creates each chapter's tables, fills them, and walks through its patterns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console

from singletable.cli.tour.aftermath import ABOUT, TITLE, aftermath
from singletable.cli.tour.chapter import Chapter, Fill, Step, Walk
from singletable.cli.tour.clock import TourClock
from singletable.cli.tour.consumed import metered
from singletable.cli.tour.elections import ELECTIONS
from singletable.cli.tour.games import GAMES
from singletable.cli.tour.plain import several, to_item
from singletable.cli.tour.polls import RANKED_CHOICE_POLLS
from singletable.cli.tour.portfolio import PORTFOLIO
from singletable.cli.tour.screen import Screen
from singletable.cli.tour.skills import SKILLS
from singletable.cli.tour.tally import Tally
from singletable.connect import connect
from singletable.engine import Settings
from singletable.errors import OperationError, StorageError
from singletable.operations import BatchWriteItem, Driver, ListTables, PutRequest, WriteRequest

CHAPTERS = (ELECTIONS, RANKED_CHOICE_POLLS, PORTFOLIO, SKILLS, GAMES)
# As many writes as DynamoDB takes in one batch.
BATCH = 25


def take_tour(console: Console, *, file: Path | None = None, plain: bool = False) -> None:
    """Show the whole tour, in memory or on a file that is kept."""
    clock = TourClock()
    address = "memory:" if file is None else f"file:{file}"
    with connect(address, Settings(clock=clock)) as driver:
        tables = driver.execute(ListTables()).table_names
        if tables:
            raise StorageError(
                f"'{file}' holds {several(len(tables), 'table')} already ({', '.join(tables)}), "
                "and the tour would write into them. Give the path of a new file."
            )
        screen = Screen(console, plain=plain)
        screen.heading(
            "A DynamoDB inside this process",
            f"Five documents designed five single tables. Here they are, on one SQLite database "
            f"({'in memory' if file is None else file}): each table created, filled and asked the "
            "documents' own questions. Every answer and every unit below comes from the engine.",
        )
        tallies = [
            _visit(driver, screen, chapter, f"{number} of {len(CHAPTERS)}: {chapter.title}", clock)
            for number, chapter in enumerate(CHAPTERS, start=1)
        ]
        screen.heading(TITLE, ABOUT)
        tallies.append(Tally("Afterwards"))
        _follow(driver, screen, aftermath(clock), tallies[-1])
        screen.heading("In sum, and where to go next", "")
        screen.summary(tallies)
        screen.pointers(_pointers(file))


def _visit(
    driver: Driver, screen: Screen, chapter: Chapter, heading: str, clock: TourClock
) -> Tally:
    """One chapter, from its tables to its last pattern."""
    screen.heading(heading, chapter.about)
    tally = Tally(chapter.title)
    now = int(clock())
    created = [driver.execute(table).table_description for table in chapter.tables]
    expiring = [driver.execute(ttl).time_to_live_specification for ttl in chapter.times_to_live]
    screen.tables(created, [specification.attribute_name for specification in expiring])
    for batch in batches(chapter.fill(now)):
        tally.items += sum(map(len, batch.request_items.values()))
        tally.add(batch, driver.execute(metered(batch)))
    screen.filled(tally)
    _follow(driver, screen, chapter.walk(now), tally)
    return tally


def _follow(driver: Driver, screen: Screen, walk: Walk[None], tally: Tally) -> None:
    """Show each step with its answer, and count it."""
    for step, answer in walked(driver, walk):
        tally.requests += 1
        tally.refused += isinstance(answer, OperationError)
        tally.add(step.operation, answer)
        screen.step(step, answer)


def walked(driver: Driver, walk: Walk[None]) -> Iterator[tuple[Step[object], object]]:
    """Each step of a walk and its answer, which the walk is sent too.

    A refusal is the answer where the step says that there will be one, and an error elsewhere.
    """
    answer: object = None
    while True:
        try:
            step = walk.send(answer)
        except StopIteration:
            return
        try:
            answer = driver.execute(metered(step.operation))
        except OperationError as refusal:
            if not step.refused:
                raise
            answer = refusal
        yield step, answer


def batches(fill: Fill) -> Iterator[BatchWriteItem]:
    """The items as batches of writes, none larger than DynamoDB takes."""
    for table, items in fill.items():
        writes = [WriteRequest(PutRequest(to_item(item))) for item in items]
        for first in range(0, len(writes), BATCH):
            yield BatchWriteItem({table: writes[first : first + BATCH]})


def _pointers(file: Path | None) -> Sequence[tuple[str, str]]:
    kept = (
        ("singletable tour --file votes.db", "the same, and the tables are kept")
        if file is None
        else (f'singletable.connect("file:{file}")', "the tables you have just seen, from Python")
    )
    return (
        kept,
        ("README.md", "the first lines of Python to write"),
        ("docs/compatibility.md", "where the engine differs from DynamoDB, each with its test"),
        ("ARCHITECTURE.md", "how it is built, on one page"),
    )
