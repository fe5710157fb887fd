"""Manage a poll: overview, edit, close, reopen, delete and recount.

The organizer is recognized by the admin link, or as the browser that created the poll. A handler
declares `managed: CurrentManagedPoll`; anyone else is asked for the admin link.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated, TypeAlias
from urllib.parse import parse_qs

from fastapi import APIRouter, Depends, Query, Request, Response
from markupsafe import Markup

from ranked_ballots import pluralize
from singletable_apps.polls.entities import Poll, Protection
from singletable_apps.polls.errors import InvalidAdminKey, InvalidInput, PollHasVotes
from singletable_apps.polls.pages.create import (
    CLOSING_CHOICES,
    ClosingFields,
    form_choices,
    option_rows,
    parse_closing,
    parse_poll_form,
    poll_form,
)
from singletable_apps.polls.pages.dependencies import (
    ADMIN,
    CurrentPoll,
    CurrentSite,
    PollsState,
    ask_for_admin_link,
    find_admin_key,
    set_cookie,
    set_no_store,
)
from singletable_apps.polls.rules import (
    PROTECTION_TEXT,
    RESULTS_TEXT,
    PollDraft,
    draft_from,
    is_open,
    poll_not_found,
)
from singletable_apps.polls.service import ManagedPoll
from singletable_apps.polls.urls import admin_link, page_url, poll_url, share_link
from singletable_apps.polls.web import Browser
from singletable_apps.shared.pages import (
    Confirmation,
    ConfirmForm,
    Form,
    Link,
    PostedForm,
    submit_form,
    submit_values,
)
from singletable_apps.shared.qr import qr_svg

router = APIRouter()
NEEDS_ADMIN_LINK = (
    "You got the admin link when you created the poll. In the browser where you created it, you "
    "don’t need one."
)


def get_managed_poll(
    request: Request, site: PollsState, poll: Poll, browser: str | None
) -> ManagedPoll:
    """Return the poll with its admin key, or raise InvalidAdminKey."""
    set_no_store(request)
    # Checked first: with another secret, the right admin link would be rejected.
    site.service.context.check_secret(poll)
    key = find_admin_key(request, site, browser, poll)
    if key is None:
        raise InvalidAdminKey(NEEDS_ADMIN_LINK)
    return ManagedPoll(poll, key)


def _managed_poll(
    request: Request, site: CurrentSite, poll: CurrentPoll, browser: Browser
) -> ManagedPoll:
    return get_managed_poll(request, site, poll, browser)


def _deletable_poll(
    request: Request, site: CurrentSite, poll_id: str, browser: Browser
) -> ManagedPoll:
    poll = site.service.context.find_poll(poll_id)
    if poll is None:
        raise poll_not_found(poll_id)
    return get_managed_poll(request, site, poll, browser)


# The poll in the URL with its admin key.
CurrentManagedPoll: TypeAlias = Annotated[ManagedPoll, Depends(_managed_poll)]
# The same, also while it is being deleted, so that an interrupted deletion can be finished.
DeletablePoll: TypeAlias = Annotated[ManagedPoll, Depends(_deletable_poll)]


def manage_url(managed: ManagedPoll, *parts: str) -> str:
    """Return the URL of a page that manages the poll."""
    return poll_url(managed.poll.id, "manage", *parts)


def manage_context(site: PollsState, managed: ManagedPoll, tab: str = "") -> dict[str, object]:
    """Return what the layout of these pages needs; `tab` is "", "edit" or "codes"."""
    poll = managed.poll
    tabs = [("Overview", ""), ("Edit", "edit")]
    if poll.protection is Protection.CODES:
        tabs.append(("Codes", "codes"))
    return {
        "poll": poll,
        "is_open": is_open(poll, site.service.context.clock()),
        "tabs": [
            *(
                Link(text, manage_url(managed, *([name] if name else [])), name == tab)
                for text, name in tabs
            ),
            Link("Results", poll_url(poll.id, "results")),
            Link("Vote", poll_url(poll.id)),
        ],
    }


def _links(site: PollsState, managed: ManagedPoll) -> dict[str, object]:
    public = site.service.context.urls.public
    link = share_link(public, managed.poll.id)
    return {
        "link": link,
        "qr": Markup(qr_svg(link)),
        "admin_link": admin_link(public, managed.poll.id, managed.admin_key),
    }


@router.get("/p/{poll_id}/made")
def show_created(request: Request, site: CurrentSite, managed: CurrentManagedPoll) -> Response:
    """Show the link to share and the admin link of a new poll."""
    return site.pages.render(
        request, "polls/created.html", poll=managed.poll, **_links(site, managed)
    )


@router.get("/p/{poll_id}/manage")
def show_overview(
    request: Request,
    site: CurrentSite,
    poll: CurrentPoll,
    browser: Browser,
    key: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Show the overview. An admin link is redirected here without its key."""
    if key:
        return _save_admin_key(request, site, poll, key)
    managed = get_managed_poll(request, site, poll, browser)
    return site.pages.render(
        request,
        "polls/manage.html",
        **manage_context(site, managed),
        **_links(site, managed),
        votes=site.service.tallies.get(poll).votes,
        protection=PROTECTION_TEXT[poll.protection],
        results=RESULTS_TEXT[poll.results],
    )


