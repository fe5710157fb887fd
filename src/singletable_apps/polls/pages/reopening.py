"""Opening a poll again, until another time."""

from __future__ import annotations

from dataclasses import replace

from fastapi import Request, Response

from singletable_apps.polls.errors import Invalid
from singletable_apps.polls.pages.basing import MEANWHILE, STATUS, ChangedMeanwhile, based_on, on
from singletable_apps.polls.pages.closing_times import CLOSINGS, read_closing
from singletable_apps.polls.pages.managed import ThisOwn, framed, manage_address
from singletable_apps.polls.pages.poll_form import faults_in
from singletable_apps.polls.pages.site import Site, ThisSite
from singletable_apps.polls.pages.visiting import page_router
from singletable_apps.polls.rules import draft_of
from singletable_apps.polls.service import Own
from singletable_apps.shared.pages import Form, Typed

router = page_router()


@router.get("/p/{poll_id}/manage/reopen")
def ask_to_reopen(request: Request, site: ThisSite, own: ThisOwn) -> Response:
    """Until when it shall take votes again."""
    form = Form({"closing": "day", "revision": str(own.poll.revision)})
    return _ask_to_reopen(request, site, own, form)


@router.post("/p/{poll_id}/manage/reopen")
def reopen(request: Request, site: ThisSite, own: ThisOwn, form: Typed) -> Response:
    """Take votes again, until another time."""
    typed = read_closing(form)
    if isinstance(typed, Form):
        return _ask_to_reopen(request, site, own, typed, 422)
    now = site.polls.desk.clock()
    draft = replace(draft_of(own.poll), expires_at=typed.moment(now))
    try:
        site.polls.changing.change(
            own.poll.id, own.admin_key, lambda _: draft, basis=based_on(form)
        )
    except Invalid as refusal:
        form = form.refused(**faults_in(refusal, draft, now))
        return _ask_to_reopen(request, site, own, form, 422)
    except ChangedMeanwhile:
        form = on(form, own.poll.revision).refused(MEANWHILE)
        return _ask_to_reopen(request, site, own, form, STATUS)
    return site.pages.redirect(manage_address(own), "The poll is open again.")


def _ask_to_reopen(
    request: Request, site: Site, own: Own, form: Form, status: int = 200
) -> Response:
    return site.pages.page(
        request,
        "polls/reopen.html",
        status,
        **framed(site, own, ""),
        form=form,
        closings=CLOSINGS,
        to=manage_address(own, "reopen"),
        back=manage_address(own),
    )
