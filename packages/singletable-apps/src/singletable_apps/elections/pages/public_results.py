"""Elections outside the app: a notice until the close, then the result; and the protocol."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import APIRouter, Depends, Path, Response

from ranked_ballots import RunoffResult, StvResult
from singletable_apps.elections.entities import Election, Electorate
from singletable_apps.elections.pages import results_view
from singletable_apps.elections.pages.dependencies import (
    AnyPage,
    ElectionPage,
    ElectionPageContext,
    PageContext,
    render_election_texts,
)
from singletable_apps.elections.pages.results_view import load_count, make_chart
from singletable_apps.elections.pages.setup import BALLOT_DESCRIPTIONS, describe_rules
from singletable_apps.elections.proofs.encoding import digest
from singletable_apps.elections.rules import elections as rules
from singletable_apps.elections.service.closing import get_closing
from singletable_apps.shared.accounts import NotSignedIn
from singletable_apps.shared.errors import NotFound
from singletable_apps.shared.pages import ConfirmedAction, confirm
from singletable_apps.shared.results import round_table
from singletable_apps.shared.share_pictures import ShareBar, draw_share_picture
from singletable_apps.shared.web.middleware import allow_frames

router = APIRouter()


def _linked_election(page: AnyPage, election_id: Annotated[int, Path(ge=1, lt=2**53)]) -> Election:
    """Return the election of a link. Only signed-in people learn which others exist."""
    election = page.service.context.read.find_election_by_id(election_id)
    if election is not None and _is_published(election):
        return election
    if page.visitor is None:
        raise NotSignedIn("Sign in to see this result.")
    if election is None:
        raise NotFound("There is no election at this address.")
    return election


LinkedElection: TypeAlias = Annotated[Election, Depends(_linked_election)]


def _is_published(election: Election) -> bool:
    return election.is_public and not rules.is_withheld(election)


@router.get("/r/{election_id}")
def show_public_result(page: AnyPage, election: LinkedElection) -> Response:
    """Show a notice or a public result to everyone, or redirect to the results page."""
    if not _is_published(election):
        return page.redirect(page.urls.election(election, "tally"))
    if election.statement is None:
        return _show_notice(page, election)
    count = load_count(page.service, None, election.name)
    questions = page.service.context.book.questions(election)
    return page.render(
        "public_result",
        election=election,
        title=rules.title_of(questions[0]),
        texts=render_election_texts(page, None, election.name),
        questions=[(each.name, page.urls.result_link(each)) for each in questions],
        tally=count.tally,
        headline=count.headline,
        chart=make_chart(count.tally.result),
        turnout=results_view.describe_turnout(count.tally),
        closed_at=rules.closed_at(election),
        method=count.tally.method,
        link=page.urls.result_link(election),
        is_member=page.visitor is not None,
        results_url=page.urls.election(election, "tally"),
    )


def _show_notice(page: PageContext, election: Election) -> Response:
    """Show the subject, electorate and times of an election, before and while it is open."""
    context = page.service.context
    questions = context.book.questions(election)
    # All questions have one roll, so the quorum is stated once.
    queries = page.service.queries
    facts = describe_rules(questions[0], queries.method(questions[0]))
    quorum = [fact for fact in facts if fact[0] == "Quorum"] if questions[1:] else []
    return page.render(
        "notice",
        election=questions[0],
        title=rules.title_of(questions[0]),
        quorum=quorum,
        standing=rules.standing_of(election, context.clock()),
        questions=[
            (
                each,
                render_election_texts(page, None, each.name),
                [fact for fact in describe_rules(each, queries.method(each)) if fact not in quorum],
            )
            for each in questions
        ],
        ballots=BALLOT_DESCRIPTIONS[election.secret_ballot],
        link=page.urls.result_link(questions[0]),
        is_member=page.visitor is not None,
    )


@router.get("/r/{election_id}/picture.png")
def draw_picture(page: AnyPage, election: LinkedElection) -> Response:
    """Draw a public result for chats that show a picture beside a link."""
    if not _is_published(election) or election.statement is None:
        raise NotFound("This result is not public.")
    count = load_count(page.service, None, election.name)
    bars = tuple(
        ShareBar(row.name, float(row.value / (row.maximum or 1)), row.label)
        for row in make_chart(count.tally.result)
    )
    footer = page.urls.result_link(election).partition("://")[2]
    picture = draw_share_picture(election.name, count.headline.title, bars, footer, "An election")
    return Response(picture, media_type="image/png")


@router.get("/r/{election_id}/embed")
def show_embedded(page: AnyPage, election: LinkedElection) -> Response:
    """Show a public result in a frame of another site."""
    if not _is_published(election):
        raise NotFound("This result is not public.")
    count = load_count(page.service, None, election.name)
    response = page.pages.render(
        page.request,
        "results/embed.html",
        app="elections",
        title=election.name,
        is_open=False,
        lead=count.headline.title,
        chart=make_chart(count.tally.result),
        names=count.tally.result.candidates,
        votes=results_view.describe_turnout(count.tally),
        links=[("Result", page.urls.result_link(election), "plain")],
    )
    return allow_frames(response)


@confirm(router, "/e/{name}/public")
def share_result(page: ElectionPage) -> ConfirmedAction:
    """Let everyone with the link see the result, or no longer."""
    user, election = page.user, page.election
    rules.check_manager(user, election)
    turn_on = not election.is_public
    return ConfirmedAction(
        page,
        title="Make it public?" if turn_on else "Make it private again?",
        text="Everyone who has the link sees the question, the candidates and the dates, and after "
        "the close the winner, the places and the turnout, without an account. Ballots and names "
        "of voters are not on that page."
        if turn_on
        else "The link then works only for people who are signed in.",
        button="Make public" if turn_on else "Make private",
        back=page.url("settings" if election.statement is None else "tally"),
        kind="primary",
        do=lambda _: page.service.lifecycle.share_result(user, election.name, is_public=turn_on),
        done="Everyone with the link can see it." if turn_on else "It is private again.",
    )


@router.get("/e/{name}/protocol")
def show_protocol(page: ElectionPage) -> Response:
    """Show everything that belongs into the minutes, ready to print and sign.

    All questions on a ballot are in one protocol.
    """
    service = page.service
    questions = service.context.book.questions(page.election)
    closed = [service.results.close_if_due(each.name) for each in questions]
    if any(each.statement is None for each in closed):
        return page.redirect(page.url("tally"), "The protocol is here after the close.")
    first = closed[0]
    launched_at = service.context.book.record(first).launched_at
    starts = [each for each in (launched_at, first.no_voting_before) if each is not None]
    return page.render(
        "protocol",
        first=first,
        title=rules.title_of(first),
        questions=[_make_minutes(page, each) for each in closed],
        opened_at=max(starts, default=None),
        has_roll=first.electorate is Electorate.ROLL,
        closed_at=rules.closed_at(first),
        too_few=rules.TOO_FEW_BALLOTS,
        results_url=page.url("tally"),
    )


def _make_minutes(page: ElectionPageContext, election: Election) -> dict[str, object]:
    """Return what the protocol says about a question; no result if too few people voted."""
    closing = get_closing(election, page.service.context.keys)
    statement = closing and closing["statement"]
    minutes: dict[str, object] = {
        "election": election,
        "texts": render_election_texts(page, page.user, election.name),
        "method": page.service.queries.method(election),
        "voted": statement and statement["ballots"],
        "digest": statement and digest(statement, domain="closing"),
        "tally": None,
    }
    if rules.is_withheld(election):
        return minutes
    count = load_count(page.service, page.user, election.name)
    tally, result = count.tally, count.tally.result
    return minutes | {
        "tally": tally,
        "headline": count.headline,
        "chart": make_chart(result),
        "rounds": round_table(result) if isinstance(result, RunoffResult | StvResult) else None,
        "decision": results_view.describe_decision(result, tally.method.title)
        if tally.elected
        else "",
    }
