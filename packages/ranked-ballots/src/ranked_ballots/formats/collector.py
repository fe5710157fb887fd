"""Collect the ballots of a file and account for each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ranked_ballots.ballots import (
    MAX_INT64,
    Ballots,
    Columns,
    Counts,
    rank_type,
    to_ints,
    validate_candidates,
)
from ranked_ballots.errors import CountingError, FormatError
from ranked_ballots.formats.rules import BallotRules, Mark, clean_ballot
from ranked_ballots.formats.source import ProgressCallback
from ranked_ballots.ranking import Ranking

_MAX_CANDIDATES = 32_766
# A small file can require more memory than there is: candidates times ballots.
_MAX_CELLS = 1 << 32
# This many distinct rankings are kept as objects before they become columns.
_MAX_RANKINGS = 1 << 16


@dataclass(frozen=True, slots=True)
class Adjustment:
    """How many ballots a rule changed or rejected, and where the first of them is."""

    rule: str
    ballots: int
    first: str

    def __str__(self) -> str:
        return f"{self.ballots:,} (first: {self.first}): {self.rule}"


@dataclass(frozen=True, slots=True)
class BallotFile:
    """The ballots of a file. `total` ballots were read: those in `ballots` and the rejected ones.

    `changed` lists, by rule, ballots that are counted differently from how they were marked; a
    ballot can be under several rules. `notes` say what else was ignored. `seats` is how many seats
    the file says are to be filled.
    """

    ballots: Ballots
    format: str
    total: int
    changed: tuple[Adjustment, ...] = ()
    rejected: tuple[Adjustment, ...] = ()
    notes: tuple[str, ...] = ()
    title: str = ""
    seats: int | None = None

    def summary(self) -> tuple[str, ...]:
        """Return lines that account for every ballot."""
        lines = [f"{self.total:,} ballots read ({self.format}), {self.ballots.cast:,} kept"]
        lines += [f"changed: {adjustment}" for adjustment in self.changed]
        lines += [f"rejected: {adjustment}" for adjustment in self.rejected]
        seats = () if self.seats is None else (f"seats to fill: {self.seats}",)
        return (*lines, *seats, *self.notes)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read a file: the rules, the contest, and the function to call with the progress."""

    rules: BallotRules
    contest: str | None
    on_progress: ProgressCallback

    def check_malformed(self, error: FormatError) -> None:
        """Raise the error of a malformed ballot unless the rules reject such ballots."""
        if self.rules.malformed == "stop":
            raise error


@dataclass(slots=True)
class _RuleCount:
    ballots: int
    first: int


