"""Everything that the results page shows about a count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ranked_ballots import RunoffResult, join_names, pluralize
from ranked_ballots.pictures import Picture, draw_transfers
from singletable_apps.polls.entities import Poll, PollKind
from singletable_apps.polls.rules import option_label
from singletable_apps.polls.service import PollResults
from singletable_apps.polls.tally import MethodResults, PickResult
from singletable_apps.shared.results import (
    ChartRow,
    Download,
    Headline,
    MethodComparison,
    RoundBars,
    RoundTable,
    Ties,
    describe_ties,
    round_bars,
    round_table,
    runoff_chart,
    runoff_headline,
)

# More would not be readable; everything is in the table of rounds.
MAX_DRAWN_ROUNDS = 12
MAX_NAMES = 3


@dataclass(frozen=True, slots=True)
class RunoffView:
    """The rounds of an instant runoff, and other methods."""

    runoff: RunoffResult
    rounds: list[RoundBars]
    table: RoundTable
    picture: Picture | None
    ties: Ties
    comparison: MethodComparison


@dataclass(frozen=True, slots=True)
class ResultsView:
    """The results in words and bars; `details` are for polls in which people rank."""

    results: PollResults
    headline: Headline
    chart: list[ChartRow]
    details: RunoffView | None

    @property
    def poll(self) -> Poll:
        """Return the poll."""
        return self.results.poll


def make_results_view(results: PollResults, labels: Mapping[str, str] | None = None) -> ResultsView:
    """Return the view of some results; `labels` are the dates in the time zone of the reader."""
    if isinstance(results.count, PickResult):
        poll = results.poll
        labels = labels or {name: option_label(poll, name) for name in poll.candidates}
        return ResultsView(
            results,
            _pick_headline(results, results.count, labels),
            _pick_chart(results.count, labels),
            None,
        )
    return _runoff_view(results, results.count)


def _runoff_view(results: PollResults, methods: MethodResults) -> ResultsView:
    runoff = methods.runoff
    details = RunoffView(
        runoff,
        round_bars(runoff),
        round_table(runoff, most=len(runoff.rounds)),
        draw_transfers(runoff, last=MAX_DRAWN_ROUNDS) if len(runoff.rounds) > 1 else None,
        describe_ties(runoff),
        methods.compare(),
    )
    headline = runoff_headline(runoff, is_final=results.is_final, noun="option")
    return ResultsView(results, headline, runoff_chart(runoff), details)


def _pick_headline(results: PollResults, count: PickResult, labels: Mapping[str, str]) -> Headline:
    is_final, winners = results.is_final, [labels[name] for name in count.winners]
    if not count.voters:
        none_yet = "The poll closed without votes." if is_final else "Results appear here at once."
        return Headline(is_final, "No one voted" if is_final else "No votes yet", none_yet)
    if not winners:
        return Headline(is_final, "No date suits anyone", "Everyone said no to every date.")
    first = count.winners[0]
    why = _why_picked(results.poll, count, first, "each of them" if len(winners) > 1 else "")
    if len(winners) == 1:
        name = winners[0] if len(winners[0]) < 30 else f"“{winners[0]}”"
        return Headline(is_final, f"{name} {'wins' if is_final else 'leads'}", why)
    names = join_names(winners) if len(winners) <= MAX_NAMES else pluralize(len(winners), "option")
    return Headline(is_final, f"{names} are tied", why)


def _why_picked(poll: Poll, count: PickResult, name: str, tied: str) -> str:
    votes, maybe = f"{count.votes[name]:,} of {count.voters:,}", count.maybe[name]
    if poll.settings.kind is not PollKind.DATES:
        it = tied or "it"
        return f"{votes} picked {it}." if count.voters > 1 else f"The only vote is for {it}."
    return f"{votes} said yes{tied and f' to {tied}'}{f', {maybe:,} maybe' if maybe else ''}."


def _pick_chart(count: PickResult, labels: Mapping[str, str]) -> list[ChartRow]:
    if not count.voters:
        return []
    return [
        ChartRow(
            count.places[name],
            labels[name],
            votes,
            count.voters,
            pluralize(votes, "vote"),
            f"{count.maybe[name]:,} maybe" if count.maybe[name] else "",
        )
        for name, votes in count.votes.items()
    ]


def list_downloads(results: PollResults, vote_id: str = "") -> list[Download]:
    """Return the files that can be exported; `vote_id` grants access to a voter."""
    url, query = f"/api/polls/{results.poll.id}/export", f"?vote={vote_id}" if vote_id else ""
    cells = "votes" if isinstance(results.count, PickResult) else "rank"
    table = f"A spreadsheet: the {cells} of each option."
    return [
        Download("All data", "Everything on this page as data.", "json", f"{url}/json{query}"),
        Download("Table", table, "csv", f"{url}/csv{query}"),
    ]
