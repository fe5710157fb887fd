"""One-time codes: issued, listed, printed on a sheet to cut up, and saved as a table."""

from __future__ import annotations

import csv
import io
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from markupsafe import Markup
from pydantic import BaseModel, Field

from singletable_apps.polls.entities import Protection
from singletable_apps.polls.errors import Invalid
from singletable_apps.polls.pages.manage import ThisOwn, framed, manage_address
from singletable_apps.polls.pages.site import Site, ThisSite
from singletable_apps.polls.service import Code, Own
from singletable_apps.polls.urls import code_link, share_link
from singletable_apps.shared.pages import Form, PostedForm, RevisionConflict
from singletable_apps.shared.qr import qr_svg
from singletable_apps.shared.web import download

router = APIRouter()
SIZE = 100
ISSUED_MEANWHILE = (
    "Codes were issued while you looked at this page: there are {now} now. Ask again if you need "
    "more."
)

From = Annotated[int, Query(alias="from", ge=0, le=10_000)]


class TypedCount(BaseModel):
    """How many codes are to be issued."""

    count: Annotated[int, Field(ge=1)]


@router.get("/p/{poll_id}/manage/codes")
def show_codes(request: Request, site: ThisSite, own: ThisOwn, first: From = 0) -> Response:
    """The codes there are, and which were voted with; and a form for more."""
    form = Form({"count": 20, "issued": own.poll.codes})
    return _page(request, site, own, form, first=first)


@router.post("/p/{poll_id}/manage/codes")
def issue(request: Request, site: ThisSite, own: ThisOwn, form: PostedForm) -> Response:
    """Issue some more; once, though it be sent twice."""
    typed = form.validate(TypedCount)
    if isinstance(typed, Form):
        return _page(request, site, own, typed, 422)
    basis = form.revision_check("issued")
    try:
        site.polls.making.issue_codes(own.poll.id, own.admin_key, typed.count, basis=basis)
    except RevisionConflict:
        now = Own(site.polls.context.poll(own.poll.id), own.admin_key)
        words = ISSUED_MEANWHILE.format(now=now.poll.codes)
        form = Form({"count": typed.count, "issued": now.poll.codes}, summary=words)
        return _page(request, site, now, form, 412)
    except Invalid as refusal:
        return _page(request, site, own, form.with_errors(**refusal.faults), 422)
    said = "One code is issued." if typed.count == 1 else f"{typed.count:,} codes are issued."
    return site.pages.redirect(request, manage_address(own, "codes"), said)


@router.get("/p/{poll_id}/manage/codes/sheet")
def sheet(request: Request, site: ThisSite, own: ThisOwn, first: From = 0) -> Response:
    """Those that are left, on cards to print and cut up: a code, and the same as a QR code."""
    rows = _rows(site, own, first)
    return site.pages.render(
        request,
        "polls/code_sheet.html",
        **framed(site, own, "codes"),
        **_pages(own, first, "sheet"),
        cards=[(code, Markup(qr_svg(link))) for code, link in rows if not code.is_used],
        used=sum(code.is_used for code, _ in rows),
        link=share_link(site.settings.public, own.poll.id),
        back=manage_address(own, "codes"),
    )


def _page(
    request: Request, site: Site, own: Own, form: Form, status: int = 200, *, first: int = 0
) -> Response:
    return site.pages.render(
        request,
        "polls/codes.html",
        status,
        **framed(site, own, "codes"),
        **_pages(own, first),
        asks_codes=own.poll.protection is Protection.CODES,
        form=form,
        rows=_rows(site, own, first),
        to=manage_address(own, "codes"),
        edit=manage_address(own, "edit"),
    )


def _rows(site: Site, own: Own, first: int) -> list[tuple[Code, str]]:
    """Some of the codes, each with the link that fills it in."""
    codes = site.polls.making.codes(own.poll.id, own.admin_key, first=first, size=SIZE)
    public = site.settings.public
    return [(code, code_link(public, own.poll.id, code.code)) for code in codes]


def _pages(own: Own, first: int, *parts: str) -> dict[str, object]:
    """Which of the codes are shown, and where the others are."""
    last = min(first + SIZE, own.poll.codes)
    here = manage_address(own, "codes", *parts)
    return {
        "shown": f"{first + 1:,} to {last:,} of {own.poll.codes:,}" if last > first else "",
        "next": f"{here}?from={last}" if last < own.poll.codes else "",
        "first": here if first else "",
    }


@router.get("/p/{poll_id}/manage/codes.csv")
def table(site: ThisSite, own: ThisOwn) -> Response:
    """A line for every code: the code, its link, and whether it was voted with."""
    written = io.StringIO()
    lines = csv.writer(written)
    lines.writerow(["code", "link", "used"])
    for code in site.polls.making.codes(own.poll.id, own.admin_key):
        link = code_link(site.settings.public, own.poll.id, code.code)
        lines.writerow([code.code, link, "yes" if code.is_used else "no"])
    return download(written.getvalue().encode(), f"{own.poll.title} codes.csv", "text/csv")
