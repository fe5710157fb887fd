"""Everything that the page of a result is made of: made once, for however many look."""

from __future__ import annotations

from dataclasses import dataclass

from singletable_apps.counting import RunoffResult
from singletable_apps.counting.pictures import Picture, draw_transfers
from singletable_apps.polls.entities import Poll
from singletable_apps.polls.pages.shown.headline import headline
from singletable_apps.polls.pages.shown.places import Placed, places_of
from singletable_apps.polls.pages.shown.rounds import Bars, bars_of
from singletable_apps.polls.pages.shown.ties import Ties, ties_of
from singletable_apps.polls.service import Outcome
from singletable_apps.polls.words import DECIDES
from singletable_apps.shared.counted import Comparison, Headline, Rounds, comparison, rounds_of

# A drawing of more rounds tells nobody anything: the last ones decide.
MOST_DRAWN = 12
MOST_COMPARED = 10


@dataclass(frozen=True, slots=True)
class Shown:
    """A result in the words, bars and tables of its page."""

    outcome: Outcome
    headline: Headline
    places: list[Placed]
    bars: list[Bars]
    table: Rounds
    flow: Picture | None
    ties: Ties
    comparison: Comparison

    @property
    def poll(self) -> Poll:
        """The poll."""
        return self.outcome.poll

    @property
    def runoff(self) -> RunoffResult:
        """The count that decides."""
        return self.outcome.counts.runoff


def shown_of(outcome: Outcome) -> Shown:
    """The result as it is shown."""
    counts = outcome.counts
    runoff = counts.runoff
    bars = bars_of(runoff)
    return Shown(
        outcome,
        headline(outcome),
        places_of(runoff),
        bars,
        rounds_of(runoff, most=len(runoff.rounds)),
        draw_transfers(runoff, last=MOST_DRAWN) if len(bars) > 1 else None,
        ties_of(runoff),
        comparison(counts.by_method, DECIDES, MOST_COMPARED),
    )
