"""Manage a poll: overview, edit, close, reopen and delete.

The organizer is recognized by the admin link, or as the browser that created the poll. A handler
declares `page: ManagedPage`; anyone else is asked to open the admin link.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Self, TypeAlias

from fastapi import APIRouter, Depends, Query, Response
from markupsafe import Markup
from pydantic import BaseModel, Field

from ranked_ballots import pluralize
from singletable_apps.polls import rules
from singletable_apps.polls.entities import Protection
from singletable_apps.polls.errors import InvalidAdminKey, InvalidInput, PollHasVotes
from singletable_apps.polls.pages import create
from singletable_apps.polls.pages.dependencies import (
    ADMIN,
    AnyPage,
    PollPage,
    PollPageContext,
    set_no_store,
)
from singletable_apps.polls.service.notices import check_email
from singletable_apps.shared import pages
from singletable_apps.shared.frame import count_request
from singletable_apps.shared.pages.uploads import PastedOrFile
from singletable_apps.shared.qr import qr_svg

router = APIRouter()
NEEDS_ADMIN_LINK = (
    "You got the admin link when you created the poll. In the browser where you created it, you "
    "don’t need one."
)


@dataclass(frozen=True)
class ManagedPageContext(PollPageContext):
    """A request of the organizer of a poll."""

    admin_key: str

    def manage_url(self, *parts: str) -> str:
        """Return the URL of a page that manages the poll."""
        return self.url("manage", *parts)

    def latest(self, form: pages.Form) -> Self:
        """Return the context with the poll as it is now if someone else has changed it."""
        if not form.conflict:
            return self
        return replace(self, poll=self.service.context.get_poll(self.poll.id))

    def render_tab(
        self, template: str, tab: str, status: int = 200, /, **context: object
    ) -> Response:
        """Render a template in the layout of these pages; `tab` is "", "edit" or "codes"."""
        tabs = [("Overview", ""), ("Edit", "edit")]
        if self.poll.settings.protection is Protection.CODES:
            tabs.append(("Codes", "codes"))
        links = [
            pages.Link(text, self.manage_url(*([name] if name else [])), name == tab)
            for text, name in tabs
        ]
        links += [pages.Link("Results", self.url("results")), pages.Link("Vote", self.url())]
        return self.render(template, status, tabs=links, **context)


def managed_page(page: PollPage) -> ManagedPageContext:
    """Return the page of the organizer, or raise InvalidAdminKey."""
    set_no_store(page.request)
    # Checked first: with another secret, the right admin link would be rejected.
    page.service.context.check_secret(page.poll)
    key = page.find_admin_key()
    if key is None:
        raise InvalidAdminKey(NEEDS_ADMIN_LINK)
    return ManagedPageContext(page.request, page.browser, page.poll, key)


def _deletable_page(page: AnyPage, poll_id: str) -> ManagedPageContext:
    context = page.service.context
    is_deletion = page.request.method == "POST"
    poll = context.find_poll(poll_id) if is_deletion else context.get_poll(poll_id)
    if poll is None:
        raise rules.poll_not_found()
    return managed_page(page.with_poll(poll))


# A page for the organizer of the poll in the URL.
ManagedPage: TypeAlias = Annotated[ManagedPageContext, Depends(managed_page)]
# The same, also while it is being deleted, so that an interrupted deletion can be finished.
DeletablePage: TypeAlias = Annotated[ManagedPageContext, Depends(_deletable_page)]


def _links(page: ManagedPageContext) -> dict[str, object]:
    return {
        "qr": Markup(qr_svg(page.urls.share_link(page.poll.id))),
        "admin_link": page.urls.admin_link(page.poll.id, page.admin_key),
    }


@router.get("/p/{poll_id}/made")
def show_created(page: ManagedPage) -> Response:
    """Show the link to share and the admin link of a new poll."""
    return page.render("created", **_links(page))


@router.get("/p/{poll_id}/manage")
def show_overview(page: PollPage, key: Annotated[str, Query(max_length=200)] = "") -> Response:
    """Show the overview. An admin link is redirected here without its key."""
    if key:
        return _save_admin_key(page, key)
    managed = managed_page(page)
    return managed.render_tab(
        "manage",
        "",
        **_links(managed),
        votes=page.service.tallies.get(page.poll).votes,
        kind=next(
            f"{name}. {hint}"
            for each, name, hint in create.KIND_CHOICES
            if each is page.poll.settings.kind
        ),
        embed=page.urls.absolute(page.url("embed")),
        removable=page.service.options.list_unused(page.poll),
    )


@router.post("/p/{poll_id}/manage/options/remove")
def remove_option(page: ManagedPage, form: pages.PostedForm) -> Response:
    """Remove an option that no one has voted for."""
    option = form.value("option")
    try:
        page.service.options.remove(page.poll.id, page.admin_key, option)
    except (PollHasVotes, InvalidInput) as error:
        return page.redirect(page.manage_url(), str(error))
    return page.redirect(page.manage_url(), f"“{option}” was removed.")


@router.post("/p/{poll_id}/manage/comments/{comment_id}/delete")
def delete_comment(page: ManagedPage, comment_id: str) -> Response:
    """Delete a comment."""
    page.service.comments.delete(page.poll.id, page.admin_key, comment_id)
    return page.redirect(f"{page.url('results')}#comments", "The comment was deleted.")


@pages.confirm(router, "/p/{poll_id}/notices")
def confirm_notices(
    page: PollPage, token: Annotated[str, Query(max_length=100)] = ""
) -> pages.ConfirmedAction:
    """Confirm the address for notices with the link that was sent to it."""
    notices, poll = page.service.notices, page.poll
    notices.check_token(poll, token)
    return pages.ConfirmedAction(
        page,
        title="Send notices to this address?",
        text=f"You get one e-mail when someone first votes in “{poll.title}”, and one when it "
        "closes.",
        button="Send notices",
        back=page.url(),
        kind="primary",
        do=lambda form: notices.confirm(poll, token),
        done="Notices are on.",
    )


def _save_admin_key(page: PollPageContext, key: str) -> Response:
    """Move the key to a cookie, so that it does not stay in the history, logs or referrers."""
    context = page.service.context
    context.get_managed_poll(page.poll.id, key)
    # The canonical key, not the typed one: cookies are ASCII.
    page.set_cookie(ADMIN, context.secret.admin_key(page.poll.id))
    return page.redirect(page.url("manage"))


@router.api_route("/p/{poll_id}/manage/edit", methods=pages.FORM_METHODS)
def edit_poll(page: ManagedPage, form: pages.PostedForm) -> Response:
    """Show the poll as a form, and save it; show errors or a revision conflict in the form."""
    show = partial(_show_edit, page)
    if page.request.method == "GET":
        filled = create.poll_form(rules.draft_from(page.poll), page.poll.revision)
        return show(replace(filled, values={**filled.values, "email": page.poll.email or ""}))
    if form.value("more"):
        return show(form, more=True)

    def save(draft: rules.PollDraft) -> Response:
        email = form.value("email").strip()
        is_moved = "email" in form.values and email != (page.poll.email or "")
        if is_moved and email:
            count_request(page.request, "notice")
            check_email(email)
        try:
            saved = _edit(page, form, draft, "Changes saved.")
        except PollHasVotes as error:
            return show(form.with_errors(str(error)), 409)
        if is_moved:
            page.service.notices.change(page.poll, email)
        return saved

    draft = create.parse_poll_form(form, page.service.context.clock(), rules.draft_from(page.poll))
    return pages.submit_values(form, draft, save, show, rejects=page.rejects)


def _edit(
    page: ManagedPageContext, form: pages.Form, draft: rules.PollDraft, flash: str
) -> Response:
    page.service.lifecycle.edit(
        page.poll.id, page.admin_key, lambda _: draft, check=form.revision_check()
    )
    return page.redirect(page.manage_url(), flash)


def _show_edit(
    page: ManagedPageContext, form: pages.Form, status: int = 200, *, more: bool = False
) -> Response:
    page = page.latest(form)
    return page.render_tab(
        "edit",
        "edit",
        status,
        **create.form_choices(),
        form=form,
        rows=create.option_rows(form, more=more),
        votes=page.service.tallies.get(page.poll).votes,
    )


class PictureFields(BaseModel):
    """What a picture shows, and whether to remove it."""

    alt: Annotated[str, Field(max_length=rules.MAX_TITLE)] = ""
    remove_picture: bool = False


@router.api_route("/p/{poll_id}/manage/picture", methods=pages.FORM_METHODS)
def edit_picture(
    page: ManagedPage,
    upload: PastedOrFile,
    option: Annotated[str, Query(max_length=rules.MAX_OPTION)] = "",
) -> Response:
    """Choose a picture of an option, describe it, or remove it."""
    if option not in page.poll.candidates:
        return page.redirect(page.manage_url("edit"), "There is no such option anymore.")
    pictures = page.urls.pictures(page.poll)

    def act(values: PictureFields) -> Response:
        files = upload.named("picture")
        data = b"" if values.remove_picture else files[0].data if files else None
        page.service.pictures.set(page.poll.id, page.admin_key, option, data, values.alt)
        return page.redirect(page.manage_url("edit"), f"The picture of “{option}” is saved.")

    def show(form: pages.Form, status: int) -> Response:
        return page.render_tab("picture", "edit", status, form=form, option=option)

    initial = pages.Form({"alt": pictures[option][1] if option in pictures else ""})
    return page.fill(upload.form, initial, PictureFields, act, show)


@pages.confirm(router, "/p/{poll_id}/manage/close")
def close_poll(page: ManagedPage) -> pages.ConfirmedAction | Response:
    """Close the poll."""
    # Closing again finishes what was interrupted, so only the question is left out.
    if not page.is_open and page.request.method == "GET":
        return page.redirect(page.manage_url(), "The poll is already closed.")
    later, warning = "You can reopen it later.", ""
    if page.poll.settings.protection is Protection.CODES:
        later = "You can’t reopen it."
        warning = rules.warn_of_close(page.service.tallies.get(page.poll).votes)
    return pages.ConfirmedAction(
        page,
        title="Close this poll?",
        text=f"No one can vote in “{page.poll.title}” or change a vote after that, and everyone "
        f"with the link can see the results. {later}",
        warning=warning,
        button="Close poll",
        back=page.manage_url(),
        kind="primary",
        revision=page.poll.revision,
        do=lambda form: page.service.lifecycle.close(
            page.poll.id, page.admin_key, check=form.revision_check()
        ),
        done="The poll is closed.",
    )


@pages.confirm(router, "/p/{poll_id}/manage/delete")
def delete_poll(page: DeletablePage) -> pages.ConfirmedAction:
    """Delete the poll with its votes."""
    votes = pluralize(page.service.tallies.get(page.poll).votes, "vote")
    return pages.ConfirmedAction(
        page,
        title="Delete this poll?",
        text=f"This deletes “{page.poll.title}” and its {votes}. You can’t undo this.",
        button="Delete poll",
        back=page.manage_url(),
        revision=page.poll.revision,
        do=lambda form: page.service.lifecycle.delete(
            page.poll.id, page.admin_key, check=form.revision_check()
        ),
        to=page.urls.page("mine"),
        done=f"“{page.poll.title}” was deleted.",
    )


@router.api_route("/p/{poll_id}/manage/reopen", methods=pages.FORM_METHODS)
def reopen_poll(page: ManagedPage, form: pages.PostedForm) -> Response:
    """Ask until when the poll should be open again, and reopen it."""

    def reopen(closing: create.ClosingFields) -> Response:
        closes_at = closing.closes_at(page.service.context.clock())
        draft = replace(rules.draft_from(page.poll), expires_at=closes_at)
        return _edit(page, form, draft, "The poll is open again.")

    def show(form: pages.Form, status: int = 200) -> Response:
        return page.render_tab("reopen", "", status, form=form, closings=create.CLOSING_CHOICES)

    if page.request.method == "GET":
        return show(pages.Form({"closing": "day", "revision": page.poll.revision}))
    return pages.submit_values(form, create.parse_closing(form), reopen, show, rejects=page.rejects)
