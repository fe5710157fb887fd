"""The results of elections that another method than Schulze decides."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import Response

from ranked_ballots import Result, ScoreResult, StvResult, format_number, join_names
from ranked_ballots.pictures import draw_pictures
from singletable_apps.elections.pages.dependencies import ElectionPageContext, VoterPage
from singletable_apps.elections.pages.setup import describe_rules
from singletable_apps.elections.pages.texts import render_texts
from singletable_apps.elections.rules.elections import ResultDetail
from singletable_apps.elections.service.results import Tally
from singletable_apps.shared.results import MAX_ROUNDS, ChartRow, MethodComparison, compare_methods


@dataclass(frozen=True, slots=True)
class MethodCount:
    """A count by the method that decides, for its page; `comparison` if others make sense."""

    tally: Tally
    headline: str
    comparison: MethodComparison | None

    @property
    def is_final(self) -> bool:
        """Return whether the election has closed."""
        return not self.tally.election.allow_vote


def render_method_results(page: VoterPage) -> Response:
    """Show winners, reasons, rounds and pictures of the method that decides."""
    tallies = page.service.results.tallies(page.voter, page.election.name)
    tally = tallies[page.election.method]
    result = tally.result
    deciding = f"{tally.method.title} decides, as announced before the election opened."
    results = {method: each.result for method, each in tallies.items()}
    comparison = compare_methods(results, deciding) if len(results) > 1 else None
    rounds = len(getattr(result, "rounds", ()))
    pictures = draw_pictures(result) if rounds <= MAX_ROUNDS and result.account.cast else {}
    return page.render_tab(
        "results_method",
        "tally",
        count=MethodCount(tally, make_method_headline(tally), comparison),
        chart=make_method_chart(tally) if isinstance(result, ScoreResult) else [],
        pictures=list(pictures.values()),
        rules=describe_rules(tally.election),
        texts=render_texts(page),
        rankings_url=page.url("tally", "rankings") if ResultDetail.RANKINGS in tally.shown else "",
        result_url=page.url("tally", "result.json"),
        published_url=page.url("published") if tally.closing else "",
        url=page.url,
        share_link=page.urls.result_link(tally.election),
        is_manager=isinstance(page, ElectionPageContext) and page.is_manager,
    )


def make_method_chart(tally: Tally) -> list[ChartRow]:
    """Return the votes for each candidate, or who is elected if no method adds up votes."""
    result, places = tally.result, tally.result.place_numbers
    if not isinstance(result, ScoreResult):
        elected = {name: int(name in tally.elected) for name in result.ranked_candidates}
        return [
            ChartRow(places[name], name, won, 1, "elected" if won else "", lost_tie=not won)
            for name, won in elected.items()
        ]
    scores, most = result.scores, max(result.scores.values())
    return [
        ChartRow(places[name], name, scores[name], most, format_number(scores[name]))
        for name in result.ranked_candidates
    ]


def make_method_headline(tally: Tally) -> str:
    """Return a sentence that names the elected or the leading candidates."""
    result, is_final = tally.result, not tally.election.allow_vote
    if not result.account.cast:
        return "No one voted" if is_final else "No one has voted yet"
    elected = tally.elected
    if not elected:
        return f"{join_names(_tied(result))} are tied"
    many = len(elected) > 1
    if tally.method.has_seats:
        verb = ("are" if many else "is") if is_final else "would be"
        tied = f"; {join_names(_tied(result))} are tied" if _tied(result) else ""
        return f"{join_names(elected)} {verb} elected{tied}"
    return f"{elected[0]} {'wins' if is_final else 'leads'}"


def _tied(result: Result) -> tuple[str, ...]:
    return result.tied if isinstance(result, StvResult) else result.winners
