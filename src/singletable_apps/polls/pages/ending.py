"""Closing a poll, opening it again, deleting it: each is asked for once more."""

from __future__ import annotations

from dataclasses import replace

from fastapi import Request, Response

from singletable_apps.polls.errors import Invalid
from singletable_apps.polls.pages.addresses import address
from singletable_apps.polls.pages.basing import STATUS, ChangedMeanwhile, based_on, on
from singletable_apps.polls.pages.closing_times import CLOSINGS, read_closing
from singletable_apps.polls.pages.managed import ThisOwn, framed, manage_address
from singletable_apps.polls.pages.poll_form import faults_in
from singletable_apps.polls.pages.site import Site, ThisSite
from singletable_apps.polls.pages.visiting import page_router
from singletable_apps.polls.rules import draft_of, is_open
from singletable_apps.polls.service import Own
from singletable_apps.shared.pages import Form, Typed

router = page_router()

MEANWHILE = "Somebody changed the poll meanwhile, and nothing was done. "


@router.get("/p/{poll_id}/manage/close")
def ask_to_close(request: Request, site: ThisSite, own: ThisOwn) -> Response:
    """Whether it shall take no more votes."""
    return _ask_to_close(request, site, own)


@router.post("/p/{poll_id}/manage/close")
def close(request: Request, site: ThisSite, own: ThisOwn, form: Typed) -> Response:
    """Take no more votes."""
    try:
        site.polls.changing.close(own.poll.id, own.admin_key, basis=based_on(form))
    except ChangedMeanwhile:
        return _ask_to_close(request, site, own, MEANWHILE, STATUS)
    return site.pages.redirect(manage_address(own), "The poll is closed.")


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


@router.get("/p/{poll_id}/manage/delete")
def ask_to_delete(request: Request, site: ThisSite, own: ThisOwn) -> Response:
    """Whether it shall go, with how many votes."""
    return _ask_to_delete(request, site, own)


@router.post("/p/{poll_id}/manage/delete")
def delete(request: Request, site: ThisSite, own: ThisOwn, form: Typed) -> Response:
    """Delete it with all votes."""
    try:
        site.polls.deleting.delete(own.poll.id, own.admin_key, basis=based_on(form))
    except ChangedMeanwhile:
        return _ask_to_delete(request, site, own, MEANWHILE, STATUS)
    return site.pages.redirect(address("mine"), f"“{own.poll.title}” is deleted.")


def _ask_to_close(
    request: Request, site: Site, own: Own, before: str = "", status: int = 200
) -> Response:
    if not is_open(own.poll, site.polls.desk.clock()):
        return site.pages.redirect(manage_address(own), "The poll is closed already.")
    return site.pages.page(
        request,
        "confirm.html",
        status,
        question="Close the poll now?",
        words=f"{before}Nobody can vote or change a vote afterwards, and everybody who has the "
        "link sees the results. You can open it again.",
        to=manage_address(own, "close"),
        button="Close it",
        back=manage_address(own),
        kind="primary",
        fields={"revision": own.poll.revision},
    )


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


def _ask_to_delete(
    request: Request, site: Site, own: Own, before: str = "", status: int = 200
) -> Response:
    votes = site.polls.counting.tally(own.poll).votes
    lost = f"{votes:,} votes are" if votes != 1 else "One vote is"
    return site.pages.page(
        request,
        "confirm.html",
        status,
        question="Delete the poll?",
        words=f"{before}{lost} deleted with “{own.poll.title}”, and its links lead nowhere. "
        "Nobody can bring them back.",
        to=manage_address(own, "delete"),
        button="Delete the poll",
        back=manage_address(own),
        fields={"revision": own.poll.revision},
    )
