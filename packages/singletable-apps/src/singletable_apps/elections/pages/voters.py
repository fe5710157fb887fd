"""Who can vote in an election: everyone, a list that is chosen or pasted, or a roll."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import Annotated, Literal, TypeAlias

from fastapi import APIRouter, Query, Response
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
SearchText: TypeAlias = Annotated[str, Query(max_length=200)]
Cursor: TypeAlias = Annotated[str | None, Query(max_length=4000)]
VOTERS_PER_PAGE = 100
PEOPLE_PER_PAGE = 50
# A search stops after this many registered people.
MOST_SEARCHED = 5_000
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
    """Everyone, or names with one per line."""

    who: Literal["everybody", "listed", "roll"]
    voters: str = ""


@router.api_route("/e/{name}/voters/list", methods=FORM_METHODS)
def edit_voter_list(page: ElectionPage, form: PostedForm) -> Response:
    """Change the voter list as text."""
    check_set_voters(page.user, page.election)

    def act(values: VoterListForm) -> Response:
        if values.who == "roll":
            return use_roll(page, form)
        names = split_lines(values.voters) if values.who == "listed" else []
        if values.who == "listed" and not names:
            message = "Add at least one voter, or choose “All registered voters”."
            raise InvalidInput({"voters": message})
        return page.redirect(page.url("voters"), _save_voters(page, names, form))

    def initial() -> Form:
        who = "listed" if page.election.voter_count else "everybody"
        who = "roll" if page.election.electorate is Electorate.ROLL else who
        voters = "\n".join(_listed(page))
        return Form({"who": who, "voters": voters, "revision": page.election.revision})

    show = partial(_show_list_form, page)
    return page.fill(form, initial, VoterListForm, act, show, field="voters")


def _show_list_form(page: ElectionPage, form: Form, status: int = 200) -> Response:
    return page.render_tab(
        "voters_list",
        "voters",
        status,
        form=form,
        who_can_vote=WHO_CAN_VOTE,
        listed_now=_listed(page) if form.conflict else [],
    )


class ChosenVotersForm(BaseModel):
    """The people on the page and those of them who are ticked; then where to go from here."""

    shown: list[str]
    chosen: list[str]
    search: str = ""
    go: Literal["done", "next", "first", "search"] = "done"


@router.api_route("/e/{name}/voters/choose", methods=FORM_METHODS)
def choose_voters(
    page: ElectionPage, form: PostedForm, q: SearchText = "", cursor: Cursor = None
) -> Response:
    """Show registered people who can vote, to tick, page by page.

    Every button saves the ticks of this page, then goes where it says.
    """
    check_set_voters(page.user, page.election)

    def act(values: ChosenVotersForm) -> Response:
        listed = _listed(page)
        kept = [name for name in listed if name not in values.shown or name in values.chosen]
        names = [*kept, *(name for name in values.chosen if name not in listed)]
        if listed and not names:
            message = (
                "No one would be left on the list, and then everyone could vote. If you want "
                "that, choose “All registered voters” under “Edit as text”."
            )
            raise InvalidInput({"chosen": message})
        message = _save_voters(page, names, form)
        if values.go == "done":
            return page.redirect(page.url("voters"), message)
        text, position = (values.search, None) if values.go == "search" else (q, None)
        if values.go == "next":
            _, position = _find_people(page, q, cursor)
        target = _page_url(page, "voters", "choose", q=text.strip()[:200], cursor=position)
        return page.redirect(target, message)

    show = partial(_show_choice, page, q, cursor)
    initial = Form({"revision": page.election.revision})
    return page.fill(form, initial, ChosenVotersForm, act, show, field="chosen")


def _show_choice(
    page: ElectionPage, q: str, cursor: str | None, form: Form, status: int = 200
) -> Response:
    names, next_cursor = _find_people(page, q, cursor)
    listed = set(_listed(page))
    ticked = set(form.selected("chosen")) if "shown" in form.values else listed
    return page.render_tab(
        "voters_choose",
        "voters",
        status,
        form=form,
        people=[(name, name in ticked, name in listed) for name in names],
        q=q,
        form_url=_page_url(page, "voters", "choose", q=q, cursor=cursor),
        has_next=next_cursor is not None,
        has_first=cursor is not None,
    )


def _find_people(page: ElectionPage, q: str, cursor: str | None) -> tuple[list[str], str | None]:
    """Return a page of the registered people who can vote, or the first that match `q`."""
    queries, text = page.service.queries, fold_name(q.strip())
    if not text:
        return queries.user_names(page.user, PEOPLE_PER_PAGE, cursor, permission=Permission.VOTE)
    matches: list[str] = []
    position: str | None = None
    for _ in range(0, MOST_SEARCHED, 500):
        names, position = queries.user_names(page.user, 500, position, permission=Permission.VOTE)
        matches += [name for name in names if text in fold_name(name)]
        if position is None or len(matches) >= PEOPLE_PER_PAGE:
            break
    return matches[:PEOPLE_PER_PAGE], None


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


def _page_url(page: ElectionPage, *parts: str, q: str = "", cursor: str | None = None) -> str:
    query = {name: value for name, value in (("q", q), ("cursor", cursor)) if value}
    return page.url(*parts, **query)
