"""Everything that the results page shows about a count."""

from __future__ import annotations

from dataclasses import dataclass

from ranked_ballots import RunoffResult
from ranked_ballots.pictures import Picture, draw_transfers
from singletable_apps.polls.entities import Poll
from singletable_apps.polls.service import PollResults
from singletable_apps.shared.results import (
    ROUNDS_FORMAT,
    ChartRow,
    Download,
    Headline,
    MethodComparison,
    RoundBars,
    RoundTable,
    Ties,
    ballot_downloads,
    can_write_rounds,
    describe_ties,
    round_bars,
    round_table,
    runoff_chart,
    runoff_headline,
    writable_formats,
)

# More would not be readable; everything is in the table of rounds.
MAX_DRAWN_ROUNDS = 12
MAX_COMPARED = 10


@dataclass(frozen=True, slots=True)
class ResultsView:
    """Everything that the results page shows about the count."""

    results: PollResults
    headline: Headline
    chart: list[ChartRow]
    rounds: list[RoundBars]
    table: RoundTable
    picture: Picture | None
    ties: Ties
    comparison: MethodComparison

    @property
    def poll(self) -> Poll:
        """Return the poll."""
        return self.results.poll

    @property
    def runoff(self) -> RunoffResult:
        """Return the result by instant runoff, which decides the poll."""
        return self.results.methods.runoff


def make_results_view(results: PollResults) -> ResultsView:
    """Return the view of some results."""
    runoff = results.methods.runoff
    return ResultsView(
        results,
        runoff_headline(runoff, is_final=results.is_final, noun="option"),
        runoff_chart(runoff),
        round_bars(runoff),
        round_table(runoff, most=len(runoff.rounds)),
        draw_transfers(runoff, last=MAX_DRAWN_ROUNDS) if len(runoff.rounds) > 1 else None,
        describe_ties(runoff),
        results.methods.compare(MAX_COMPARED),
    )


def list_downloads(results: PollResults, vote_id: str = "") -> list[Download]:
    """Return the files that can be exported; `vote_id` grants access to a voter.

    Some option names cannot be written in ABIF or RCTab.
    """
    poll = results.poll
    query = f"?vote={vote_id}" if vote_id else ""
    formats = {"csv", "abif"} & {*writable_formats(poll.candidates, [])}
    if can_write_rounds(results.methods.runoff, poll.title):
        formats.add(ROUNDS_FORMAT)

    def url(name: str) -> str:
        return f"/api/polls/{poll.id}/export/{name}{query}"

    everything = Download("All data", "Everything on this page as data.", "json", url("json"))
    return [everything, *ballot_downloads(formats, url, "option")]
