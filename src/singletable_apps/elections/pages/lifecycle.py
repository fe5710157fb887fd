"""The course of an election: launched, fixed, closed, deleted; each asked for once more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from singletable_apps.elections.entities import Election, State, User
from singletable_apps.elections.errors import InvalidInput, WrongState
from singletable_apps.elections.pages.dependencies import (
    CurrentElection,
    Viewer,
    check_settles,
    election_context,
    is_owner,
)
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.urls import election_url, url
from singletable_apps.elections.rules.elections import (
    check_close,
    check_delete,
    check_launch,
    check_lock,
    state_of,
)
from singletable_apps.shared.pages import Form, PostedForm, RevisionConflict

# (value, name, what it means)
LAUNCHES = (
    (
        "fixed",
        "Fixed",
        "Candidates, voters and the name are final from now on, and so is every ballot the moment "
        "it is cast: nobody can change or withdraw it.",
    ),
    (
        "editable",
        "Editable",
        "You may still change candidates, voters and the name, and voters may change or withdraw "
        "their ballots. You can fix it later.",
    ),
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question: its step in the address, what follows from yes, and how yes is said."""

    step: str
    title: str
    words: str
    follows: tuple[str, ...]
    undone: str
    button: str
    kind: str = "primary"
    back: str = ""


def launching(election: Election) -> Question:
    """Before voting begins."""
    who = (
        f"The {election.voter_count:,} on the list of voters"
        if election.voter_count
        else "Everybody whose role lets them vote"
    )
    when = "from its opening on" if election.no_voting_before else "at once"
    return Question(
        "launch",
        f"Launch “{election.name}”?",
        f"{who} can vote {when}, on {election.candidate_count} candidates.",
        (
            f"It stays {'a secret' if election.secret_ballot else 'an open'} ballot, and what is "
            "published at the end stays as it is settled.",
            "A secret that will order ties is chosen now, and its digest published: nobody can "
            "pick it to suit the result.",
        ),
        "It can not go back into preparation.",
        "Launch",
    )


def fixing(election: Election) -> Question:
    """Before edits end."""
    return Question(
        "fix",
        "End all changes?",
        f"“{election.name}” goes on, and accepts votes as before.",
        (
            "Candidates, voters and the name stay as they are now.",
            "Ballots that were cast are final; who has not voted yet casts one, and that is final.",
        ),
        "It can not become editable again.",
        "Fix it",
        back="settings",
    )


def finalizing(election: Election) -> Question:
    """Before the end."""
    return Question(
        "finalize",
        f"Close “{election.name}” for ever?",
        "Voting ends now, for everybody.",
        (
            "All ballots are counted, and the result is there for everybody to see.",
            "How many ballots there are, and a fingerprint of each, is signed: no ballot can be "
            "added, changed or left out afterwards without everybody noticing.",
        ),
        "It can not be opened again.",
        "Close and sign",
        "danger",
    )


def deleting(election: Election) -> Question:
    """Before it is gone."""
    lost = ["Its candidates, its list of voters, and what is settled about it."]
    match state_of(election):
        case State.SETUP:
            pass
        case State.CLOSED:
            lost.append(
                "Its result, its signed end, and every ballot: receipts can not be checked here "
                "any more."
            )
        case State.EDITABLE | State.FIXED:
            lost.append("Every ballot that was cast; people are voting in it right now.")
    return Question(
        "delete",
        f"Delete “{election.name}”?",
        "This will be gone:",
        tuple(lost),
        "It can not be brought back. That it was here stays in the log of events.",
        "Delete it",
        "danger",
        back="settings",
    )


router = APIRouter()


class TypedLaunch(BaseModel):
    """How it is to be launched."""

    how: Literal["editable", "fixed"]


@router.get("/e/{name}/launch")
def ask_to_launch(
    request: Request, site: ThisSite, user: Viewer, election: CurrentElection
) -> Response:
    """What the launch settles, and the choice that is left."""
    check_launch(user, election, site.elections.context.clock())
    return _ask(request, site, user, election, launching(election), _form(election))


@router.post("/e/{name}/launch")
def launch(
    request: Request, site: ThisSite, user: Viewer, election: CurrentElection, form: PostedForm
) -> Response:
    """Let voting begin."""
    check_launch(user, election, site.elections.context.clock())
    typed = form.validate(TypedLaunch)
    if isinstance(typed, Form):
        return _ask(request, site, user, election, launching(election), typed, 422)
    try:
        launched = site.elections.lifecycle.launch(
            user, election.name, allow_edit=typed.how == "editable", basis=form.revision_check()
        )
    except RevisionConflict:
        return _changed(request, site, user, election, launching(election), form)
    return site.pages.redirect(request, election_url(launched), f"“{launched.name}” is launched.")


@router.get("/e/{name}/fix")
def ask_to_fix(
    request: Request, site: ThisSite, user: Viewer, election: CurrentElection
) -> Response:
    """What will not change any more."""
    check_lock(user, election)
    return _ask(request, site, user, election, fixing(election), _form(election))


