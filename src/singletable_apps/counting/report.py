"""Headings, sentences and tables on a terminal; plain lines where there is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from singletable_apps.counting.pictures.pairs import PairsResult, cell, in_order, place_of
from singletable_apps.counting.pictures.round_words import exhausted, half
from singletable_apps.counting.result import BallotAccount, Result
from singletable_apps.counting.results.ranked_pairs import RankedPairsResult
from singletable_apps.counting.results.runoff import Round, RunoffResult
from singletable_apps.counting.results.schulze import SchulzeResult
from singletable_apps.counting.results.scores import CopelandResult, ScoreResult
from singletable_apps.counting.text import format_number, join_names, replace_control_characters
from singletable_apps.counting.tie_break import TieBreak

_WIDEST_NAME = 28
_PADDING = 3


class ReportWriter:
    """What is written on. Whatever is written is text, and never markup."""

    def __init__(self, console: Console, *, plain: bool) -> None:
        self._console = console
        self._plain = plain or not console.is_terminal

    def heading(self, words: str) -> None:
        """A line that begins something."""
        self._console.print()
        self._print(Text(replace_control_characters(words), style="bold"))

    def say(self, words: str) -> None:
        """A sentence."""
        self._print(Text(replace_control_characters(words)))

    def point(self, words: str) -> None:
        """A sentence in a list."""
        line = Text(f"- {replace_control_characters(words)}")
        if self._plain:
            self._print(line)
            return
        grid = Table.grid(padding=(0, 1, 0, 0))
        grid.add_row("•", line[2:])
        self._console.print(grid)

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Names in the first column, numbers in the others; one that wins (*, ✓) stands out."""
        shown = [[replace_control_characters(cell) for cell in row] for row in (head, *rows)]
        if self._plain:
            for row in _padded(shown):
                self._print(Text("  ".join(row).rstrip()))
            return
        for part in _parts(shown, self._console.width):
            head, *body = _padded(part)
            table = Table(box=SIMPLE_HEAD, pad_edge=False)
            for name in head:
                table.add_column(Text(name, no_wrap=True))
            for row in body:
                table.add_row(*map(_cell, row))
            self._console.print(table)

    def _print(self, words: Text) -> None:
        self._console.print(words, soft_wrap=self._plain)


def _cell(words: str) -> Text:
    return Text(words, style="bold cyan" if words.endswith(("*", "✓")) else "", no_wrap=True)


def _padded(rows: list[list[str]]) -> list[list[str]]:
    """The rows with spaces that make columns: after names, before numbers."""
    wide = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return [
        [
            cell + " " * (room - cell_len(cell))
            if at == 0
            else " " * (room - cell_len(cell)) + cell
            for at, (cell, room) in enumerate(zip(row, wide, strict=True))
        ]
        for row in rows
    ]


def _parts(rows: list[list[str]], room: int) -> Iterator[list[list[str]]]:
    """The table cut into tables that have room; each begins with the names."""
    names = [_short(row[0]) for row in rows]
    free = room - max(map(cell_len, names)) - _PADDING
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


def _short(name: str) -> str:
    text = Text(name)
    text.truncate(_WIDEST_NAME, overflow="ellipsis")
    return text.plain


_WIDEST_HEAD = 12


def write_report(sheet: ReportWriter, result: Result) -> None:
    """All of a result."""
    sheet.heading(f"{result.method}: {_outcome(result)}")
    places = place_of(result)
    sheet.table(("Candidate", "Place"), [(name, str(places[name])) for name in in_order(result)])
    sheet.heading("Why")
    for sentence in result.explanation:
        sheet.point(sentence)
    _numbers(sheet, result)
    sheet.heading("Rules")
    for rule in result.rules:
        sheet.point(f"{rule.about} ({rule.choice}): {rule.sentence}")
    sheet.heading("Ballots")
    sheet.say(_accounted(result.account))
    if result.tie_break is not None:
        _ties(sheet, result.tie_break)


def _outcome(result: Result) -> str:
    if result.winner is None:
        return f"{join_names(result.winners)} are tied"
    broken = ", by the seed" if len(result.winners) > 1 else ""
    return f"{result.winner} wins{broken}"


def _numbers(sheet: ReportWriter, result: Result) -> None:
    if isinstance(result, ScoreResult):
        sheet.heading("Votes" if result.method == "Plurality" else "Points")
        rows = [(name, format_number(result.scores[name])) for name in in_order(result)]
        sheet.table(("Candidate", "Sum"), rows)
    if isinstance(result, SchulzeResult | RankedPairsResult | CopelandResult):
        _pairs(sheet, result)
    if isinstance(result, RunoffResult) and result.rounds:
        _rounds(sheet, result)


def _pairs(sheet: ReportWriter, result: PairsResult) -> None:
    """Every pair; columns have numbers where names would be too wide."""
    names = in_order(result)
    heads = list(names)
    rows = list(names)
    if max(map(cell_len, names)) > _WIDEST_HEAD or len(names) > _WIDEST_HEAD:
        heads = [str(at) for at in range(1, len(names) + 1)]
        rows = [f"{at} {name}" for at, name in enumerate(names, start=1)]
    sheet.heading("Head to head")
    sheet.say("Ballots that prefer the row to the column; * wins, = is level.")
    marks = {"win": " *", "lose": "  ", "level": " ="}
    cells: list[list[str]] = []
    for row, name in zip(rows, names, strict=True):
        pairs = [cell(result, name, other) for other in names]
        cells.append([row])
        cells[-1] += [
            "-  " if pair.row == pair.column else format_number(pair.votes) + marks[pair.sign]
            for pair in pairs
        ]
    sheet.table(["", *(f"{head}  " for head in heads)], cells)


def _rounds(sheet: ReportWriter, result: RunoffResult) -> None:
    sheet.heading("Rounds")
    sheet.say("Votes in each round; ✓ wins, ✕ is eliminated. More than half of those counted wins.")
    rows = [[name, *(_votes(each, name) for each in result.rounds)] for name in in_order(result)]
    rows.append(["Exhausted", *(f"{format_number(exhausted(each))}  " for each in result.rounds)])
    rows.append(["Half", *(f"{format_number(half(each))}  " for each in result.rounds)])
    sheet.table(["", *(f"Round {each.number}  " for each in result.rounds)], rows)


def _votes(round_: Round, name: str) -> str:
    if name not in round_.tally:
        return ""
    mark = " ✓" if name == round_.winner else " ✕" if name == round_.eliminated else "  "
    return format_number(round_.tally[name]) + mark


def _accounted(account: BallotAccount) -> str:
    """The sum that must come out: every ballot that was cast is somewhere."""
    parts = [f"{format_number(account.counted)} counted", f"{format_number(account.blank)} blank"]
    parts += [
        f"{format_number(ballots)} exhausted ({reason})"
        for reason, ballots in account.exhausted.items()
    ]
    return f"{format_number(account.cast)} cast = {' + '.join(parts)}"


def _ties(sheet: ReportWriter, ties: TieBreak) -> None:
    sheet.heading("Tie-break")
    sheet.say(f"Whoever is earlier here stands higher where a tie was broken. Seed: {ties.seed}")
    sheet.table(
        ("Candidate", "SHA-256 of seed and name"),
        list(zip(ties.order, ties.digests, strict=True)),
    )
