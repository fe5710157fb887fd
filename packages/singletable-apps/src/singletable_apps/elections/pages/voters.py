"""Who can vote in an election: everyone, a list of people, or a roll."""

from __future__ import annotations

from itertools import islice
from typing import Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel

from singletable_apps.elections.entities import Electorate, is_account
from singletable_apps.elections.pages.candidates import split_lines
from singletable_apps.elections.pages.dependencies import ElectionPage
from singletable_apps.elections.pages.roll import render_roll, use_roll
from singletable_apps.elections.roles import Permission
from singletable_apps.elections.rules.elections import check_set_voters
from singletable_apps.elections.rules.names import fold_name
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.pages import FORM_METHODS, Form, ListQueryParameters, PostedForm

router = APIRouter()
VOTERS_PER_PAGE = 100
# With more people than this, voters are typed instead of ticked.
MOST_OFFERED = 200
WHO_CAN_VOTE = (
    (
        "everybody",
        "All registered voters",
        "Includes everyone who registers while voting is open.",
    ),
    ("listed", "Only people on a list", "Registered people, by name. No one else can vote."),
    (
        "roll",
        "People on a roll, without accounts",
        "Members by name and e-mail address. Each gets a personal link or a printed card.",
    ),
)


@router.get("/e/{name}/voters")
def show_voters(page: ElectionPage, query: ListQueryParameters) -> Response:
    """Show the voter list or the roll, or that all registered voters can vote."""
    if page.election.joint_with is not None:
        return page.redirect(page.question_url(page.first_question, "voters"))
    if page.election.electorate is Electorate.ROLL:
        return render_roll(page, query)
    election, next_cursor, shown = page.election, None, ""
    if text := fold_name(query.search):
        matches = (name for name in _listed(page) if text in fold_name(name))
        names = list(islice(matches, VOTERS_PER_PAGE))
        if len(names) == VOTERS_PER_PAGE:
            shown = f"The first {VOTERS_PER_PAGE} matches. Type more of the name to see fewer."
    else:
        voters, next_cursor = page.service.queries.voters(
            page.user, election.name, VOTERS_PER_PAGE, query.cursor
        )
        names = [voter.voter_name for voter in voters]
    [participation] = page.service.queries.participation(page.user, [election])
    return page.render_tab(
        "voters",
        "voters",
        voters=query.page(names, next_cursor, shown=shown),
        can_vote=participation.may_vote,
        can_edit=page.is_manager and election.allow_edit,
        is_manager=page.is_manager,
    )


class VoterListForm(BaseModel):
    """Everyone, or people who are ticked or named, one per line."""

    who: Literal["everybody", "listed", "roll"]
    chosen: list[str] = []
    voters: str = ""


@router.api_route("/e/{name}/voters/list", methods=FORM_METHODS)
def edit_voter_list(page: ElectionPage, form: PostedForm) -> Response:
    """Choose who can vote: tick people, or type names if there are many."""
    check_set_voters(page.user, page.election)
    names, more = page.service.queries.user_names(
        page.user, MOST_OFFERED, permission=Permission.VOTE
    )
    offered, listed = [] if more else names, _listed(page)

    def act(values: VoterListForm) -> Response:
        if values.who == "roll":
            return use_roll(page, form)
        by_name = {fold_name(each): each for each in (*values.chosen, *split_lines(values.voters))}
        if values.who == "listed" and not by_name:
            message = "Add at least one voter, or choose “All registered voters”."
            raise InvalidInput({"voters": message})
        names = [*by_name.values()] if values.who == "listed" else []
        return page.redirect(page.url("voters"), _save_voters(page, names, form))

    def initial() -> Form:
        who = "listed" if page.election.voter_count else "everybody"
        who = "roll" if page.election.electorate is Electorate.ROLL else who
        ticked = [each for each in listed if each in offered]
        voters = "\n".join(each for each in listed if each not in offered)
        revision = page.election.revision
        return Form({"who": who, "chosen": ticked, "voters": voters, "revision": revision})

    def show(form: Form, status: int) -> Response:
        return page.render_tab(
            "voters_list",
            "voters",
            status,
            form=form,
            who_can_vote=WHO_CAN_VOTE,
            offered=[(each, each) for each in offered],
            listed_now=listed if form.conflict else [],
        )

    return page.fill(form, initial, VoterListForm, act, show, field="voters")


def _listed(page: ElectionPage) -> list[str]:
    voters = page.service.context.read.list_voters(page.election.name)
    return [voter.voter_name for voter in voters if is_account(voter.voter_name)]


def _save_voters(page: ElectionPage, names: list[str], form: Form) -> str:
    """Save the voter list, and return a message that says who can vote now."""
    edited = page.service.lifecycle.set_voters(
        page.user, page.election.name, names, form.revision_check()
    )
    if not edited.voter_count:
        return "Saved. All registered voters can vote."
    people = "1 person" if edited.voter_count == 1 else f"{edited.voter_count:,} people"
    return f"Saved. {people} can vote."
