"""The whole of a count at the terminal, from the file to the last line."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from singletable_apps.counting.errors import CountingError
from singletable_apps.counting.formats import BallotFile, read_ballots
from singletable_apps.counting.pictures import Picture, draw_pictures
from singletable_apps.counting.report import ReportWriter, write_report
from singletable_apps.counting.result import Result
from singletable_apps.counting.terminal.asked import Asked, counts
from singletable_apps.counting.text import replace_control_characters

_LARGE = 1 << 20

__all__ = ["Asked", "run"]


def run(asked: Asked) -> str | None:
    """Read, count and show; what stood in the way, in words, or None."""
    try:
        _run(asked)
    except CountingError as refused:
        # The lines of a refusal are its own; whatever else steers a terminal is not.
        return "\n".join(map(replace_control_characters, str(refused).split("\n")))
    return None


def _run(asked: Asked) -> None:
    asked.checked()
    # With JSON the output is the result alone, and people read the other stream.
    people = Console(stderr=asked.json, color_system=None if asked.plain else "auto")
    sheet = ReportWriter(people, plain=asked.plain)
    reading = _read(asked)
    ballots = reading.ballots
    if ballots.cast == ballots.blank:
        account = "; ".join(reading.account())
        raise CountingError(
            f"There is nothing to count in {asked.file}: no ballot ranks anybody ({account})."
        )
    for line in reading.account():
        sheet.say(line)
    results = list(counts(ballots, asked))
    pictures = _pictures(asked, results)
    if asked.json:
        sys.stdout.write(_json(results))
    else:
        for result in results:
            write_report(sheet, result)
    for line in pictures:
        sheet.say(line)


def _read(asked: Asked) -> BallotFile:
    """The ballots, with a bar that grows if the file is large and somebody looks on."""
    console = Console(stderr=True)
    columns = (TextColumn("Reading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    unseen = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=unseen) as bar:
        task = bar.add_task("reading", total=None, visible=False)

        def told(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, visible=total >= _LARGE)

        try:
            return read_ballots(asked.file, asked.format, contest=asked.contest, told=told)
        except CountingError as refused:
            named = str(asked.file) in str(refused)
            raise refused if named else CountingError(f"{asked.file}: {refused}") from None


def _json(results: list[Result]) -> str:
    """The one result byte for byte as it is kept, or a list of several."""
    if len(results) == 1:
        return results[0].to_json()
    return f"[{','.join(result.to_json() for result in results)}]\n"


def _pictures(asked: Asked, results: list[Result]) -> list[str]:
    """The pictures, each written to a file; lines that tell where."""
    if asked.svg is None:
        return []
    written: list[str] = []
    for method, result in zip(asked.methods, results, strict=True):
        for name, picture in draw_pictures(result).items():
            file = asked.svg / f"{method}-{name}.svg"
            _write(file, picture)
            written.append(f"{picture.title}: {file}")
    return ["", *written] if written else ["", "There are no pictures of points alone."]


def _write(file: Path, picture: Picture) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(picture.file(), encoding="utf-8")
    except OSError as error:
        raise CountingError(
            f"The picture {file} could not be written ({error.strerror}). Give --svg a folder that "
            "may be written to, or that can be made."
        ) from None
