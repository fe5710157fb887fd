"""Making a poll, anew or like another, and what its maker is given."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from singletable_apps.polls.errors import Invalid
from singletable_apps.polls.pages.dependencies import Browser, count, known
from singletable_apps.polls.pages.poll_form import (
    CLOSINGS,
    PROTECTIONS,
    RESULTS,
    blank_form,
    drafted,
    faults_in,
    form_of,
    rows_of,
)
from singletable_apps.polls.pages.site import Site, ThisSite
from singletable_apps.polls.rules import draft_like
from singletable_apps.polls.urls import poll_url
from singletable_apps.shared.pages import Form, PostedForm

router = APIRouter()


@router.get("/new")
def ask(
    request: Request,
    site: ThisSite,
    like: Annotated[str, Query(alias="from", max_length=100)] = "",
) -> Response:
    """The form; filled in as another poll is, if one is named."""
    if not like:
        return _page(request, site, blank_form())
    context = site.polls.context
    draft = draft_like(context.poll(like), context.clock())
    return _page(request, site, form_of(draft), copied=draft.title)


@router.post("/new")
def make(request: Request, site: ThisSite, browser: Browser, form: PostedForm) -> Response:
    """Make it, or show the form again with all that is wrong."""
    if form.value("more"):
        return _page(request, site, form, more=True)
    count(request, site.settings.limits.make)
    now = site.polls.context.clock()
    draft = drafted(form, now)
    if isinstance(draft, Form):
        return _page(request, site, draft, 422)
    try:
        own = site.polls.making.make(draft, known(request, browser))
    except Invalid as refusal:  # its time was up at that very moment
        return _page(request, site, form.with_errors(**faults_in(refusal, draft, now)), 422)
    return site.pages.redirect(request, poll_url(own.poll.id, "made"))


def _page(
    request: Request,
    site: Site,
    form: Form,
    status: int = 200,
    *,
    more: bool = False,
    copied: str = "",
) -> Response:
    return site.pages.render(
        request,
        "polls/new.html",
        status,
        form=form,
        rows=rows_of(form, more=more),
        results=RESULTS,
        protections=PROTECTIONS,
        closings=CLOSINGS,
        copied=copied,
    )