class BallotCollector:
    """Candidates in their order of appearance, ballots, and what was done to them."""

    def __init__(
        self, options: ReadOptions, candidates: Sequence[str] = (), unit: str = "line"
    ) -> None:
        self.options = options
        self.candidates: dict[str, int] = {}
        for name in candidates:
            if name in self.candidates:
                raise FormatError(f"The candidate '{name}' is listed twice; list each name once.")
            self.number(name)
        self.total = 0
        self.notes: list[str] = []
        self._unit = unit
        self._pieces: list[Ballots] = []
        self._rankings: Counter[Ranking] = Counter()
        self._changed: dict[str, _RuleCount] = {}
        self._rejected: dict[str, _RuleCount] = {}

    def number(self, name: str) -> int:
        """Return the candidate's number; a new candidate gets the next one."""
        at = self.candidates.setdefault(name, len(self.candidates))
        if at >= _MAX_CANDIDATES:
            raise FormatError(f"There are more than {_MAX_CANDIDATES:,} candidates.")
        return at

    def add(self, ranking: Ranking, count: int) -> None:
        """Add `count` ballots with this ranking."""
        self.total += count
        self._rankings[ranking] += count
        if len(self._rankings) >= _MAX_RANKINGS:
            self._flush()

    def add_marks(
        self, marks: Sequence[Mark], count: int, at: int, unnamed: frozenset[int] = frozenset()
    ) -> None:
        """Add `count` ballots with these marks, after applying the rules."""
        cleaned = clean_ballot(marks, self.options.rules, unnamed)
        if cleaned.rejected is not None:
            self.reject(cleaned.rejected, count, at)
            return
        for rule in cleaned.changed:
            self.change(rule, count, at)
        self.add(cleaned.ranking, count)

    def add_piece(self, piece: Ballots) -> None:
        """Add ballots that are already columns."""
        self.total += piece.cast
        self._pieces.append(piece)

    def change(self, rule: str, count: int, at: int) -> None:
        """Record that a rule changed `count` ballots; `at` is the line of the first."""
        _record(self._changed, rule, count, at)

    def reject(self, reason: str, count: int, at: int) -> None:
        """Record that `count` ballots are not counted; `at` is the line of the first."""
        self.total += count
        _record(self._rejected, reason, count, at)

    def handle_malformed(self, error: CountingError, line: int) -> None:
        """Raise the error of a malformed line, or reject one ballot, depending on the rules."""
        if not isinstance(error, FormatError):
            error = FormatError(str(error), line)
        self.options.check_malformed(error)
        self.reject("malformed", 1, line)

    def finish(self, form: str, title: str = "") -> BallotFile:
        """Return everything that was collected."""
        if not self.candidates:
            raise FormatError(
                "There are no candidates: none are declared, and no ballot ranks anyone."
            )
        self._flush()
        return BallotFile(
            join_ballots(tuple(self.candidates), self._pieces),
            form,
            self.total,
            self._adjustments(self._changed),
            self._adjustments(self._rejected),
            tuple(self.notes),
            title,
        )

    def _adjustments(self, counts: dict[str, _RuleCount]) -> tuple[Adjustment, ...]:
        in_order = sorted(counts.items(), key=lambda entry: (entry[1].first, entry[0]))
        return tuple(
            Adjustment(rule, count.ballots, f"{self._unit} {count.first:,}")
            for rule, count in in_order
        )

    def _flush(self) -> None:
        self._pieces.append(Ballots.from_counts(tuple(self.candidates), self._rankings.items()))
        self._rankings.clear()


def _record(counts: dict[str, _RuleCount], rule: str, count: int, at: int) -> None:
    if count:
        entry = counts.setdefault(rule, _RuleCount(0, at))
        entry.ballots += count
        entry.first = min(entry.first, at)


def join_ballots(candidates: Sequence[str], pieces: list[Ballots]) -> Ballots:
    """Join all pieces, emptying the list; a piece may know only the first candidates."""
    ranks = rank_type(len(candidates))
    names = validate_candidates(candidates)
    rows = sum(piece.rows for piece in pieces)
    if len(names) * rows > _MAX_CELLS:
        raise FormatError(
            f"{rows:,} distinct ballots with {len(names):,} candidates are too many; the maximum "
            f"of candidates times ballots is {_MAX_CELLS:,}."
        )
    counts = _join_counts(pieces)
    strict = all(piece.strict for piece in pieces)
    columns: Columns = np.full((len(names), rows), np.iinfo(ranks).max, dtype=ranks)
    first = 0
    # Each piece is released after it is copied, so that only one is in memory twice.
    pieces.reverse()
    while pieces:
        piece = pieces.pop()
        part = columns[: len(piece.candidates), first : first + piece.rows]
        part[:] = piece.columns
        if piece.columns.dtype != ranks:
            part[piece.columns == piece.unranked] = np.iinfo(ranks).max
        first += piece.rows
    return Ballots(names, columns, counts, strict)


def _join_counts(pieces: Sequence[Ballots]) -> Counts | None:
    if all(piece.counts is None for piece in pieces):
        return None
    parts = [
        np.ones(piece.rows, np.int64) if piece.counts is None else piece.counts for piece in pieces
    ]
    if sum(piece.cast for piece in pieces) <= MAX_INT64:
        return np.concatenate([part.astype(np.int64) for part in parts])
    numbers = [count for part in parts for count in to_ints(part)]
    return np.array(numbers, dtype=np.object_)
