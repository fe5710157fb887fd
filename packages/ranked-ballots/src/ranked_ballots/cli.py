"""`ranked-ballots FILE`: count a file of ranked ballots and explain the result.

NumPy and Rich are imported in the functions that need them.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ranked_ballots.errors import CountingError
from ranked_ballots.text import join_names, replace_control_characters

if TYPE_CHECKING:
    from ranked_ballots.ballots import Ballots
    from ranked_ballots.formats import BallotFile
    from ranked_ballots.methods.stv import StvEqualRanks
    from ranked_ballots.pictures import Picture
    from ranked_ballots.result import Result
    from ranked_ballots.rules import EqualRanks

app = typer.Typer(add_completion=False, rich_markup_mode="markdown")

# The methods that an option is for; with others it would silently do nothing.
_METHODS_OF_OPTION = {
    "--equal-ranks": ("runoff", "plurality", "scottish-stv", "meek-stv"),
    "--seats": ("scottish-stv", "meek-stv"),
}
_NOT_WITH_STV = ("split", "exhaust")
_LARGE_FILE = 1 << 20


class MethodName(StrEnum):
    """A counting method."""

    SCHULZE = "schulze"
    RANKED_PAIRS = "ranked-pairs"
    RUNOFF = "runoff"
    COPELAND = "copeland"
    BORDA = "borda"
    PLURALITY = "plurality"
    APPROVAL = "approval"
    SCOTTISH_STV = "scottish-stv"
    MEEK_STV = "meek-stv"
    ALL = "all"


class EqualRanksName(StrEnum):
    """What happens to a ballot with several best candidates."""

    SPLIT = "split"
    EXHAUST = "exhaust"
    EXHAUST_AT_ONCE = "exhaust-at-once"
    SKIP = "skip"


@dataclass(frozen=True, slots=True, kw_only=True)
class CountOptions:
    """The file to count, the methods, and how to show the results."""

    file: Path
    methods: tuple[str, ...] = ("schulze",)
    format: str | None = None
    contest: str | None = None
    seed: str | None = None
    equal_ranks: str | None = None
    seats: int | None = None
    json: bool = False
    svg: Path | None = None

    def check(self) -> None:
        """Raise CountingError if an option does not apply to any of the methods."""
        used = {
            "--equal-ranks": self.equal_ranks is not None,
            "--seats": self.seats is not None,
        }
        for option, methods in _METHODS_OF_OPTION.items():
            if used[option] and not set(methods) & set(self.methods):
                raise CountingError(
                    f"{option} is for {join_names(methods)} and has no effect on "
                    f"{join_names(self.methods)}. Omit it or choose another --method."
                )
        if self.methods[0] in _METHODS_OF_OPTION["--seats"] and self.equal_ranks in _NOT_WITH_STV:
            raise CountingError(
                f"--equal-ranks {self.equal_ranks} is not possible with STV; use exhaust-at-once "
                "or skip."
            )


@app.command(context_settings={"help_option_names": ["-h", "--help"]})
def count(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of ranked ballots.")],
    method: Annotated[
        MethodName,
        typer.Option(
            "--method",
            "-m",
            help="The counting method; all counts by every method for one winner and rankings.",
        ),
    ] = MethodName.SCHULZE,
    format_: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="The file format: cef, abif, preflib, csv, cvr … Detected by default.",
        ),
    ] = None,
    contest: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The contest to count, if the file has several."),
    ] = None,
    seed: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Break ties in the order of SHA-256 over this text and the candidate's name. "
            "By default, ties are reported.",
        ),
    ] = None,
    equal_ranks: Annotated[
        EqualRanksName | None,
        typer.Option(
            help="Runoff, plurality, STV: what happens to a ballot with several best candidates. "
            "By default, it is split; STV exhausts it at once or skips the rank.",
            show_default=False,
        ),
    ] = None,
    seats: Annotated[
        int | None,
        typer.Option(min=1, help="STV: how many are elected. By default, what a BLT file says."),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON; several results as a list.")
    ] = False,
    svg: Annotated[
        Path | None,
        typer.Option("--svg", metavar="FOLDER", help="Draw the result as SVG files in a folder."),
    ] = None,
) -> None:
    """Count the ranked ballots in a file and explain the result.

    Reads CEF, ABIF, PrefLib, BLT, CSV and cast vote records in JSON. Shows the places with reasons,
    all numbers behind them, the rules that were used, and what happened to each ballot.
    """
    special = (MethodName.APPROVAL, MethodName.SCOTTISH_STV, MethodName.MEEK_STV, MethodName.ALL)
    all_methods = tuple(name.value for name in MethodName if name not in special)
    options = CountOptions(
        file=file,
        methods=all_methods if method is MethodName.ALL else (method.value,),
        format=format_,
        contest=contest,
        seed=seed,
        equal_ranks=None if equal_ranks is None else equal_ranks.value,
        seats=seats,
        json=json,
        svg=svg,
    )
    try:
        run_count(options)
    except CountingError as error:
        # Messages may have several lines, but no other characters that control a terminal.
        lines = str(error).split("\n")
        _exit_with_error("\n".join(map(replace_control_characters, lines)))


def main() -> None:
    """Run the command."""
    app()


def _exit_with_error(message: str) -> None:
    typer.echo(f"ranked-ballots: {message}", err=True)
    raise typer.Exit(2) from None


def run_count(options: CountOptions) -> None:
    """Read the file, count it, and show the results; raise CountingError if that fails."""
    from rich.console import Console

    from ranked_ballots.report import ReportWriter, write_report

    options.check()
    # With --json, standard output has only the result, and messages go to standard error.
    writer = ReportWriter(Console(stderr=options.json))
    ballot_file = _read_file(options)
    ballots = ballot_file.ballots
    options = replace(options, seats=options.seats or ballot_file.seats)
    if not options.seats and set(options.methods) & set(_METHODS_OF_OPTION["--seats"]):
        raise CountingError(f"{options.file} does not say how many seats to fill. Use --seats.")
    if ballots.cast == ballots.blank:
        summary = "; ".join(ballot_file.summary())
        raise CountingError(
            f"{options.file} has nothing to count: no ballot ranks a candidate ({summary})."
        )
    for line in ballot_file.summary():
        writer.write_line(line)
    results = [_count_by(method, ballots, options) for method in options.methods]
    picture_lines = _write_pictures(options, results)
    if options.json:
        sys.stdout.write(_format_json(results))
    else:
        for result in results:
            write_report(writer, result)
    for line in picture_lines:
        writer.write_line(line)


def _read_file(options: CountOptions) -> BallotFile:
    """Read the ballots, with a progress bar if the file is large and a terminal is there."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    from ranked_ballots.formats import read_ballots

    console = Console(stderr=True)
    columns = (TextColumn("Reading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    hidden = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task("reading", total=None, visible=False)

        def on_progress(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, visible=total >= _LARGE_FILE)

        try:
            return read_ballots(
                options.file, options.format, contest=options.contest, on_progress=on_progress
            )
        except CountingError as error:
            has_name = str(options.file) in str(error)
            raise error if has_name else CountingError(f"{options.file}: {error}") from None


def _count_by(method: str, ballots: Ballots, options: CountOptions) -> Result:
    from ranked_ballots import (
        STV_METHODS,
        approval,
        borda,
        copeland,
        instant_runoff,
        plurality,
        ranked_pairs,
        schulze,
    )

    seed = options.seed
    equal_ranks = _EQUAL_RANKS[options.equal_ranks or "split"]
    match method:
        case "schulze":
            return schulze(ballots, seed=seed)
        case "ranked-pairs":
            return ranked_pairs(ballots, seed=seed)
        case "runoff":
            return instant_runoff(ballots, equal_ranks=equal_ranks, seed=seed)
        case "copeland":
            return copeland(ballots, seed=seed)
        case "borda":
            return borda(ballots, seed=seed)
        case "plurality":
            return plurality(ballots, equal_ranks=equal_ranks, seed=seed)
        case "approval":
            return approval(ballots, seed=seed)
        case "scottish-stv" | "meek-stv":
            count_seats = STV_METHODS[method.replace("-", " ")]
            rule: StvEqualRanks = "skip" if options.equal_ranks == "skip" else "exhaust at once"
            return count_seats(ballots, seats=options.seats or 1, equal_ranks=rule, seed=seed)
        case unknown:
            raise CountingError(f"There is no method '{unknown}'.")


_EQUAL_RANKS: dict[str, EqualRanks] = {
    "split": "split",
    "exhaust": "exhaust",
    "exhaust-at-once": "exhaust at once",
    "skip": "skip",
}


def _format_json(results: list[Result]) -> str:
    """Return the result, or a list of several."""
    if len(results) == 1:
        return results[0].to_json()
    return f"[{','.join(result.to_json() for result in results)}]\n"


def _write_pictures(options: CountOptions, results: list[Result]) -> list[str]:
    """Write each picture to a file and return lines that say where."""
    if options.svg is None:
        return []
    from ranked_ballots.pictures import draw_pictures

    lines: list[str] = []
    for method, result in zip(options.methods, results, strict=True):
        for name, picture in draw_pictures(result).items():
            file = options.svg / f"{method}-{name}.svg"
            _write_picture(file, picture)
            lines.append(f"{picture.title}: {file}")
    return ["", *lines] if lines else ["", "There are no pictures for this method."]


def _write_picture(file: Path, picture: Picture) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(picture.to_file(), encoding="utf-8")
    except OSError as error:
        raise CountingError(
            f"Could not write the picture {file} ({error.strerror}). Choose a writable folder for "
            "--svg."
        ) from None
