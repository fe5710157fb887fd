"""Set up an election in steps: the counting method, and the review with a test ballot."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from ranked_ballots import join_names
from singletable_apps.elections.changes import list_choices
from singletable_apps.elections.entities import CandidateOrder, Election, State
from singletable_apps.elections.errors import WrongState
from singletable_apps.elections.pages.ballot import (
    casting_notice,
    make_ballot,
    read_marks,
    render_own_ranking,
)
from singletable_apps.elections.pages.dependencies import ElectionPage
from singletable_apps.elections.pages.roll import count_people
from singletable_apps.elections.pages.settings import BALLOT_DESCRIPTIONS, describe_publication
from singletable_apps.elections.pages.texts import render_texts
from singletable_apps.elections.rules.elections import (
    check_edit_settings,
    check_launch,
    check_manager,
    state_of,
)
from singletable_apps.elections.rules.methods import (
    MAX_SEATS,
    METHODS,
    NONE_OF_THESE,
    TIE_BREAK,
    check_marks,
    check_quorum,
    method_of,
)
from singletable_apps.elections.rules.voting import parse_ranking
from singletable_apps.elections.service.lifecycle import ElectionEdit
from singletable_apps.elections.service.queries import Turnout
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.pages import (
    FORM_METHODS,
    Form,
    PostedForm,
)

router = APIRouter()
METHOD_CHOICES = [
    (method.key, method.title, f"{method.summary} {method.tie}") for method in METHODS.values()
]


class MethodForm(BaseModel):
    """How ballots are counted, and what they offer."""

    method: str
    seats: Annotated[int, Field(ge=1, le=MAX_SEATS)] = 1
    shuffle: bool = False
    none_of_these: bool = False
    quorum: str = ""
    go: Literal["", "next"] = ""

    def changes(self, election: Election) -> ElectionEdit:
        """Return the changes. An older election that shuffles keeps its own kind of order."""
        order = CandidateOrder.SHUFFLED if self.shuffle else CandidateOrder.ENTERED
        if self.shuffle and election.order is CandidateOrder.BY_NAME:
            order = CandidateOrder.BY_NAME
        return ElectionEdit(
            method=self.method,
            seats=self.seats,
            order=order,
            none_of_these=self.none_of_these,
            quorum=election.quorum if election.joint_with else self.quorum,
        )


@router.api_route("/e/{name}/method", methods=FORM_METHODS)
def choose_method(page: ElectionPage, form: PostedForm) -> Response:
    """Show the method; the owner can choose another one until the launch."""
    election = page.election
    if page.request.method == "POST":
        check_edit_settings(page.user, election)

    def act(values: MethodForm) -> Response:
        changes = values.changes(election)
        page.service.lifecycle.edit(page.user, election.name, changes, form.revision_check())
        next_step = "review" if values.go else "method"
        return page.redirect(page.url(next_step), "Counting saved.")

    initial = Form(
        {
            "method": election.method,
            "seats": election.seats,
            "shuffle": election.order is not CandidateOrder.ENTERED,
            "none_of_these": election.none_of_these,
            "quorum": election.quorum,
            "revision": election.revision,
        }
    )
    return page.fill(form, initial, MethodForm, act, partial(_show_method, page))


def _show_method(page: ElectionPage, form: Form, status: int = 200) -> Response:
    page = page.reread() if form.conflict else page
    return page.render_tab(
        "method",
        "settings" if page.is_manager else "",
        status,
        form=form,
        can_edit=page.is_manager and state_of(page.election) is State.SETUP,
        choices=METHOD_CHOICES,
        tie_break=TIE_BREAK,
        none_of_these=NONE_OF_THESE,
        facts=describe_rules(page.election),
    )


def describe_rules(election: Election, turnout: Turnout | None = None) -> list[tuple[str, str]]:
    """Return the rules of the count, for people to read; with a turnout, the quorum in numbers."""
    method = method_of(election)
    facts = [("Method", f"{method.title}. {method.summary}"), ("In a tie", method.ties)]
    if method.has_seats:
        facts.append(("Seats", f"{election.seats:,}"))
    if election.quorum:
        facts.append(("Quorum", describe_quorum(election, turnout)))
    if election.none_of_these:
        line = f"Ballots offer “{NONE_OF_THESE}”. It can’t win; candidates below it don’t count."
        facts.append((NONE_OF_THESE, line))
    return facts


def describe_quorum(election: Election, turnout: Turnout | None) -> str:
    """Return the quorum as a sentence, and whether it is reached while voting is open."""
    quorum, reached = election.quorum, ""
    who = f"{quorum} of the voters" if quorum.endswith("%") else f"{int(quorum):,} voters"
    if turnout is not None and turnout.eligible:
        check = check_quorum(quorum, turnout.voted, turnout.eligible)
        who += f" ({check.needed:,} of {turnout.eligible:,})"
        if election.allow_vote:
            state = "It is reached" if check.is_valid else "It is not reached yet"
            reached = f" {state}: {turnout.voted:,} of the {check.needed:,} needed have voted."
    return f"The result is valid if at least {who} cast a ballot; blank ones count.{reached}"


@router.api_route("/e/{name}/review", methods=FORM_METHODS)
def review_election(page: ElectionPage, form: PostedForm) -> Response:
    """Show everything once more, with a ballot to try that casts nothing."""
    check_manager(page.user, page.election)
    if state_of(page.election) is not State.SETUP:
        return page.redirect(page.url())
    if page.request.method == "GET":
        return _show_review(page, {})
    marks = read_marks(form)
    try:
        ranks = {**dict.fromkeys(_choices(page)), **marks.ranks}
        ranking = parse_ranking([*ranks.items()], _choices(page))
        check_marks(ranking, method_of(page.election))
    except InvalidInput as error:
        return _show_review(page, marks.texts, 422, error=str(error))
    unranked = [name for name in _choices(page) if name not in ranking.names]
    return _show_review(page, marks.texts, tried=render_own_ranking(ranking.levels, unranked))


def _choices(page: ElectionPage) -> list[str]:
    candidates = page.service.queries.candidates(page.user, page.election.name)
    return list_choices(page.election, [each.candidate_name for each in candidates])


def _show_review(
    page: ElectionPage, texts: Mapping[str, str], status: int = 200, **shown: object
) -> Response:
    election, context = page.election, page.service.context
    queries, questions, problem = page.service.queries, context.book.questions(election), ""
    turnout = queries.turnout(page.user, election.name)
    try:
        check_launch(page.user, election, context.clock(), others=questions[1:])
    except WrongState as error:
        problem = str(error)
    choices = _choices(page)
    return page.render_tab(
        "review",
        "settings",
        status,
        facts=[
            ("Voters", count_people(turnout.eligible)),
            *describe_rules(election, turnout),
            ("Ballots", BALLOT_DESCRIPTIONS[election.secret_ballot]),
            ("Published", describe_publication(election)),
        ],
        on_ballot=[
            (
                each.name,
                join_names([one.candidate_name for one in queries.candidates(page.user, each.name)])
                or "No candidates yet",
                describe_rules(each)[0][1],
                page.question_url(each, "review"),
            )
            for each in questions
        ],
        problem=problem,
        method=method_of(election),
        texts=render_texts(page),
        ballot_form=make_ballot(election, choices, texts, page.url("review"), casting_notice(page))
        if choices
        else "",
        **{"tried": "", "error": "", "first": page.first_question, **shown},
    )
