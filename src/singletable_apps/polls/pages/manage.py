"""Pages for who manages a poll: known by the admin link, or as the browser that made it.

A handler asks for `own: ThisOwn`, the poll in the address with its key; who has no key is asked for
the admin link. `framed(site, own, "edit")` is what the frame of such a page needs; the last word is
the tab that is open, as in the address: "" (Overview), edit, codes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, TypeAlias
from urllib.parse import parse_qs

from fastapi import APIRouter, Depends, Query, Request, Response
from markupsafe import Markup

from singletable_apps.polls.entities import Poll, Protection
from singletable_apps.polls.errors import Invalid, NotAdmin, Settled
from singletable_apps.polls.pages.cookies import ADMIN, admin_key_of, set_cookie
from singletable_apps.polls.pages.dependencies import Browser, CurrentPoll, keep_private, locked
from singletable_apps.polls.pages.poll_form import (
    CLOSINGS,
    PROTECTIONS,
    RESULTS,
    drafted,
    faults_in,
    form_of,
    read_closing,
    rows_of,
)
from singletable_apps.polls.pages.site import Site, ThisSite
from singletable_apps.polls.rules import draft_of, gone, is_open
from singletable_apps.polls.service import Own
from singletable_apps.polls.text import PROTECTION_WORDS, RESULTS_WORDS
from singletable_apps.polls.urls import admin_link, poll_url, share_link, url
from singletable_apps.shared.pages import Form, Link, PostedForm, RevisionConflict
from singletable_apps.shared.qr import qr_svg

NO_KEY = (
    "Only who has its admin link can manage a poll. The link was shown when the poll was made; and "
    "the browser in which it was made needs none."
)


def own_of(request: Request, site: Site, poll: Poll, browser: str | None) -> Own:
    """The poll with its key, for who may manage it."""
    keep_private(request)
    # First, for who has the key would ask in vain where to look for it.
    site.polls.context.check_secret(poll)
    key = admin_key_of(request, site, browser, poll)
    if key is None:
        raise NotAdmin(NO_KEY)
    return Own(poll, key)


def _own(request: Request, site: ThisSite, poll: CurrentPoll, browser: Browser) -> Own:
    return own_of(request, site, poll, browser)


# The poll in the address, and its admin key.
ThisOwn: TypeAlias = Annotated[Own, Depends(_own)]


def _leaving(request: Request, site: ThisSite, poll_id: str, browser: Browser) -> Own:
    poll = site.polls.context.found(poll_id)
    if poll is None:
        raise gone(poll_id)
    return own_of(request, site, poll, browser)


# The same, also while it is being deleted: whoever was broken off in it goes on.
LeavingOwn: TypeAlias = Annotated[Own, Depends(_leaving)]


def manage_address(own: Own, *parts: str) -> str:
    """The address of a page that manages the poll."""
    return poll_url(own.poll.id, "manage", *parts)


def framed(site: Site, own: Own, here: str) -> dict[str, object]:
    """What the frame needs: the poll, whether it is open, and the tabs."""
    poll = own.poll
    tabs = [("Overview", "manage", ""), ("Edit", "manage/edit", "edit")]
    if poll.protection is Protection.CODES:
        tabs.append(("Codes", "manage/codes", "codes"))
    beside = [
        Link("Results", poll_url(poll.id, "results")),
        Link("Vote", poll_url(poll.id)),
    ]
    links = [Link(text, f"{poll_url(poll.id)}/{to}", tab == here) for text, to, tab in tabs]
    return {
        "poll": poll,
        "is_open": is_open(poll, site.polls.context.clock()),
        "tabs": [*links, *beside],
    }


router = APIRouter()
CONFLICT = "Someone else changed the poll, and nothing was done. "


@router.get("/p/{poll_id}/manage")
def manage(
    request: Request,
    site: ThisSite,
    poll: CurrentPoll,
    browser: Browser,
    key: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """How the poll stands, and what can be done; an admin link leads here without its key."""
    if key:
        return _let_in(request, site, poll, key)
    own = own_of(request, site, poll, browser)
    return site.pages.render(
        request,
        "polls/manage.html",
        **framed(site, own, ""),
        **shared(site, own),
        votes=site.polls.counting.tally(poll).votes,
        protection=PROTECTION_WORDS[poll.protection],
        results=RESULTS_WORDS[poll.results],
    )


@router.post("/p/{poll_id}/manage/key")
def take_key(request: Request, site: ThisSite, poll: CurrentPoll, form: PostedForm) -> Response:
    """Take a key that was typed, or the link that it is in."""
    typed = form.value("key").strip()
    [key] = parse_qs(typed.partition("?")[2]).get("key", [typed])[:1]
    try:
        return _let_in(request, site, poll, key)
    except NotAdmin as refusal:
        return locked(request, site, NO_KEY, form.with_errors(key=str(refusal)))


@router.get("/p/{poll_id}/manage/recount")
def recount(request: Request, site: ThisSite, own: ThisOwn) -> Response:
    """Every vote, counted one by one, beside what the results say."""
    return site.pages.render(
        request,
        "polls/recount.html",
        **framed(site, own, ""),
        recount=site.polls.counting.recount(own.poll),
        back=poll_url(own.poll.id, "manage"),
    )


def _let_in(request: Request, site: Site, poll: Poll, key: str) -> Response:
    """Let the browser carry the key, so that it stays in no history, log or referrer."""
    context = site.polls.context
    context.managed(poll.id, key)
    # As it is, and not as it was typed: cookies hold no more than ASCII.
    set_cookie(request, poll, ADMIN, context.secret.admin_key(poll.id))
    return site.pages.redirect(request, poll_url(poll.id, "manage"))


@router.get("/p/{poll_id}/manage/edit")
def show_form(request: Request, site: ThisSite, own: ThisOwn) -> Response:
    """The poll as a form."""
    return _page(request, site, own, form_of(draft_of(own.poll), own.poll.revision))


@router.post("/p/{poll_id}/manage/edit")
def edit(request: Request, site: ThisSite, own: ThisOwn, form: PostedForm) -> Response:
    """Keep what was typed, or show it again with what is wrong, or with what came in between."""
    if form.value("more"):
        return _page(request, site, own, form, more=True)
    draft = drafted(form, site.polls.context.clock(), draft_of(own.poll))
    if isinstance(draft, Form):
        return _page(request, site, own, draft, 422)
    try:
        site.polls.changing.change(
            own.poll.id, own.admin_key, lambda _: draft, basis=form.revision_check()
        )
    except Settled as refusal:
        return _page(request, site, own, form.with_errors(str(refusal)), 409)
    except RevisionConflict:
        now = Own(site.polls.context.poll(own.poll.id), own.admin_key)
        form = form.rebased(now.poll.revision)
        return _page(request, site, now, form, 412, meanwhile=True)
    return site.pages.redirect(request, manage_address(own), "Saved.")


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
    return site.pages.render(
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


@router.get("/p/{poll_id}/manage/close")
def ask_to_close(request: Request, site: ThisSite, own: ThisOwn) -> Response:
    """Whether it shall take no more votes."""
    return _ask_to_close(request, site, own)


@router.post("/p/{poll_id}/manage/close")
def close(request: Request, site: ThisSite, own: ThisOwn, form: PostedForm) -> Response:
    """Take no more votes."""
    try:
        site.polls.changing.close(own.poll.id, own.admin_key, basis=form.revision_check())
    except RevisionConflict:
        return _ask_to_close(request, site, own, CONFLICT, 412)
    return site.pages.redirect(request, manage_address(own), "The poll is closed.")


@router.get("/p/{poll_id}/manage/delete")
def ask_to_delete(request: Request, site: ThisSite, own: ThisOwn) -> Response:
    """Whether it shall go, with how many votes."""
    return _ask_to_delete(request, site, own)


@router.post("/p/{poll_id}/manage/delete")
def delete(request: Request, site: ThisSite, own: LeavingOwn, form: PostedForm) -> Response:
    """Delete it with all votes."""
    try:
        site.polls.deleting.delete(own.poll.id, own.admin_key, basis=form.revision_check())
    except RevisionConflict:
        return _ask_to_delete(request, site, own, CONFLICT, 412)
    return site.pages.redirect(request, url("mine"), f"“{own.poll.title}” is deleted.")


def _ask_to_close(
    request: Request, site: Site, own: Own, before: str = "", status: int = 200
) -> Response:
    if not is_open(own.poll, site.polls.context.clock()):
        return site.pages.redirect(request, manage_address(own), "The poll is closed already.")
    return site.pages.render(
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
    return site.pages.render(
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


@router.get("/p/{poll_id}/manage/reopen")
def ask_to_reopen(request: Request, site: ThisSite, own: ThisOwn) -> Response:
    """Until when it shall take votes again."""
    form = Form({"closing": "day", "revision": str(own.poll.revision)})
    return _ask_to_reopen(request, site, own, form)


@router.post("/p/{poll_id}/manage/reopen")
def reopen(request: Request, site: ThisSite, own: ThisOwn, form: PostedForm) -> Response:
    """Take votes again, until another time."""
    typed = read_closing(form)
    if isinstance(typed, Form):
        return _ask_to_reopen(request, site, own, typed, 422)
    now = site.polls.context.clock()
    draft = replace(draft_of(own.poll), expires_at=typed.moment(now))
    try:
        site.polls.changing.change(
            own.poll.id, own.admin_key, lambda _: draft, basis=form.revision_check()
        )
    except Invalid as refusal:
        form = form.with_errors(**faults_in(refusal, draft, now))
        return _ask_to_reopen(request, site, own, form, 422)
    except RevisionConflict:
        form = form.rebased(own.poll.revision).with_errors(CONFLICT)
        return _ask_to_reopen(request, site, own, form, 412)
    return site.pages.redirect(request, manage_address(own), "The poll is open again.")


def _ask_to_reopen(
    request: Request, site: Site, own: Own, form: Form, status: int = 200
) -> Response:
    return site.pages.render(
        request,
        "polls/reopen.html",
        status,
        **framed(site, own, ""),
        form=form,
        closings=CLOSINGS,
        to=manage_address(own, "reopen"),
        back=manage_address(own),
    )


def shared(site: Site, own: Own) -> dict[str, object]:
    """The links of a poll, for who manages it."""
    public = site.settings.public
    link = share_link(public, own.poll.id)
    return {
        "link": link,
        "qr": Markup(qr_svg(link)),
        "admin_link": admin_link(public, own.poll.id, own.admin_key),
    }


@router.get("/p/{poll_id}/made")
def made(request: Request, site: ThisSite, own: ThisOwn) -> Response:
    """The link to share, the link to keep, and where to go next."""
    return site.pages.render(request, "polls/made.html", poll=own.poll, **shared(site, own))
