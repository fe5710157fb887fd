"""Keep what is typed in editors on the server before it is saved, and offer it later."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Path, Response
from starlette.responses import JSONResponse

from singletable_apps.portfolio.pages.admin.views import saved_text, site_time
from singletable_apps.portfolio.pages.dependencies import AuthorPage, UserPageContext
from singletable_apps.portfolio.rules import PERMISSIONS, Permission, check_can_edit
from singletable_apps.shared.frame import count_request
from singletable_apps.shared.pages import Form, PostedForm, path_of
from singletable_apps.shared.pages.forms import FieldValue
from singletable_apps.shared.web import IfMatch

router = APIRouter()
# The path of the editor, such as posts/new or portfolio/about.
Place = Annotated[str, Path(pattern=r"^[\w-]+(/[\w-]+)*$", max_length=200)]
# What is offered: someone else’s draft, or one's own.
_OFFERS = (
    "%(name)s has a draft here that is not saved, of %(time)s.",
    "You have a draft here that is not saved, of %(time)s.",
)


def offer_draft(page: UserPageContext, form: Form) -> Form:
    """Return the form of the stored values; or of the draft, if the author has chosen it.

    The field `draft` is the revision on which the next draft is based. A draft with other values is
    offered by the fields `offer` and `offer-revision`, and not replaced.
    """
    draft = page.service.drafts.find(page.user, _place(page))
    if draft is None:
        return form
    # The time proposed for a new post changes every day.
    fields = (name for name in draft.fields if name != "revision" and "publish_at" not in name)
    more: dict[str, FieldValue] = {"draft": draft.revision}
    if any(form.value(name) != draft.fields[name] for name in fields):
        if "draft" in page.request.query_params:
            more |= {**draft.fields, "draft-status": "Not saved yet"}
        else:
            at = site_time(page, draft.saved_at).long
            text = _OFFERS[draft.name == page.user.name]
            more = {
                "offer": page.language.gettext(text, name=draft.name, time=at),
                "offer-revision": draft.revision,
                "offer-at": int(draft.saved_at.timestamp()),
            }
    return replace(form, values={**form.values, **more})


def forget_draft(page: UserPageContext, form: Form) -> None:
    """Delete the draft of a form that was saved; someone else’s is kept."""
    page.service.drafts.discard(page.user, _place(page), form.value("draft"))


def _place(page: UserPageContext) -> str:
    return path_of(page.request).removeprefix(f"{page.urls.admin()}/")


def _check_place(page: UserPageContext, place: str) -> None:
    folder, _, name = place.partition("/")
    if folder != "posts":
        PERMISSIONS.check(page.user.role, Permission.EDIT_SITE)
    elif name != "new":
        check_can_edit(page.user, page.service.posts.get(name).blog)


@router.post("/admin/drafts/{place:path}")
def keep_draft(page: AuthorPage, place: Place, form: PostedForm, edit: IfMatch) -> Response:
    """Keep the fields of an editor. Without scripts, nothing is kept."""
    count_request(page.request, "draft")
    _check_place(page, place)
    fields = {name: form.value(name) for name in form.values}
    draft = page.service.drafts.keep(page.user, place, fields, edit.check)
    text = saved_text(page, draft.saved_at, "Draft saved at %(time)s")
    return JSONResponse({"draft": draft.revision, "text": text})


@router.post("/admin/discarded-drafts/{place:path}")
def discard_draft(page: AuthorPage, place: Place, form: PostedForm) -> Response:
    """Discard the draft that was offered."""
    _check_place(page, place)
    page.service.drafts.discard(page.user, place, form.value("offer-revision"))
    return page.redirect(page.urls.admin(*place.split("/")), "Discarded what was not saved.")
