"""Voting codes: issue, list, print as cards, and download as CSV.

The list shows which codes were used, but never links to a vote: knowing a code does
not prove to be the voter (see `Voter.proof`).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Response
from markupsafe import Markup
from pydantic import BaseModel, Field

from ranked_ballots import pluralize
from singletable_apps.polls.pages.manage import ManagedPage, ManagedPageContext
from singletable_apps.polls.service import VotingCode
from singletable_apps.shared.pages import FORM_METHODS, Form, Pager, PostedForm
from singletable_apps.shared.qr import qr_svg
from singletable_apps.shared.web.downloads import download_table

router = APIRouter()
PAGE_SIZE = 100

FirstCode = Annotated[int, Query(alias="from", ge=0, le=10_000)]


class IssueFields(BaseModel):
    """How many codes to issue."""

    count: Annotated[int, Field(ge=1)]


@router.api_route("/p/{poll_id}/manage/codes", methods=FORM_METHODS)
def issue_codes(page: ManagedPage, form: PostedForm, first: FirstCode = 0) -> Response:
    """List the codes and whether they were used, and issue more."""

    def issue(fields: IssueFields) -> Response:
        check = form.revision_check()
        page.service.codes.issue(page.poll.id, page.admin_key, fields.count, check=check)
        flash = f"{pluralize(fields.count, 'code')} issued."
        return page.redirect(page.manage_url("codes"), flash)

    # The revision is the number of codes, so that a form that is sent twice issues codes once.
    initial = Form({"count": 20, "revision": page.poll.codes})
    return page.fill(form, initial, IssueFields, issue, partial(_show_codes, page, first))


@router.get("/p/{poll_id}/manage/codes/sheet")
def show_cards(page: ManagedPage, first: FirstCode = 0) -> Response:
    """Show the unused codes as cards with QR codes, to print and cut out."""
    codes = _list_codes(page, first)
    cards = [
        {"title": page.poll.title, "code": code.code, "qr": Markup(qr_svg(link))}
        for code, link in codes
        if not code.is_used
    ]
    return page.render_tab(
        "code_cards",
        "codes",
        pager=replace(_pager(page, first, "sheet"), shown=""),  # used codes have no card
        cards=cards,
        has_codes=bool(codes),
        # People type it, and need no scheme for that.
        link=page.urls.share_link(page.poll.id).partition("://")[2],
    )


@router.get("/p/{poll_id}/manage/codes.csv")
def download_codes(page: ManagedPage) -> Response:
    """Download all codes with their links and whether they were used."""
    rows = [
        (code.code, page.urls.code_link(page.poll.id, code.code), "yes" if code.is_used else "no")
        for code in page.service.codes.list_issued(page.poll.id, page.admin_key)
    ]
    return download_table(["code", "link", "used"], rows, f"{page.poll.title} codes", "csv")


def _show_codes(page: ManagedPageContext, first: int, form: Form, status: int) -> Response:
    page = page.latest(form)
    return page.render_tab(
        "codes",
        "codes",
        status,
        pager=_pager(page, first),
        form=form,
        codes=_list_codes(page, first),
    )


def _list_codes(page: ManagedPageContext, first: int) -> list[tuple[VotingCode, str]]:
    """Return a page of codes, each with its link."""
    codes = page.service.codes.list_issued(
        page.poll.id, page.admin_key, first=first, size=PAGE_SIZE
    )
    return [(code, page.urls.code_link(page.poll.id, code.code)) for code in codes]


def _pager(page: ManagedPageContext, first: int, *parts: str) -> Pager:
    url = page.manage_url("codes", *parts)
    return Pager.numbered(url, "from", first, PAGE_SIZE, page.poll.codes)
