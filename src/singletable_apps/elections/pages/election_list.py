"""The list of elections, and making another."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response

from singletable_apps.elections.errors import AlreadyTaken, InvalidInput
from singletable_apps.elections.pages.dependencies import Viewer, standing_of
from singletable_apps.elections.pages.settings import BALLOTS, PUBLICATIONS, USUAL, TypedElection
from singletable_apps.elections.pages.site import ThisSite
from singletable_apps.elections.pages.urls import url
from singletable_apps.elections.rules.elections import check_create_election
from singletable_apps.shared.pages import Form, Link, PostedForm, request_time_zone

router = APIRouter()
SIZE = 25


@router.get("/all")
def list_elections(
    request: Request,
    site: ThisSite,
    user: Viewer,
    whose: Literal["all", "mine"] = "all",
    cursor: Annotated[str | None, Query(max_length=4000)] = None,
) -> Response:
    """All elections, or one's own, by name."""
    queries = site.elections.queries
    if whose == "mine":
        found, following = queries.elections_of(user, user.name, SIZE, cursor)
    else:
        page = queries.elections(user, SIZE, cursor)
        found, following = page.items, page.cursor
    now = site.elections.context.clock()
    parts = site.elections.queries.participation(user, found)
    rows = [
        (election, standing_of(election, now), part)
        for election, part in zip(found, parts, strict=True)
    ]
    here = url("all")
    first = here if whose == "all" else f"{here}?whose=mine"
    return site.pages.render(
        request,
        "elections/all.html",
        rows=rows,
        whose=whose,
        counts=queries.counts(user),
        user=user,
        tabs=[
            Link("All", here, whose == "all"),
            Link("Mine", f"{here}?whose=mine", whose == "mine"),
        ],
        next=f"{here}?{urlencode({'whose': whose, 'cursor': following})}" if following else "",
        first=first if cursor else "",
    )


@router.get("/new")
def ask_for_an_election(request: Request, site: ThisSite, user: Viewer) -> Response:
    """The form."""
    check_create_election(user)
    form = Form({"ballot": "secret", "publication": USUAL}, zone=request_time_zone(request))
    return _form(request, site, form)


@router.post("/new")
def create_election(request: Request, site: ThisSite, user: Viewer, form: PostedForm) -> Response:
    """An election to be set up; its candidates are next."""
    check_create_election(user)
    typed = form.validate(TypedElection)
    if isinstance(typed, Form):
        return _form(request, site, typed, 422)
    try:
        made = site.elections.lifecycle.create(user, typed.name, typed.terms())
    except (InvalidInput, AlreadyTaken) as refusal:
        return _form(request, site, form.with_errors(**{refusal.field or "": str(refusal)}), 422)
    return site.pages.redirect(
        request, url("e", made.name, "candidates"), f"“{made.name}” is there. Who can be voted for?"
    )


def _form(request: Request, site: ThisSite, form: Form, status: int = 200) -> Response:
    return site.pages.render(
        request,
        "elections/new.html",
        status,
        form=form,
        ballots=BALLOTS,
        publications=PUBLICATIONS,
    )
