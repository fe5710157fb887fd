"""A result on a sheet: places, reasons, the numbers behind them, rules, ballots and ties."""

from __future__ import annotations

from rich.cells import cell_len

from singletable_apps.counting.pictures.pairs import (
    PairsResult,
    cell,
    in_order,
    place_of,
)
from singletable_apps.counting.pictures.round_words import exhausted, half
from singletable_apps.counting.result import Account, Result
from singletable_apps.counting.results.ranked_pairs import RankedPairsResult
from singletable_apps.counting.results.runoff import Round, RunoffResult
from singletable_apps.counting.results.schulze import SchulzeResult
from singletable_apps.counting.results.scores import CopelandResult, ScoreResult
from singletable_apps.counting.terminal.sheet import Sheet
from singletable_apps.counting.tie_break import TieBreak
from singletable_apps.counting.words import listed, number

_WIDEST_HEAD = 12


def show(sheet: Sheet, result: Result) -> None:
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
        return f"{listed(result.winners)} are tied"
    broken = ", by the seed" if len(result.winners) > 1 else ""
    return f"{result.winner} wins{broken}"


def _numbers(sheet: Sheet, result: Result) -> None:
    if isinstance(result, ScoreResult):
        sheet.heading("Votes" if result.method == "Plurality" else "Points")
        rows = [(name, number(result.scores[name])) for name in in_order(result)]
        sheet.table(("Candidate", "Sum"), rows)
    if isinstance(result, SchulzeResult | RankedPairsResult | CopelandResult):
        _pairs(sheet, result)
    if isinstance(result, RunoffResult) and result.rounds:
        _rounds(sheet, result)


def _pairs(sheet: Sheet, result: PairsResult) -> None:
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
            "-  " if pair.row == pair.column else number(pair.votes) + marks[pair.sign]
            for pair in pairs
        ]
    sheet.table(["", *(f"{head}  " for head in heads)], cells)


def _rounds(sheet: Sheet, result: RunoffResult) -> None:
    sheet.heading("Rounds")
    sheet.say("Votes in each round; ✓ wins, ✕ is eliminated. More than half of those counted wins.")
    rows = [[name, *(_votes(each, name) for each in result.rounds)] for name in in_order(result)]
    rows.append(["Exhausted", *(f"{number(exhausted(each))}  " for each in result.rounds)])
    rows.append(["Half", *(f"{number(half(each))}  " for each in result.rounds)])
    sheet.table(["", *(f"Round {each.number}  " for each in result.rounds)], rows)


def _votes(round_: Round, name: str) -> str:
    if name not in round_.tally:
        return ""
    mark = " ✓" if name == round_.winner else " ✕" if name == round_.eliminated else "  "
    return number(round_.tally[name]) + mark


def _accounted(account: Account) -> str:
    """The sum that must come out: every ballot that was cast is somewhere."""
    parts = [f"{number(account.counted)} counted", f"{number(account.blank)} blank"]
    parts += [
        f"{number(ballots)} exhausted ({reason})" for reason, ballots in account.exhausted.items()
    ]
    return f"{number(account.cast)} cast = {' + '.join(parts)}"


def _ties(sheet: Sheet, ties: TieBreak) -> None:
    sheet.heading("Tie-break")
    sheet.say(f"Whoever is earlier here stands higher where a tie was broken. Seed: {ties.seed}")
    sheet.table(
        ("Candidate", "SHA-256 of seed and name"),
        list(zip(ties.order, ties.digests, strict=True)),
    )
