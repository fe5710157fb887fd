"""RCTab's JSON becomes a tabulation."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import msgspec

from singletable_apps.counting.errors import FormatError
from singletable_apps.counting.formats.json import decoded
from singletable_apps.counting.formats.rctab.decimals import number_of
from singletable_apps.counting.formats.rctab.tabulation import (
    Outcome,
    TabulatedRound,
    Tabulation,
)
from singletable_apps.counting.formats.source import source_of
from singletable_apps.counting.result import Number

# RCTab quotes its numbers; others who write the format do not.
_Said: TypeAlias = str | int | float


class _Config(msgspec.Struct):
    contest: str = ""
    date: str = ""
    threshold: _Said | None = None


class _TallyResult(msgspec.Struct):
    elected: str | None = None
    eliminated: str | None = None
    transfers: dict[str, _Said] = {}


class _Result(msgspec.Struct, rename="camel"):
    round: int
    tally: dict[str, _Said]
    tally_results: list[_TallyResult] = []
    threshold: _Said | None = None
    inactive_ballots: dict[str, _Said] = {}


class _Summary(msgspec.Struct, rename="camel"):
    total_num_ballots: _Said | None = None
    undervotes: _Said | None = None


class _File(msgspec.Struct):
    config: _Config
    results: list[_Result]
    summary: _Summary | None = None


def read_rounds(file: Path | str | bytes) -> Tabulation:
    """The rounds in a file of RCTab, from a path or from bytes."""
    whole = decoded(source_of(file).data, _File)
    summary = whole.summary or _Summary()
    return Tabulation(
        whole.config.contest,
        whole.config.date,
        tuple(_round(each, whole.config.threshold) for each in whole.results),
        _maybe(summary.total_num_ballots, "totalNumBallots"),
        _maybe(summary.undervotes, "undervotes"),
    )


def _round(each: _Result, threshold: _Said | None) -> TabulatedRound:
    where = f"in round {each.round}"
    return TabulatedRound(
        each.round,
        _votes(each.tally, f"The tally {where}"),
        tuple(_outcome(said, where) for said in each.tally_results),
        _maybe(threshold if each.threshold is None else each.threshold, f"The threshold {where}"),
        _votes(each.inactive_ballots, f"The inactive ballots {where}"),
    )


def _outcome(said: _TallyResult, where: str) -> Outcome:
    if (said.elected is None) == (said.eliminated is None):
        raise FormatError(f"A tally result {where} has to say either elected or eliminated.")
    transfers = _votes(said.transfers, f"A transfer {where}")
    return Outcome(said.elected or said.eliminated or "", said.elected is not None, transfers)


def _votes(said: dict[str, _Said], what: str) -> dict[str, Number]:
    return {name: number_of(votes, f"{what}, '{name}',") for name, votes in said.items()}


def _maybe(said: _Said | None, what: str) -> Number | None:
    return None if said is None else number_of(said, what)
