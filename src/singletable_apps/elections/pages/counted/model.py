"""Everything that the page of a tally is made of, asked for once."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from singletable_apps.counting import Ranking, Result, RunoffResult, SchulzeResult
from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.rules import Shown
from singletable_apps.elections.service import Elections, Tally
from singletable_apps.shared.counted import formats_for

# So many rankings are on the page itself; the rest is on pages of its own.
FIRST = 12


@dataclass(frozen=True, slots=True)
class Count:
    """The ballots counted by every method, and as much of them as is published.

    `alike` are the most frequent rankings, of `kinds` that there are; `formats` can hold all of
    them. `mark` is another if anything of it is.
    """

    tally: Tally
    results: dict[str, Result]
    alike: tuple[tuple[Ranking, int], ...]
    kinds: int
    formats: tuple[str, ...]
    mark: str

    @property
    def election(self) -> Election:
        """The election."""
        return self.tally.election

    @property
    def is_final(self) -> bool:
        """Whether no ballot can change it any more."""
        return not self.election.allow_vote

    @property
    def result(self) -> SchulzeResult:
        """The count that decides."""
        result = self.results["schulze"]
        assert isinstance(result, SchulzeResult)
        return result

    @property
    def runoff(self) -> RunoffResult:
        """The count in rounds, for comparison."""
        result = self.results["instant runoff"]
        assert isinstance(result, RunoffResult)
        return result

    def shows(self, what: str) -> bool:
        """Whether this is published of the ballots."""
        return what in self.tally.shown


def count_of(elections: Elections, viewer: User, name: str) -> Count:
    """The count as the viewer may see it now."""
    tallies = elections.results.tallies(viewer, name)
    tally = tallies["schulze"]
    alike: list[tuple[Ranking, int]] = []
    if Shown.RANKINGS in tally.shown:
        alike = elections.results.rankings(viewer, name)
    results = {method: each.result for method, each in tallies.items()}
    first = tuple(alike[:FIRST])
    formats = formats_for(tally.result.candidates, alike) if Shown.RANKINGS in tally.shown else ()
    return Count(tally, results, first, len(alike), formats, _mark(tally, results, first))


def _mark(tally: Tally, results: dict[str, Result], alike: tuple[tuple[Ranking, int], ...]) -> str:
    said = [str(tally.election.revision), repr(alike)]
    said += [result.to_json() for result in results.values()]
    return sha256("\n".join(said).encode()).hexdigest()[:16]