@router.post("/e/{name}/fix")
def fix(
    request: Request, site: ThisSite, user: Viewer, election: CurrentElection, form: PostedForm
) -> Response:
    """Let nothing be edited any more."""
    try:
        site.elections.lifecycle.lock(user, election.name, form.revision_check())
    except RevisionConflict:
        return _changed(request, site, user, election, fixing(election), form)
    return site.pages.redirect(request, election_url(election), "Nothing can be edited any more.")


@router.get("/e/{name}/finalize")
def ask_to_finalize(
    request: Request, site: ThisSite, user: Viewer, election: CurrentElection
) -> Response:
    """What the end means."""
    check_close(user, election, site.elections.context.clock())
    return _ask(request, site, user, election, finalizing(election), _form(election))


@router.post("/e/{name}/finalize")
def finalize(
    request: Request, site: ThisSite, user: Viewer, election: CurrentElection, form: PostedForm
) -> Response:
    """Close it, and sign with which ballots."""
    try:
        site.elections.lifecycle.close(user, election.name, form.revision_check())
    except RevisionConflict:
        return _changed(request, site, user, election, finalizing(election), form)
    return site.pages.redirect(
        request, election_url(election), f"“{election.name}” is closed, and its end is signed."
    )


@router.get("/e/{name}/delete")
def ask_to_delete(
    request: Request, site: ThisSite, user: Viewer, election: CurrentElection
) -> Response:
    """What will be lost."""
    check_delete(user, election)
    return _ask(request, site, user, election, deleting(election), _form(election))


@router.post("/e/{name}/delete")
def delete(
    request: Request, site: ThisSite, user: Viewer, election: CurrentElection, form: PostedForm
) -> Response:
    """Remove it with all that is in it."""
    try:
        site.elections.lifecycle.delete(user, election.name, form.revision_check())
    except RevisionConflict:
        return _changed(request, site, user, election, deleting(election), form)
    return site.pages.redirect(request, url("all"), f"“{election.name}” is deleted.")


def _form(election: Election) -> Form:
    return Form({"revision": str(election.revision)})


def _changed(
    request: Request, site: Site, user: User, election: Election, question: Question, form: Form
) -> Response:
    """The question again, about what there is now."""
    return _ask(
        request,
        site,
        user,
        election,
        question,
        form.rebased(election.revision),
        412,
        meanwhile=True,
    )


def _ask(
    request: Request,
    site: Site,
    user: User,
    election: Election,
    question: Question,
    form: Form,
    status: int = 200,
    *,
    meanwhile: bool = False,
) -> Response:
    return site.pages.render(
        request,
        "elections/asking.html",
        status,
        **election_context(site, election, user, ""),
        question=question,
        form=form,
        launches=LAUNCHES,
        to=election_url(election, question.step),
        back=election_url(election, question.back),
        meanwhile=meanwhile,
    )


NAMES_OFFERED = 100


class TypedOwner(BaseModel):
    """Who gets the election."""

    owner: Annotated[str, Field(min_length=1, max_length=200)]


@router.get("/e/{name}/owner")
def ask_for_an_owner(
    request: Request, site: ThisSite, user: Viewer, election: CurrentElection
) -> Response:
    """The form."""
    check_settles(user, election)
    return _owner(request, site, user, election, Form({"revision": str(election.revision)}))


@router.post("/e/{name}/owner")
def transfer(
    request: Request, site: ThisSite, user: Viewer, election: CurrentElection, form: PostedForm
) -> Response:
    """Make it somebody else's."""
    check_settles(user, election)
    typed = form.validate(TypedOwner)
    if isinstance(typed, Form):
        return _owner(request, site, user, election, typed, 422)
    try:
        given = site.elections.lifecycle.transfer(
            user, election.name, typed.owner.strip(), form.revision_check()
        )
    except (InvalidInput, WrongState) as refusal:
        form = form.with_errors(owner=str(refusal))
        return _owner(request, site, user, election, form, 422)
    except RevisionConflict:
        now = site.elections.results.close_if_due(election.name)
        form = form.rebased(now.revision)
        return _owner(request, site, user, now, form, 412, meanwhile=True)
    return site.pages.redirect(
        request, election_url(given), f"“{given.name}” is {given.owner_name}'s now."
    )


def _owner(
    request: Request,
    site: Site,
    user: User,
    election: Election,
    form: Form,
    status: int = 200,
    *,
    meanwhile: bool = False,
) -> Response:
    names, more = site.elections.queries.user_names(user, NAMES_OFFERED)
    return site.pages.render(
        request,
        "elections/owner.html",
        status,
        **election_context(site, election, user, "settings"),
        form=form,
        # To choose from, if that is everybody; else one types.
        names=[] if more else _choices(names, election),
        mine=is_owner(user, election),
        meanwhile=meanwhile,
    )


def _choices(names: list[str], election: Election) -> list[tuple[str, str]]:
    others = [name for name in names if name != election.owner_name]
    return [("", "Choose somebody"), *((name, name) for name in others)]
