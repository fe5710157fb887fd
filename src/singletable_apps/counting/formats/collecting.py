"""Ballots are gathered while a file is read, and each is accounted for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from singletable_apps.counting.ballots import Ballots
from singletable_apps.counting.errors import CountingError, FormatError
from singletable_apps.counting.formats.joining import joined
from singletable_apps.counting.formats.marks import Mark, cleaned
from singletable_apps.counting.formats.reading import Adjustment, BallotFile
from singletable_apps.counting.formats.rules import BallotRules
from singletable_apps.counting.formats.source import Told
from singletable_apps.counting.ranking import Ranking

_MOST_CANDIDATES = 32_766
# So many different rankings are kept as objects; then they become columns.
_MOST_GROUPS = 1 << 16


@dataclass(frozen=True, slots=True)
class Asked:
    """What whoever reads a file asks for."""

    rules: BallotRules
    contest: str | None
    told: Told

    def stop_or_go(self, error: FormatError) -> None:
        """Raise the error of a malformed ballot, unless such ballots are to be refused."""
        if self.rules.malformed == "stop":
            raise error


@dataclass(slots=True)
class _Met:
    """How many ballots met a rule, and where the first is."""

    ballots: int
    first: int


class Collector:
    """Candidates in the order they came, ballots, and what was done to them."""

    def __init__(self, asked: Asked, candidates: Sequence[str] = (), place: str = "line") -> None:
        self.place = place
        self.asked = asked
        self.candidates: dict[str, int] = {}
        for name in candidates:
            if name in self.candidates:
                raise FormatError(f"The candidate '{name}' is named twice; name each once.")
            self.number(name)
        self.read = 0
        self.notes: list[str] = []
        self._pieces: list[Ballots] = []
        self._groups: Counter[Ranking] = Counter()
        self._changed: dict[str, _Met] = {}
        self._refused: dict[str, _Met] = {}

    def number(self, name: str) -> int:
        """The candidate's number; one that is new gets the next."""
        at = self.candidates.setdefault(name, len(self.candidates))
        if at >= _MOST_CANDIDATES:
            raise FormatError(f"There are more than {_MOST_CANDIDATES:,} candidates.")
        return at

    def add(self, ranking: Ranking, count: int) -> None:
        """So many ballots with this ranking."""
        self.read += count
        self._groups[ranking] += count
        if len(self._groups) >= _MOST_GROUPS:
            self._flush()

    def add_marks(
        self, marks: Sequence[Mark], count: int, at: int, unnamed: frozenset[int] = frozenset()
    ) -> None:
        """So many ballots with these marks, made a ranking by the rules."""
        made = cleaned(marks, self.asked.rules, unnamed)
        if made.refused is not None:
            self.refuse(made.refused, count, at)
            return
        for rule in made.changed:
            self.change(rule, count, at)
        self.add(made.ranking, count)

    def add_piece(self, piece: Ballots) -> None:
        """Ballots that are columns already."""
        self.read += piece.cast
        self._pieces.append(piece)

    def change(self, rule: str, count: int, at: int) -> None:
        """So many ballots are counted otherwise than marked; `at` is the line of the first."""
        _put(self._changed, rule, count, at)

    def refuse(self, reason: str, count: int, at: int) -> None:
        """So many ballots are not counted; `at` is the line of the first."""
        self.read += count
        _put(self._refused, reason, count, at)

    def malformed(self, error: CountingError, line: int) -> None:
        """A line that makes no sense: an error, or one refused ballot."""
        if not isinstance(error, FormatError):
            error = FormatError(str(error), line)
        self.asked.stop_or_go(error)
        self.refuse("malformed", 1, line)

    def reading(self, form: str, title: str = "") -> BallotFile:
        """All of it; the file is at its end."""
        if not self.candidates:
            raise FormatError(
                "There are no candidates: none is declared, and no ballot ranks anybody."
            )
        self._flush()
        return BallotFile(
            joined(tuple(self.candidates), self._pieces),
            form,
            self.read,
            self._treated(self._changed),
            self._treated(self._refused),
            tuple(self.notes),
            title,
        )

    def _treated(self, met: dict[str, _Met]) -> tuple[Adjustment, ...]:
        in_order = sorted(met.items(), key=lambda each: (each[1].first, each[0]))
        return tuple(
            Adjustment(rule, each.ballots, f"{self.place} {each.first:,}")
            for rule, each in in_order
        )

    def _flush(self) -> None:
        self._pieces.append(Ballots.from_counts(tuple(self.candidates), self._groups.items()))
        self._groups.clear()


def _put(met: dict[str, _Met], rule: str, count: int, at: int) -> None:
    if count:
        each = met.setdefault(rule, _Met(0, at))
        each.ballots += count
        each.first = min(each.first, at)
