"""The course of an election: launched, fixed, closed, deleted; each asked for once more."""

from __future__ import annotations

from typing import Literal

from fastapi import Request, Response
from pydantic import BaseModel

from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.pages.addresses import address, election_address
from singletable_apps.elections.pages.basing import ChangedMeanwhile, based_on
from singletable_apps.elections.pages.choosing import ThisElection, election_router
from singletable_apps.elections.pages.course_questions import (
    LAUNCHES,
    Question,
    deleting,
    finalizing,
    fixing,
    launching,
)
from singletable_apps.elections.pages.election_frame import framed
from singletable_apps.elections.pages.meanwhile import STATUS, on
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.visiting import Viewer
from singletable_apps.elections.rules import check_delete, check_finalise, check_fix, check_launch
from singletable_apps.shared.pages import Form, Typed

router = election_router()


class TypedLaunch(BaseModel):
    """How it is to be launched."""

    how: Literal["editable", "fixed"]


@router.get("/e/{name}/launch")
def ask_to_launch(
    request: Request, site: ThisSite, user: Viewer, election: ThisElection
) -> Response:
    """What the launch settles, and the choice that is left."""
    check_launch(user, election, site.elections.office.clock())
    return _ask(request, site, user, election, launching(election), _form(election))


@router.post("/e/{name}/launch")
def launch(
    request: Request, site: ThisSite, user: Viewer, election: ThisElection, form: Typed
) -> Response:
    """Let voting begin."""
    check_launch(user, election, site.elections.office.clock())
    typed = form.read(TypedLaunch)
    if isinstance(typed, Form):
        return _ask(request, site, user, election, launching(election), typed, 422)
    try:
        launched = site.elections.conducting.launch(
            user, election.name, allow_edit=typed.how == "editable", basis=based_on(form)
        )
    except ChangedMeanwhile:
        return _changed(request, site, user, election, launching(election), form)
    return site.pages.redirect(election_address(launched), f"“{launched.name}” is launched.")


@router.get("/e/{name}/fix")
def ask_to_fix(request: Request, site: ThisSite, user: Viewer, election: ThisElection) -> Response:
    """What will not change any more."""
    check_fix(user, election)
    return _ask(request, site, user, election, fixing(election), _form(election))


@router.post("/e/{name}/fix")
def fix(
    request: Request, site: ThisSite, user: Viewer, election: ThisElection, form: Typed
) -> Response:
    """Let nothing be edited any more."""
    try:
        site.elections.conducting.fix(user, election.name, based_on(form))
    except ChangedMeanwhile:
        return _changed(request, site, user, election, fixing(election), form)
    return site.pages.redirect(election_address(election), "Nothing can be edited any more.")


@router.get("/e/{name}/finalize")
def ask_to_finalize(
    request: Request, site: ThisSite, user: Viewer, election: ThisElection
) -> Response:
    """What the end means."""
    check_finalise(user, election, site.elections.office.clock())
    return _ask(request, site, user, election, finalizing(election), _form(election))


@router.post("/e/{name}/finalize")
def finalize(
    request: Request, site: ThisSite, user: Viewer, election: ThisElection, form: Typed
) -> Response:
    """Close it, and sign with which ballots."""
    try:
        site.elections.conducting.finalise(user, election.name, based_on(form))
    except ChangedMeanwhile:
        return _changed(request, site, user, election, finalizing(election), form)
    return site.pages.redirect(
        election_address(election), f"“{election.name}” is closed, and its end is signed."
    )


@router.get("/e/{name}/delete")
def ask_to_delete(
    request: Request, site: ThisSite, user: Viewer, election: ThisElection
) -> Response:
    """What will be lost."""
    check_delete(user, election)
    return _ask(request, site, user, election, deleting(election), _form(election))


@router.post("/e/{name}/delete")
def delete(
    request: Request, site: ThisSite, user: Viewer, election: ThisElection, form: Typed
) -> Response:
    """Remove it with all that is in it."""
    try:
        site.elections.conducting.delete(user, election.name, based_on(form))
    except ChangedMeanwhile:
        return _changed(request, site, user, election, deleting(election), form)
    return site.pages.redirect(address("all"), f"“{election.name}” is deleted.")


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
        on(form, election.revision),
        STATUS,
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
    return site.pages.page(
        request,
        "elections/asking.html",
        status,
        **framed(site, election, user, ""),
        question=question,
        form=form,
        launches=LAUNCHES,
        to=election_address(election, question.step),
        back=election_address(election, question.back),
        meanwhile=meanwhile,
    )
