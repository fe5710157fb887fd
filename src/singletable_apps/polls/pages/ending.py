"""Closing a poll, and deleting it: each is asked for once more."""

from __future__ import annotations

from fastapi import Request, Response

from singletable_apps.polls.pages.addresses import address
from singletable_apps.polls.pages.basing import MEANWHILE, STATUS, ChangedMeanwhile, based_on
from singletable_apps.polls.pages.managed import LeavingOwn, ThisOwn, manage_address
from singletable_apps.polls.pages.site import Site, ThisSite
from singletable_apps.polls.pages.visiting import page_router
from singletable_apps.polls.rules import is_open
from singletable_apps.polls.service import Own
from singletable_apps.shared.pages import Typed

router = page_router()


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


@router.get("/p/{poll_id}/manage/delete")
def ask_to_delete(request: Request, site: ThisSite, own: ThisOwn) -> Response:
    """Whether it shall go, with how many votes."""
    return _ask_to_delete(request, site, own)


@router.post("/p/{poll_id}/manage/delete")
def delete(request: Request, site: ThisSite, own: LeavingOwn, form: Typed) -> Response:
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
        words=f"{before}Nobody can vote in “{own.poll.title}”, or change a vote, afterwards; and "
        "everybody who has the link sees the results. You can open it again.",
        to=manage_address(own, "close"),
        button="Close it",
        back=manage_address(own),
        kind="primary",
        fields={"revision": own.poll.revision},
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