@router.post("/p/{poll_id}/manage/key")
def submit_admin_link(
    request: Request, site: CurrentSite, poll: CurrentPoll, form: PostedForm
) -> Response:
    """Accept an admin link, or the key in it."""
    text = form.value("key").strip()
    [key] = parse_qs(text.partition("?")[2]).get("key", [text])[:1]
    try:
        return _save_admin_key(request, site, poll, key)
    except InvalidAdminKey as error:
        return ask_for_admin_link(request, site, NEEDS_ADMIN_LINK, form.with_errors(key=str(error)))


def _save_admin_key(request: Request, site: PollsState, poll: Poll, key: str) -> Response:
    """Move the key to a cookie, so that it does not stay in the history, logs or referrers."""
    context = site.service.context
    context.get_managed_poll(poll.id, key)
    # The canonical key, not the typed one: cookies are ASCII.
    set_cookie(request, poll, ADMIN, context.secret.admin_key(poll.id))
    return site.pages.redirect(request, poll_url(poll.id, "manage"))


@router.get("/p/{poll_id}/manage/recount")
def show_recount(request: Request, site: CurrentSite, managed: CurrentManagedPoll) -> Response:
    """Count every vote one by one and compare with the results."""
    return site.pages.render(
        request,
        "polls/recount.html",
        **manage_context(site, managed),
        recount=site.service.tallies.recount(managed.poll),
        back=manage_url(managed),
    )


@router.get("/p/{poll_id}/manage/edit")
def show_edit(request: Request, site: CurrentSite, managed: CurrentManagedPoll) -> Response:
    """Show the poll as a form."""
    form = poll_form(draft_from(managed.poll), managed.poll.revision)
    return _show_edit(request, site, managed, form)


@router.post("/p/{poll_id}/manage/edit")
def submit_edit(
    request: Request, site: CurrentSite, managed: CurrentManagedPoll, form: PostedForm
) -> Response:
    """Save the poll, or show the form again with its errors or a revision conflict."""
    show = partial(_show_edit, request, site, managed)
    if form.value("more"):
        return show(form, more=True)

    def save(draft: PollDraft) -> Response:
        try:
            return _edit(request, site, managed, form, draft, "Changes saved.")
        except PollHasVotes as error:
            return show(form.with_errors(str(error)), 409)

    draft = parse_poll_form(form, site.service.context.clock(), draft_from(managed.poll))
    return submit_values(form, draft, save, show)


def _edit(
    request: Request,
    site: PollsState,
    managed: ManagedPoll,
    form: Form,
    draft: PollDraft,
    flash: str,
) -> Response:
    site.service.lifecycle.edit(
        managed.poll.id, managed.admin_key, lambda _: draft, check=form.revision_check()
    )
    return site.pages.redirect(request, manage_url(managed), flash)


def current_poll(site: PollsState, managed: ManagedPoll, form: Form) -> ManagedPoll:
    """Return the poll as it is now if someone else has changed it."""
    if not form.conflict:
        return managed
    return replace(managed, poll=site.service.context.get_poll(managed.poll.id))


def _show_edit(
    request: Request,
    site: PollsState,
    managed: ManagedPoll,
    form: Form,
    status: int = 200,
    *,
    more: bool = False,
) -> Response:
    managed = current_poll(site, managed, form)
    return site.pages.render(
        request,
        "polls/edit.html",
        status,
        **manage_context(site, managed, "edit"),
        **form_choices(),
        form=form,
        rows=option_rows(form, more=more),
        votes=site.service.tallies.get(managed.poll).votes,
    )


