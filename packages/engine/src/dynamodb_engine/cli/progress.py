"""A progress bar for commands that take more than a second."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console


@contextmanager
def progress_bar(description: str) -> Generator[Callable[[int, int | None], None]]:
    """Show a progress bar on standard error within the block, unless it is not a terminal.

    The block gets a function, to call with what is done and the total, None if it is unknown.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda done, total: None
        return
    from rich import progress as bars

    columns = (bars.TextColumn("{task.description}"), bars.BarColumn(), bars.MofNCompleteColumn())
    with bars.Progress(*columns, bars.TimeElapsedColumn(), console=console, transient=True) as bar:
        task = bar.add_task(description, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
