"""Print the dry runs, progress, verifications and states of migrations."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from threading import Lock, current_thread, main_thread
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec
import typer
from rich.console import Console
from rich.table import Table as Grid

from singletable.cli.output import escape_controls, pluralize, print_trimmed

if TYPE_CHECKING:
    from dynamodb_engine.operations import Driver
    from singletable.migration.applied import Applied
    from singletable.migration.environment import StepProgress
    from singletable.migration.runner import Status
    from singletable.migration.trial import DryRun, FailedItems, StepTrial
    from singletable.migration.verification import Verification

T = TypeVar("T")
MAX_SHOWN = 20
# Without a terminal, the progress is printed after the first of these, then every so often.
SECONDS_BEFORE_LINES = 2.0
SECONDS_BETWEEN_LINES = 10.0

PHASES: Mapping[str | None, str] = {
    None: "not begun",
    "running": "running, or interrupted",
    "copying": "copying, or interrupted",
    "ready": "ready: the new table is complete and up to date",
    "switching": "switching",
    "cut-over": "cut over: the app uses the new table",
    "rolled-back": "rolled back: the app uses the old tables",
    "finished": "finished",
    "undoing": "being undone, or interrupted",
    "down": "undone",
}


class Problem(str):
    """A line about something that is wrong, which is printed as an error."""

    __slots__ = ()


def print_results(
    results: Sequence[T],
    lines: Callable[[T], Iterator[str | Grid]],
    *,
    as_json: bool = False,
) -> None:
    """Print results as JSON, or as lines of text and tables."""
    if as_json:
        typer.echo(to_json(results))
        return
    console = Console(highlight=False)
    for result in results:
        for line in lines(result):
            if isinstance(line, Grid):
                print_trimmed(console, line, indent=4)
            else:  # which may contain stored values
                typer.echo(escape_controls(line), err=isinstance(line, Problem))


def to_json(values: Sequence[object]) -> str:
    """Return results as JSON."""
    return json.dumps([_plain(value) for value in values], indent=2)


def _plain(value: object) -> dict[str, Any]:
    from singletable.migration.trial import DryRun

    if isinstance(value, DryRun):
        value = replace(value, steps=tuple(_with_texts(one) for one in value.steps))
    plain: dict[str, Any] = msgspec.to_builtins(value, enc_hook=str)
    # Properties: whether a verification is well, and the sums of a plan.
    for name in ("ok", "cost", "read_units", "write_units", "seconds"):
        if name not in plain and hasattr(value, name):
            plain[name] = getattr(value, name)
    return plain


def _with_texts(trial: StepTrial) -> StepTrial:
    """Return a trial with its examples as texts."""
    examples = [
        replace(one, before=[*map(_shown, one.before)], after=[*map(_shown, one.after)])
        for one in trial.examples
    ]
    undo = None if trial.undo is None else _with_texts(trial.undo)
    return replace(trial, examples=examples, undo=undo)


def count_items(driver: Driver, name: str) -> str | None:
    """Return a table with the number of its items as text; None if it does not exist."""
    from dynamodb_engine.operations import DescribeTable
    from singletable.errors import ResourceNotFound

    try:
        described = driver.execute(DescribeTable(name)).table
    except ResourceNotFound:
        return None
    return f"{name} ({pluralize(described.item_count, 'item')})"


# Dry runs


def dry_run_lines(result: DryRun) -> Iterator[str | Grid]:
    """Yield what a migration would do and cost, and what would fail."""
    yield f"{result.migration}: dry run, nothing was written"
    for trial in result.steps:
        yield from _trial_lines(trial)
        if trial.undo is not None:
            yield from _trial_lines(trial.undo)
    took = "" if result.seconds is None else f", {duration(result.seconds)}"
    if len(result.steps) > 1:
        yield (
            f"  Together: {result.read_units:,.0f} read units, {result.write_units:,.0f} write "
            f"units, {_dollars(result.cost)}{took}"
        )
    if result.seconds is None:
        yield "  Pass --rate to see how long it takes."
    count = pluralize(result.failed, "item")
    yield "  Nothing would fail." if result.ok else f"  {count} would fail."


def _trial_lines(trial: StepTrial) -> Iterator[str | Grid]:
    yield f"  {trial.step}"
    figures = {
        "Items": ("items", f"{trial.items:,}"),
        "Average size": ("average_size", f"{trial.average_size:,.0f} bytes"),
        "Read units": ("read_units", f"{trial.read_units:,.0f}"),
        "Write units": ("write_units", f"{trial.write_units:,.0f}"),
        "Cost": ("cost", _dollars(trial.cost)),
        "Takes": ("seconds", duration(trial.seconds or 0)),
    }
    rows = {
        title: f"{text}  ({trial.how[name]})"
        for title, (name, text) in figures.items()
        if name in trial.how
    }
    rows |= {"Locks": trial.locks, "Undo": trial.how_to_undo}
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column()
    for title, text in rows.items():
        if text:
            grid.add_row(title, escape_controls(text))
    yield grid
    for rule, count in trial.by_rule.items():
        yield f"    {rule}: {pluralize(count, 'item')} read"
    for name, count in trial.new_items.items():
        yield f"    {pluralize(count, 'new item')}: {name}"
    for note in trial.notes:
        yield f"    {note}"
    for example in trial.examples:
        yield f"    {example.rule}, for example"
        yield from (f"      - {_shown(old)}" for old in example.before or ["nothing"])
        yield from (f"      + {_shown(new)}" for new in example.after or ["nothing"])
    yield from map(Problem, _failure_lines(trial.failures, trial.collisions))


def duration(seconds: float) -> str:
    """Return a duration in the two largest units: 2 h 5 min."""
    if seconds < 1:
        return "less than a second"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (rest, "s")]
    shown = [f"{count} {unit}" for count, unit in parts if count]
    return " ".join(shown[:2])


def _dollars(amount: float) -> str:
    return f"${amount:,.2f}" if amount >= 0.01 or not amount else "less than $0.01"


def _failure_lines(failures: Mapping[str, FailedItems], collisions: FailedItems) -> Iterator[str]:
    for reason, failed in islice(failures.items(), MAX_SHOWN):
        yield f"    {pluralize(failed.count, 'item')} would fail: {reason}"
        yield from (f"      {_key(key)}" for key in failed.keys)
        if failed.count > len(failed.keys):
            yield f"      and {failed.count - len(failed.keys):,} more"
    if more := sum(one.count for one in islice(failures.values(), MAX_SHOWN, None)):
        yield f"    {pluralize(more, 'more item')} would fail for other reasons"
    if collisions.count:
        yield f"    {pluralize(collisions.count, 'item')} would get the same new item as another:"
    for key, reason in zip(collisions.keys, collisions.reasons, strict=True):
        yield f"      {_key(key)}: {reason}"


def _shown(item: object) -> str:
    """Return an item as text, with its key as it is stored: fields alone may look unchanged."""
    from singletable.schema import key_of

    if isinstance(item, str):
        return item
    if isinstance(item, Mapping):
        return _key(cast("Mapping[str, Mapping[str, object]]", item))
    return f"{_key(key_of(item).key)}: {item!r}"


def _key(key: Mapping[str, Mapping[str, object]]) -> str:
    from singletable.migration.derivation import key_text

    return key_text(key)


# Verifications


def verification_lines(report: Verification) -> Iterator[str | Grid]:
    """Yield what the verification of a step found."""
    yield f"  {report.step}: {_verdict(report)}"
    for rule, count in report.sources.items():
        yield f"    {rule}: {pluralize(count, 'item')} read"
    for entity in dict.fromkeys([*report.expected, *report.stored]):
        known = f", {report.expected[entity]:,} expected" if report.expected else ""
        yield f"    {entity}: {report.stored[entity]:,} stored{known}"
    if report.suspects:
        yield f"    {pluralize(report.suspects, 'difference')} looked at again"
    if report.unsettled:
        changing = pluralize(report.unsettled, "item")
        yield f"    {changing} changed whenever looked at, and could not be compared"
    for note in report.notes:
        yield f"    {note}"
    for fault in report.faults[:MAX_SHOWN]:
        yield Problem(f"    {fault.kind}: {fault}")
    more = len(report.faults) - MAX_SHOWN + report.more
    if more > 0:
        yield Problem(f"    and {more:,} more; --format json lists the first 1,000")


def _verdict(report: Verification) -> str:
    count = len(report.faults) + report.more
    if not report.is_checked:
        return "not verified"
    if not count:
        return "as it should be"
    if report.repaired == count:
        return f"{pluralize(count, 'fault')}, repaired"
    repaired = f", {report.repaired:,} repaired" if report.repaired else ""
    return f"{pluralize(count, 'fault')}{repaired}"


# States


def describe_status(status: Status) -> str:
    """Return the progress of a migration, with a line for what each step did."""
    lines = [f"{status.migration}: {PHASES[status.phase]}"]
    for name, count in status.counts.items():
        if name.startswith("Undo ") != (status.phase in ("undoing", "down")):
            continue  # what an earlier command did
        if name in ("carried over", "carried back"):
            lines.append(f"  {pluralize(count, 'change')} {name}")
        elif name.startswith("Copy("):
            lines.append(f"  {name}: {pluralize(count, 'item')} read")
        elif name != "restarts" and not name.endswith(", read"):
            lines.append(f"  {name}: {pluralize(count, 'item')} written")
    if status.paused is not None and status.phase in ("cut-over", "rolled-back"):
        lines.append(f"  Writes were paused for {status.paused:,} ms")
    return "\n".join(lines)


def print_status(
    found: Sequence[Status],
    finished: Mapping[str, float | None],
    recorded: Mapping[str, Applied],
) -> None:
    """Print a table with the progress of migrations, and those that have no file any more."""
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    for status in found:
        applied = recorded.get(status.migration)
        is_finished = status.migration in finished or (status.phase is None and applied is not None)
        done = len(status.steps) if is_finished else status.step
        ended = status.ended or status.started or (None if applied is None else applied.when)
        rows.append(
            (
                status.migration,
                "finished" if is_finished else status.phase or "not begun",
                f"{done} of {len(status.steps)}",
                "" if status.lag is None else pluralize(status.lag, "change"),
                "" if status.lease is None else status.lease.owner,
                _time(ended),
            )
        )
        if status.stray_writes:
            notes.append(
                f"{status.migration}: {pluralize(len(status.stray_writes), 'item')} of the old "
                "tables written after the cut-over, such as "
                f"{_key(status.stray_writes[0])}. Some process still uses them."
            )
    known = {status.migration for status in found}
    notes += [
        f"{name} was applied {_time(one.when)}, but there is no such file."
        for name, one in recorded.items()
        if name not in known
    ]
    grid = Grid(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    columns: list[tuple[str, ...]] = []
    names = ("Migration", "Phase", "Steps", "Not carried over", "Run by", "Since")
    for name, *cells in zip(names, *rows, strict=True):
        if any(cells):  # empty columns would take space in a narrow terminal
            grid.add_column(name, no_wrap=name in ("Migration", "Steps"), overflow="fold")
            columns.append(tuple(cells))
    for row in zip(*columns, strict=True):
        grid.add_row(*row)
    print_trimmed(Console(highlight=False), grid)
    for note in notes:
        typer.echo(escape_controls(note))


def _time(seconds: float | None) -> str:
    return (
        "" if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")
    )


# Progress


class MigrationProgress:
    """Shows the progress of a run: a bar on a terminal, otherwise a line now and then.

    The first Ctrl-C ends the run when the pages that are being written are done, with
    KeyboardInterrupt; the second one at once.
    """

    def __init__(self) -> None:
        self.consumed: Callable[[], float] = lambda: 0.0
        self._console = Console(stderr=True)
        self._bar: Any = None
        self._tasks: dict[str, Any] = {}
        self._started = time.monotonic()
        self._next_line = self._started + SECONDS_BEFORE_LINES
        self._messages: set[tuple[str, str]] = set()
        self._lock = Lock()
        self.is_stopping = False
        self._handler: Any = None

    def __enter__(self) -> MigrationProgress:
        if current_thread() is main_thread():
            self._handler = signal.signal(signal.SIGINT, self._stop)
        if self._console.is_terminal:
            from rich import progress as bars

            # A narrow terminal has no space for the speed and both numbers.
            is_wide = self._console.width >= 120
            self._bar = bars.Progress(
                bars.TextColumn("{task.description}"),
                bars.BarColumn(bar_width=20 if is_wide else 10),
                bars.MofNCompleteColumn() if is_wide else bars.TaskProgressColumn(),
                *([bars.TextColumn("{task.fields[speed]}")] if is_wide else []),
                bars.TimeRemainingColumn(),
                bars.TextColumn("{task.fields[note]}"),
                console=self._console,
                transient=True,
            )
            self._bar.start()
        return self

    def _stop(self, *_: object) -> None:
        if self.is_stopping:
            raise KeyboardInterrupt
        self.is_stopping = True
        typer.echo("Stopping after the pages that are being written …", err=True)

    def __exit__(self, *_: object) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
        self.hide()

    def hide(self) -> None:
        """Remove the bar, before a question or at the end."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
            self._tasks.clear()

    def show(self, progress: StepProgress) -> None:
        """Show the progress of a step. Threads of a run call this."""
        if self.is_stopping:
            raise KeyboardInterrupt
        with self._lock:
            message = progress.step, progress.note
            if progress.note and not progress.done:
                if message not in self._messages:
                    self._messages.add(message)
                    self._console.print(": ".join(message), highlight=False, soft_wrap=True)
                return
            total = progress.total
            if self._bar is not None:
                self._show_bar(progress, total)
            elif time.monotonic() >= self._next_line:
                self._next_line = time.monotonic() + SECONDS_BETWEEN_LINES
                of = "" if total is None else f" of about {total:,}"
                note = f" ({progress.note})" if progress.note else ""
                typer.echo(f"{progress.step}: {progress.done:,}{of} items{note}", err=True)

    def _show_bar(self, progress: StepProgress, total: int | None) -> None:
        task = self._tasks.get(progress.step)
        if task is None:
            task = self._tasks[progress.step] = self._bar.add_task(
                progress.step, total=total, speed="", note=""
            )
        elapsed = max(time.monotonic() - self._started, 0.1)
        speed = f"{progress.done / elapsed:,.0f} items/s {self.consumed() / elapsed:,.0f} units/s"
        total = None if total is None else max(total, progress.done)
        self._bar.update(
            task, completed=progress.done, total=total, speed=speed, note=progress.note
        )
