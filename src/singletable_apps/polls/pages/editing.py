"""Editing a poll: everything while nobody has voted, and then all that no vote depends on."""

from __future__ import annotations

from fastapi import Request, Response

from singletable_apps.polls.errors import Settled
from singletable_apps.polls.pages.basing import STATUS, ChangedMeanwhile, based_on, on
from singletable_apps.polls.pages.closing_times import CLOSINGS
from singletable_apps.polls.pages.managed import ThisOwn, framed, manage_address
from singletable_apps.polls.pages.poll_choices import PROTECTIONS, RESULTS
from singletable_apps.polls.pages.poll_form import (
    drafted,
    form_of,
    rows_of,
)
from singletable_apps.polls.pages.site import Site, ThisSite
from singletable_apps.polls.pages.visiting import page_router
from singletable_apps.polls.rules import draft_of
from singletable_apps.polls.service import Own
from singletable_apps.polls.words import PROTECTION_WORDS
from singletable_apps.shared.pages import Form, Typed

router = page_router()


@router.get("/p/{poll_id}/manage/edit")
def show_form(request: Request, site: ThisSite, own: ThisOwn) -> Response:
    """The poll as a form."""
    return _page(request, site, own, form_of(draft_of(own.poll), own.poll.revision))


@router.post("/p/{poll_id}/manage/edit")
def edit(request: Request, site: ThisSite, own: ThisOwn, form: Typed) -> Response:
    """Keep what was typed, or show it again with what is wrong, or with what came in between."""
    if form.value("more"):
        return _page(request, site, own, form, more=True)
    draft = drafted(form, site.polls.desk.clock(), draft_of(own.poll))
    if isinstance(draft, Form):
        return _page(request, site, own, draft, 422)
    try:
        site.polls.changing.change(
            own.poll.id, own.admin_key, lambda _: draft, basis=based_on(form)
        )
    except Settled as refusal:
        return _page(request, site, own, form.refused(str(refusal)), 409)
    except ChangedMeanwhile:
        now = Own(site.polls.desk.poll(own.poll.id), own.admin_key)
        form = on(form, now.poll.revision)
        return _page(request, site, now, form, STATUS, meanwhile=True)
    return site.pages.redirect(manage_address(own), "Saved.")


def _page(
    request: Request,
    site: Site,
    own: Own,
    form: Form,
    status: int = 200,
    *,
    more: bool = False,
    meanwhile: bool = False,
) -> Response:
    return site.pages.page(
        request,
        "polls/edit.html",
        status,
        **framed(site, own, "edit"),
        form=form,
        rows=rows_of(form, more=more),
        results=RESULTS,
        protections=PROTECTIONS,
        closings=CLOSINGS,
        votes=site.polls.counting.tally(own.poll).votes,
        protection=PROTECTION_WORDS[own.poll.protection],
        meanwhile=meanwhile,
    )
