"""Voting codes: issue, list, print as cards, and download as CSV.

The list shows which codes were used, but never links to a vote: knowing a code does
not prove to be the voter (see `Voter.proof`).
"""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from markupsafe import Markup
from pydantic import BaseModel, Field

from ranked_ballots import pluralize
from singletable_apps.polls.entities import Protection
from singletable_apps.polls.errors import InvalidInput
from singletable_apps.polls.pages.dependencies import CurrentSite, PollsState
from singletable_apps.polls.pages.manage import (
    CurrentManagedPoll,
    current_poll,
    manage_context,
    manage_url,
)
from singletable_apps.polls.service import ManagedPoll, VotingCode
from singletable_apps.polls.urls import code_link, share_link
from singletable_apps.shared.pages import Form, PostedForm, submit_form
from singletable_apps.shared.qr import qr_svg
from singletable_apps.shared.web.downloads import download_table

router = APIRouter()
PAGE_SIZE = 100

FirstCode = Annotated[int, Query(alias="from", ge=0, le=10_000)]


class IssueFields(BaseModel):
    """How many codes to issue."""

    count: Annotated[int, Field(ge=1)]


@router.get("/p/{poll_id}/manage/codes")
def show_codes(
    request: Request, site: CurrentSite, managed: CurrentManagedPoll, first: FirstCode = 0
) -> Response:
    """List the codes and whether they were used, with a form to issue more."""
    # The revision is the number of codes, so that a form that is sent twice issues codes once.
    form = Form({"count": 20, "revision": managed.poll.codes})
    return _show_codes(request, site, managed, form, first=first)


@router.post("/p/{poll_id}/manage/codes")
def issue_codes(
    request: Request, site: CurrentSite, managed: CurrentManagedPoll, form: PostedForm
) -> Response:
    """Issue more codes; a form that is sent twice issues them once."""
    show = partial(_show_codes, request, site, managed)

    def issue(fields: IssueFields) -> Response:
        check = form.revision_check()
        site.service.codes.issue(managed.poll.id, managed.admin_key, fields.count, check=check)
        flash = f"{pluralize(fields.count, 'code')} issued."
        return site.pages.redirect(request, manage_url(managed, "codes"), flash)

    return submit_form(form, IssueFields, issue, show, rejects=(InvalidInput,))


@router.get("/p/{poll_id}/manage/codes/sheet")
def show_cards(
    request: Request, site: CurrentSite, managed: CurrentManagedPoll, first: FirstCode = 0
) -> Response:
    """Show the unused codes as cards with QR codes, to print and cut out."""
    codes = _list_codes(site, managed, first)
    return site.pages.render(
        request,
        "polls/code_cards.html",
        **manage_context(site, managed, "codes"),
        **_pager(managed, first, "sheet"),
        cards=[(code, Markup(qr_svg(link))) for code, link in codes if not code.is_used],
        has_codes=bool(codes),
        link=share_link(site.service.context.urls.public, managed.poll.id),
        back=manage_url(managed, "codes"),
    )


@router.get("/p/{poll_id}/manage/codes.csv")
def download_codes(site: CurrentSite, managed: CurrentManagedPoll) -> Response:
    """Download all codes with their links and whether they were used."""
    poll = managed.poll
    rows = [
        (
            code.code,
            code_link(site.service.context.urls.public, poll.id, code.code),
            "yes" if code.is_used else "no",
        )
        for code in site.service.codes.list_issued(poll.id, managed.admin_key)
    ]
    return download_table(["code", "link", "used"], rows, f"{poll.title} codes", "csv")


def _show_codes(
    request: Request,
    site: PollsState,
    managed: ManagedPoll,
    form: Form,
    status: int = 200,
    *,
    first: int = 0,
) -> Response:
    managed = current_poll(site, managed, form)
    return site.pages.render(
        request,
        "polls/codes.html",
        status,
        **manage_context(site, managed, "codes"),
        **_pager(managed, first),
        uses_codes=managed.poll.protection is Protection.CODES,
        form=form,
        codes=_list_codes(site, managed, first),
        here=manage_url(managed, "codes"),
        edit=manage_url(managed, "edit"),
    )


def _list_codes(site: PollsState, managed: ManagedPoll, first: int) -> list[tuple[VotingCode, str]]:
    """Return a page of codes, each with its link."""
    codes = site.service.codes.list_issued(
        managed.poll.id, managed.admin_key, first=first, size=PAGE_SIZE
    )
    public = site.service.context.urls.public
    return [(code, code_link(public, managed.poll.id, code.code)) for code in codes]


def _pager(managed: ManagedPoll, first: int, *parts: str) -> dict[str, object]:
    last = min(first + PAGE_SIZE, managed.poll.codes)
    here = manage_url(managed, "codes", *parts)
    return {
        "shown": f"{first + 1:,} to {last:,} of {managed.poll.codes:,}" if last > first else "",
        "next": f"{here}?from={last}" if last < managed.poll.codes else "",
        "first": here if first else "",
    }
