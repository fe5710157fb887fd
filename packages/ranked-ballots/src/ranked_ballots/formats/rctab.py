"""The rounds of an instant runoff in JSON, as RCTab writes and RCVis reads them.

A tally says how many votes a candidate has, not what the ballots rank next. So no ballots can be
made from such a file, and reading it gives a Tabulation.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

import msgspec

from ranked_ballots.errors import FormatError, WriteError
from ranked_ballots.formats.registry import RCTAB, check_name
from ranked_ballots.formats.source import decode_json, open_source
from ranked_ballots.methods.runoff import Round, RunoffResult
from ranked_ballots.result import Number

# Our reasons why a ballot is inactive, and RCTab's words for them.
INACTIVE = {
    "no more choices": "exhaustedChoices",
    "equal ranks": "overvotes",
    "repeated candidate": "repeatedRankings",
    "skipped ranks": "skippedRankings",
}
EXHAUSTED = "exhausted"
# RCTab writes numbers in quotes; other programs do not.
_JsonNumber: TypeAlias = str | int | float
_DECIMAL = re.compile(r"[0-9]{1,1000}(?:\.[0-9]{0,1000})?|\.[0-9]{1,1000}")


@dataclass(frozen=True, slots=True)
class RoundOutcome:
    """An election or elimination in a round, and where the votes go: names or EXHAUSTED."""

    candidate: str
    elected: bool
    transfers: dict[str, Number] = field(default_factory=dict[str, Number])


@dataclass(frozen=True, slots=True)
class TabulatedRound:
    """A round: votes by name, the threshold for a majority, and inactive ballots by reason."""

    number: int
    tally: dict[str, Number]
    outcomes: tuple[RoundOutcome, ...] = ()
    threshold: Number | None = None
    inactive: dict[str, Number] = field(default_factory=dict[str, Number])


@dataclass(frozen=True, slots=True)
class Tabulation:
    """The rounds of a contest; totals are None where a file does not have them."""

    contest: str
    date: str
    rounds: tuple[TabulatedRound, ...]
    ballots: Number | None = None
    undervotes: Number | None = None

    @classmethod
    def from_result(cls, result: RunoffResult, contest: str, day: str) -> Tabulation:
        """Convert a result; raise WriteError if RCTab has no word for something in it."""
        return cls(
            contest,
            day,
            tuple(_convert_round(round_) for round_ in result.rounds),
            result.account.cast,
            result.account.blank,
        )


def _convert_round(round_: Round) -> TabulatedRound:
    outcomes: list[RoundOutcome] = []
    if round_.eliminated is not None:
        transfers = _convert_transfers(round_)
        outcomes.append(RoundOutcome(round_.eliminated, elected=False, transfers=transfers))
    if round_.winner is not None:
        outcomes.append(RoundOutcome(round_.winner, elected=True))
    unknown = sorted(set(round_.exhausted) - set(INACTIVE))
    if unknown:
        raise WriteError(f"RCTab has no word for ballots exhausted by {unknown}.")
    return TabulatedRound(
        round_.number,
        dict(round_.tally),
        tuple(outcomes),
        # More than half of the continuing ballots.
        round_.continuing // 2 + 1,
        {word: round_.exhausted.get(reason, 0) for reason, word in INACTIVE.items()},
    )


def _convert_transfers(round_: Round) -> dict[str, Number]:
    votes: dict[str, Number] = {}
    for transfer in round_.transfers:
        if transfer.target == EXHAUSTED:
            raise WriteError(
                f"In RCTab's format, '{EXHAUSTED}' means no candidate; rename the candidate."
            )
        target = EXHAUSTED if transfer.target is None else transfer.target
        votes[target] = votes.get(target, 0) + transfer.votes
    return votes


class _Config(msgspec.Struct):
    contest: str = ""
    date: str = ""
    threshold: _JsonNumber | None = None


class _TallyResult(msgspec.Struct):
    elected: str | None = None
    eliminated: str | None = None
    transfers: dict[str, _JsonNumber] = {}


class _Result(msgspec.Struct, rename="camel"):
    round: int
    tally: dict[str, _JsonNumber]
    tally_results: list[_TallyResult] = []
    threshold: _JsonNumber | None = None
    inactive_ballots: dict[str, _JsonNumber] = {}


class _Summary(msgspec.Struct, rename="camel"):
    total_num_ballots: _JsonNumber | None = None
    undervotes: _JsonNumber | None = None


class _File(msgspec.Struct):
    config: _Config
    results: list[_Result]
    summary: _Summary | None = None


def read_rounds(file: Path | str | bytes) -> Tabulation:
    """Read the rounds of an RCTab file, given its path or its bytes."""
    content = decode_json(open_source(file).data, _File)
    summary = content.summary or _Summary()
    return Tabulation(
        content.config.contest,
        content.config.date,
        tuple(_parse_round(result, content.config.threshold) for result in content.results),
        _parse_optional(summary.total_num_ballots, "totalNumBallots"),
        _parse_optional(summary.undervotes, "undervotes"),
    )


def _parse_round(result: _Result, threshold: _JsonNumber | None) -> TabulatedRound:
    where = f"in round {result.round}"
    threshold = threshold if result.threshold is None else result.threshold
    return TabulatedRound(
        result.round,
        _parse_votes(result.tally, f"The tally {where}"),
        tuple(_parse_outcome(outcome, where) for outcome in result.tally_results),
        _parse_optional(threshold, f"The threshold {where}"),
        _parse_votes(result.inactive_ballots, f"The inactive ballots {where}"),
    )


def _parse_outcome(outcome: _TallyResult, where: str) -> RoundOutcome:
    if (outcome.elected is None) == (outcome.eliminated is None):
        raise FormatError(f"A tally result {where} must have either elected or eliminated.")
    transfers = _parse_votes(outcome.transfers, f"A transfer {where}")
    candidate = outcome.elected or outcome.eliminated or ""
    return RoundOutcome(candidate, outcome.elected is not None, transfers)


def _parse_votes(numbers: dict[str, _JsonNumber], subject: str) -> dict[str, Number]:
    return {name: _parse_decimal(votes, f"{subject}, '{name}',") for name, votes in numbers.items()}


def _parse_optional(number: _JsonNumber | None, subject: str) -> Number | None:
    return None if number is None else _parse_decimal(number, subject)


def _parse_decimal(number: _JsonNumber, subject: str) -> Number:
    """Return the exact number; one without quotes is read as it is printed."""
    text = number if isinstance(number, str) else format(Decimal(str(number)), "f")
    if not _DECIMAL.fullmatch(text):
        raise FormatError(f"{subject} is {text[:60]!r}; expected a number of votes.")
    value = Fraction(text)
    return value.numerator if value.denominator == 1 else value


def write_rounds(
    result: RunoffResult, *, contest: str, day: date, places: int | None = None
) -> bytes:
    """Write a file for RCVis, which requires a contest and a date.

    `places` truncates votes after that many decimals; by default they must be exact.
    """
    for name in (contest, *result.candidates):
        check_name(RCTAB, name)
    tabulation = Tabulation.from_result(result, contest, day.isoformat())
    final = tabulation.rounds[-1].threshold if tabulation.rounds else 0
    content = {
        "config": {
            "contest": tabulation.contest,
            "date": tabulation.date,
            "generatedBy": "singletable",
            "jurisdiction": "",
            "office": "",
        },
        "jsonFormatVersion": "1",
        "results": [_format_round(round_, places) for round_ in tabulation.rounds],
        "summary": {
            "finalThreshold": _format_decimal(final or 0, places),
            "numCandidates": len(result.candidates),
            "numWinners": 1,
            "totalNumBallots": _format_decimal(tabulation.ballots or 0, None),
            "undervotes": tabulation.undervotes,
        },
    }
    return (json.dumps(content, ensure_ascii=False, indent=2, sort_keys=True) + "\n").encode()


def _format_round(round_: TabulatedRound, places: int | None) -> dict[str, object]:
    return {
        "inactiveBallots": _format_votes(round_.inactive, places),
        "round": round_.number,
        "tally": _format_votes(round_.tally, places),
        "tallyResults": [
            {
                "elected" if outcome.elected else "eliminated": outcome.candidate,
                "transfers": _format_votes(outcome.transfers, places),
            }
            for outcome in round_.outcomes
        ],
        "threshold": _format_decimal(round_.threshold or 0, places),
    }


def _format_votes(votes: dict[str, Number], places: int | None) -> dict[str, str]:
    return {name: _format_decimal(number, places) for name, number in votes.items()}


def _format_decimal(votes: Number, places: int | None) -> str:
    """Return the digits, truncated after `places` decimals; without it they must be exact."""
    exact = Fraction(votes)
    if exact.denominator == 1:
        return str(exact.numerator)
    if places is None and _is_repeating(exact.denominator):
        raise WriteError(
            f"{exact} votes are not a finite decimal, and RCTab's format has no fractions. Use "
            "`places` to truncate numbers after that many digits; their sums are then not exact."
        )
    digits = exact.denominator.bit_length() if places is None else places
    unit = 10**digits
    whole, rest = divmod(exact.numerator * unit // exact.denominator, unit)
    return f"{whole}.{rest:0{digits}d}".rstrip("0").rstrip(".")


def _is_repeating(denominator: int) -> bool:
    for factor in (2, 5):
        while denominator % factor == 0:
            denominator //= factor
    return denominator != 1
