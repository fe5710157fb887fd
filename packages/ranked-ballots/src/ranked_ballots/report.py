"""Print results on a terminal: places, reasons, numbers, rules, ballots and ties."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ranked_ballots.methods.explanation import win_phrase
from ranked_ballots.methods.ranked_pairs import RankedPairsResult
from ranked_ballots.methods.registry import explain
from ranked_ballots.methods.runoff import RunoffResult
from ranked_ballots.methods.schulze import SchulzeResult
from ranked_ballots.methods.scores import CopelandResult, ScoreResult
from ranked_ballots.methods.stv import StvResult
from ranked_ballots.pictures.pairwise import PairwiseResult, pair_cell
from ranked_ballots.pictures.rounds import (
    AnyRound,
    RoundsResult,
    find_mark,
    format_votes,
    threshold,
)
from ranked_ballots.result import Result
from ranked_ballots.text import (
    format_decimal,
    format_number,
    join_names,
    replace_control_characters,
)
from ranked_ballots.tie_break import TieBreak

_MAX_NAME_WIDTH = 28
_MAX_HEAD_WIDTH = 12
_PADDING = 3


class ReportWriter:
    """Write headings, sentences and tables; plain lines if the output is not a terminal.

    Everything is written as text, never as markup.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._plain = not console.is_terminal

    def write_heading(self, text: str) -> None:
        """Write a heading after an empty line."""
        self._console.print()
        self._print(Text(replace_control_characters(text), style="bold"))

    def write_line(self, text: str) -> None:
        """Write a sentence."""
        self._print(Text(replace_control_characters(text)))

    def write_bullet(self, text: str) -> None:
        """Write an item of a list."""
        line = Text(f"- {replace_control_characters(text)}")
        if self._plain:
            self._print(line)
            return
        grid = Table.grid(padding=(0, 1, 0, 0))
        grid.add_row("•", line[2:])
        self._console.print(grid)

    def write_table(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Write names in the first column and numbers in the others; winners (*, ✓) stand out."""
        cells = [[replace_control_characters(cell) for cell in row] for row in (head, *rows)]
        if self._plain:
            for row in _pad(cells):
                self._print(Text("  ".join(row).rstrip()))
            return
        for part in _split_to_width(cells, self._console.width):
            head, *body = _pad(part)
            table = Table(box=SIMPLE_HEAD, pad_edge=False)
            for name in head:
                table.add_column(Text(name, no_wrap=True))
            for row in body:
                table.add_row(*map(_style_cell, row))
            self._console.print(table)

    def _print(self, text: Text) -> None:
        self._console.print(text, soft_wrap=self._plain)


def _style_cell(text: str) -> Text:
    return Text(text, style="bold cyan" if text.endswith(("*", "✓")) else "", no_wrap=True)


def _pad(rows: list[list[str]]) -> list[list[str]]:
    """Align columns with spaces: names to the left, numbers to the right."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return [
        [
            cell + " " * (width - cell_len(cell))
            if at == 0
            else " " * (width - cell_len(cell)) + cell
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        for row in rows
    ]


def _split_to_width(rows: list[list[str]], width: int) -> Iterator[list[list[str]]]:
    """Split a table into tables that fit; each starts with the names."""
    names = [_shorten(row[0]) for row in rows]
    free = width - max(map(cell_len, names)) - _PADDING
    columns = list(zip(*(row[1:] for row in rows), strict=True))
    while columns:
        used = 0
        fitting = 0
        for column in columns:
            used += max(map(cell_len, column)) + _PADDING
            if used > free and fitting:
                break
            fitting += 1
        taken, columns = columns[:fitting], columns[fitting:]
        yield [[name, *cells] for name, *cells in zip(names, *taken, strict=True)]


def _shorten(name: str) -> str:
    text = Text(name)
    text.truncate(_MAX_NAME_WIDTH, overflow="ellipsis")
    return text.plain


def write_report(writer: ReportWriter, result: Result, *, is_final: bool = True) -> None:
    """Write all of a result; use `is_final=False` while voting is open."""
    writer.write_heading(f"{result.method}: {_describe_outcome(result, is_final)}")
    places = result.place_numbers
    rows = [(name, str(places[name])) for name in result.ranked_candidates]
    writer.write_table(("Candidate", "Place"), rows)
    writer.write_heading("Why")
    for sentence in explain(result, is_final=is_final):
        writer.write_bullet(sentence)
    _write_numbers(writer, result)
    writer.write_heading("Rules")
    for rule in result.rules:
        writer.write_bullet(f"{rule.about} ({rule.choice}): {rule.sentence}")
    writer.write_heading("Ballots")
    writer.write_line(_describe_account(result))
    if result.tie_break is not None:
        _write_tie_break(writer, result.tie_break)


def _describe_outcome(result: Result, is_final: bool) -> str:
    if isinstance(result, StvResult):
        are = "would be" if not is_final else "is" if len(result.elected) == 1 else "are"
        parts = [f"{join_names(result.elected)} {are} elected"] if result.elected else []
        parts += [f"{join_names(result.tied)} are tied"] if result.tied else []
        return "; ".join(parts)
    if result.winner is None:
        return f"{join_names(result.winners)} are tied"
    broken = " after the tie-break" if len(result.winners) > 1 else ""
    return f"{result.winner} {win_phrase(is_final)}{broken}"


def _write_numbers(writer: ReportWriter, result: Result) -> None:
    if isinstance(result, ScoreResult):
        is_points = result.method in ("Borda", "Copeland")
        writer.write_heading("Points" if is_points else "Votes")
        scores = result.scores
        rows = [(name, format_number(scores[name])) for name in result.ranked_candidates]
        writer.write_table(("Candidate", "Total"), rows)
    if isinstance(result, SchulzeResult | RankedPairsResult | CopelandResult):
        _write_pairs(writer, result)
    if isinstance(result, RunoffResult | StvResult) and result.rounds:
        _write_rounds(writer, result)


def _write_pairs(writer: ReportWriter, result: PairwiseResult) -> None:
    """Write every pair; columns have numbers where names would be too wide."""
    names = result.ranked_candidates
    heads = list(names)
    rows = list(names)
    if max(map(cell_len, names)) > _MAX_HEAD_WIDTH or len(names) > _MAX_HEAD_WIDTH:
        heads = [str(at) for at in range(1, len(names) + 1)]
        rows = [f"{at} {name}" for at, name in enumerate(names, start=1)]
    writer.write_heading("Head to head")
    writer.write_line("Ballots that prefer the row to the column; * wins, = ties.")
    marks = {"win": " *", "lose": "  ", "level": " ="}
    cells: list[list[str]] = []
    for row, name in zip(rows, names, strict=True):
        pairs = [pair_cell(result, name, other) for other in names]
        numbers = [
            "-  " if pair.row == pair.column else format_number(pair.votes) + marks[pair.outcome]
            for pair in pairs
        ]
        cells.append([row, *numbers])
    writer.write_table(["", *(f"{head}  " for head in heads)], cells)


def _write_rounds(writer: ReportWriter, result: RoundsResult) -> None:
    is_stv = isinstance(result, StvResult)
    writer.write_heading("Rounds")
    writer.write_line(
        "Votes in each round; ✓ is elected, ✕ is eliminated. Who reaches the quota is elected."
        if is_stv
        else "Votes in each round; ✓ wins, ✕ is eliminated. More than half of the counted ballots "
        "wins."
    )
    rounds: Sequence[AnyRound] = result.rounds
    rows = [
        [name, *(_format_cell(round_, name) for round_ in rounds)]
        for name in result.ranked_candidates
    ]
    for name, votes in (
        ("Exhausted", [round_.exhausted_total for round_ in rounds]),
        ("Quota" if is_stv else "Half", [threshold(round_) for round_ in rounds]),
    ):
        cells = zip(rounds, votes, strict=True)
        rows.append([name, *(f"{format_votes(*cell)}  " for cell in cells)])
    writer.write_table(["", *(f"Round {round_.number}  " for round_ in rounds)], rows)


def _format_cell(round_: AnyRound, name: str) -> str:
    if name not in round_.tally:
        return ""
    return f"{format_votes(round_, round_.tally[name])} {find_mark(round_, name) or ' '}"


def _describe_account(result: Result) -> str:
    """Return the equation that accounts for every ballot."""
    account, write = result.account, format_number
    if isinstance(result, StvResult):
        write = format_decimal
    parts = [f"{write(account.counted)} counted", f"{write(account.blank)} blank"]
    parts += [
        f"{write(ballots)} exhausted ({reason})" for reason, ballots in account.exhausted.items()
    ]
    return f"{write(account.cast)} cast = {' + '.join(parts)}"


def _write_tie_break(writer: ReportWriter, tie_break: TieBreak) -> None:
    writer.write_heading("Tie-break")
    writer.write_line(
        f"Where a tie was broken, the candidate earlier in this order is ahead. Seed: "
        f"{tie_break.seed}"
    )
    writer.write_table(
        ("Candidate", "SHA-256 of seed and name"),
        list(zip(tie_break.order, tie_break.digests, strict=True)),
    )