@router.get("/p/{poll_id}/manage/close")
def confirm_close(request: Request, site: CurrentSite, managed: CurrentManagedPoll) -> Response:
    """Ask whether to close the poll."""
    return _confirm_close(request, site, managed, Form({"revision": managed.poll.revision}))


@router.post("/p/{poll_id}/manage/close")
def close_poll(
    request: Request, site: CurrentSite, managed: CurrentManagedPoll, form: PostedForm
) -> Response:
    """Close the poll."""

    def close(_: ConfirmForm) -> Response:
        site.service.lifecycle.close(
            managed.poll.id, managed.admin_key, check=form.revision_check()
        )
        return site.pages.redirect(request, manage_url(managed), "The poll is closed.")

    return submit_form(form, ConfirmForm, close, partial(_confirm_close, request, site, managed))


def _confirm_close(
    request: Request, site: PollsState, managed: ManagedPoll, form: Form, status: int = 200
) -> Response:
    managed = current_poll(site, managed, form)
    if not is_open(managed.poll, site.service.context.clock()):
        return site.pages.redirect(request, manage_url(managed), "The poll is already closed.")
    confirmation = Confirmation(
        title="Close this poll?",
        text=f"No one can vote in “{managed.poll.title}” or change a vote after that, and everyone "
        "with the link can see the results. You can reopen it later.",
        button="Close poll",
        url=manage_url(managed, "close"),
        back=manage_url(managed),
        kind="primary",
    )
    return site.pages.render(request, "confirm.html", status, confirmation=confirmation, form=form)


@router.get("/p/{poll_id}/manage/delete")
def confirm_delete(request: Request, site: CurrentSite, managed: CurrentManagedPoll) -> Response:
    """Ask whether to delete the poll with its votes."""
    return _confirm_delete(request, site, managed, Form({"revision": managed.poll.revision}))


@router.post("/p/{poll_id}/manage/delete")
def delete_poll(
    request: Request, site: CurrentSite, managed: DeletablePoll, form: PostedForm
) -> Response:
    """Delete the poll with its votes."""

    def delete(_: ConfirmForm) -> Response:
        site.service.lifecycle.delete(
            managed.poll.id, managed.admin_key, check=form.revision_check()
        )
        flash = f"“{managed.poll.title}” was deleted."
        return site.pages.redirect(request, page_url("mine"), flash)

    return submit_form(form, ConfirmForm, delete, partial(_confirm_delete, request, site, managed))


def _confirm_delete(
    request: Request, site: PollsState, managed: ManagedPoll, form: Form, status: int = 200
) -> Response:
    managed = current_poll(site, managed, form)
    votes = site.service.tallies.get(managed.poll).votes
    confirmation = Confirmation(
        title="Delete this poll?",
        text=f"This deletes “{managed.poll.title}” and its {pluralize(votes, 'vote')}. You can’t "
        "undo this.",
        button="Delete poll",
        url=manage_url(managed, "delete"),
        back=manage_url(managed),
    )
    return site.pages.render(request, "confirm.html", status, confirmation=confirmation, form=form)


@router.get("/p/{poll_id}/manage/reopen")
def show_reopen(request: Request, site: CurrentSite, managed: CurrentManagedPoll) -> Response:
    """Ask until when the poll should be open again."""
    form = Form({"closing": "day", "revision": managed.poll.revision})
    return _show_reopen(request, site, managed, form)


@router.post("/p/{poll_id}/manage/reopen")
def reopen_poll(
    request: Request, site: CurrentSite, managed: CurrentManagedPoll, form: PostedForm
) -> Response:
    """Reopen the poll until the new closing time."""

    def reopen(closing: ClosingFields) -> Response:
        closes_at = closing.closes_at(site.service.context.clock())
        draft = replace(draft_from(managed.poll), expires_at=closes_at)
        return _edit(request, site, managed, form, draft, "The poll is open again.")

    show = partial(_show_reopen, request, site, managed)
    return submit_values(form, parse_closing(form), reopen, show, rejects=(InvalidInput,))


def _show_reopen(
    request: Request, site: PollsState, managed: ManagedPoll, form: Form, status: int = 200
) -> Response:
    return site.pages.render(
        request,
        "polls/reopen.html",
        status,
        **manage_context(site, managed),
        form=form,
        closings=CLOSING_CHOICES,
        action=manage_url(managed, "reopen"),
        back=manage_url(managed),
    )
