"""Write posts: the editor, publishing, scheduling, earlier versions and deleting."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel
from starlette.responses import JSONResponse

from singletable import evolve
from singletable_apps.portfolio import rules
from singletable_apps.portfolio.entities import Blog, Listing, TrashKind
from singletable_apps.portfolio.pages import public
from singletable_apps.portfolio.pages.admin import views
from singletable_apps.portfolio.pages.admin.drafts import forget_draft, offer_draft
from singletable_apps.portfolio.pages.admin.trash import TRASHED, deleted
from singletable_apps.portfolio.pages.dependencies import AuthorPage, UserPageContext, wants_json
from singletable_apps.portfolio.pages.posts import show_preview
from singletable_apps.portfolio.pages.public_page import PublicPageContext
from singletable_apps.shared.errors import Busy, InvalidInput, NotFound
from singletable_apps.shared.languages import Phrase
from singletable_apps.shared.pages import (
    ConfirmedAction,
    ConfirmForm,
    Flash,
    Form,
    PostedForm,
    confirm,
)
from singletable_apps.shared.pages.forms import FieldValue
from singletable_apps.shared.text_diff import diff_text
from singletable_apps.shared.web import NO_STORE

router = APIRouter()
# "backdate" publishes a post now with a date in the past.
Action = Literal["save", "publish", "schedule", "backdate", "unpublish"]


class PostForm(BaseModel):
    """The button that was pressed, and when to publish."""

    publish_at: datetime | None = None
    action: Action = "save"


def _read_draft(form: Form) -> rules.PostDraft:
    """Return what the author entered. The service checks it."""
    values: dict[str, Any] = {each.name: form.value(each.name) for each in fields(rules.PostDraft)}
    values |= {"tags": tuple(split_commas(values["tags"])), "is_page": bool(values["is_page"])}
    return rules.PostDraft(**values)


def split_commas(text: str) -> list[str]:
    """Return the names in a list separated by commas or line breaks."""
    names = (name.strip() for name in text.replace("\n", ",").split(","))
    return [name for name in names if name]


@router.get("/admin/posts/new")
def new_post(page: AuthorPage, kind: str = "") -> Response:
    """Show an empty editor of a post, or of a page."""
    is_page = kind == "page"
    if is_page:
        rules.PERMISSIONS.check(page.user.role, rules.Permission.EDIT_SITE)
    values: dict[str, FieldValue] = {"publish_at": _tomorrow_morning(page), "is_page": is_page}
    form = offer_draft(page, Form(values, zone=views.site_zone(page)))
    return _show_editor(page, None, form)


@router.post("/admin/posts/new")
def create_post(page: AuthorPage, form: PostedForm) -> Response:
    """Save a new post, and publish or schedule it if that button was pressed."""
    return _submit(page, form, None)


@router.get("/admin/posts/{blog_id}")
def show_post(page: AuthorPage, blog_id: str) -> Response:
    """Show the editor of a post."""
    post = get_own_post(page, blog_id)
    values: dict[str, FieldValue] = {
        **vars(post.draft),
        "tags": ", ".join(post.blog.tags),
        "publish_at": post.blog.published_at or _tomorrow_morning(page),
        "revision": post.blog.revision,
    }
    return _show_editor(page, post, offer_draft(page, Form(values, zone=views.site_zone(page))))


@router.post("/admin/posts/{blog_id}")
def edit_post(page: AuthorPage, blog_id: str, form: PostedForm) -> Response:
    """Save a post, and publish, schedule or unpublish it if that button was pressed."""
    return _submit(page, form, get_own_post(page, blog_id))


def _tomorrow_morning(page: UserPageContext) -> datetime:
    """Return the time that the schedule proposes: tomorrow at nine on the site's clock."""
    tomorrow = page.service.context.clock().astimezone(views.site_zone(page)) + timedelta(days=1)
    return tomorrow.replace(hour=9, minute=0, second=0)


@router.post("/admin/preview")
def preview_text(page: AuthorPage, form: PostedForm, post: str = "") -> Response:
    """Return the page as readers will see it, of a form that is not saved.

    The date and the author are those of the stored post, if there is one.
    """
    person = page.service.profile.get_portfolio()
    draft = _read_draft(form)
    if len(draft.markdown.encode(errors="replace")) > rules.MAX_MARKDOWN_BYTES:
        text = "This text is too long to be published as one page."
        draft = replace(draft, markdown=page.language.gettext(text))
    stored = get_own_post(page, post).blog if post else None
    shown_post = page.service.posts.preview(page.user, draft, stored)
    if "title" not in form.values:  # the about page has no title of its own
        about = evolve(person, about_content=shown_post.content.content)
        shown = public.show_about(PublicPageContext(page.request, page.settings, about))
        shown.headers.update(NO_STORE)
        return shown
    return show_preview(PublicPageContext(page.request, page.settings, person), shown_post)


def get_own_post(page: UserPageContext, blog_id: str) -> rules.Post:
    """Return a post that the user may edit."""
    post = page.service.posts.get(blog_id)
    rules.check_can_edit(page.user, post.blog)
    return post


def _submit(page: UserPageContext, form: Form, post: rules.Post | None) -> Response:
    posts = page.service.posts
    draft, show = _read_draft(form), partial(_show_again, page, post)

    def act(values: PostForm) -> Response:
        at = _kept_time(form, values, post)
        if values.action in ("schedule", "backdate") and at is None:
            raise InvalidInput({"publish_at": "Choose a date and a time."})
        now = page.service.context.clock()
        is_past = at is not None and at <= now and not (post and rules.is_public(post.blog, now))
        if at and is_past and values.action == "schedule":
            day = views.site_time(page, at).day
            question = Phrase("This date is in the past. Publish now, dated %(day)s?", day=day)
            return show(form.with_errors(publish_at=question), 422, past_day=day)
        if post is None:
            blog = posts.create(page.user, draft)
        else:
            blog = posts.edit(page.user, post.blog.blog_id, draft, form.revision_check())
        forget_draft(page, form)
        return _finish(page, values, blog, post, at)

    return page.submit(form, PostForm, act, show)


def _kept_time(form: Form, values: PostForm, post: rules.Post | None) -> datetime | None:
    """Return the time to publish at; an unchanged field keeps the seconds of the old time."""
    old = post.blog.published_at if post else None
    return old if old and form.still_shows("publish_at", old) else values.publish_at


def _finish(
    page: UserPageContext,
    values: PostForm,
    blog: Blog,
    before: rules.Post | None,
    at: datetime | None,
) -> Response:
    """Do what the button says with a post that is saved now."""
    posts, url = page.service.posts, page.urls.admin("posts", blog.blog_id)
    now = page.service.context.clock()
    try:
        if values.action in ("publish", "schedule", "backdate"):
            blog = posts.publish(
                page.user, blog.blog_id, None if values.action == "publish" else at
            )
        elif values.action == "unpublish":
            blog = posts.unpublish(page.user, blog.blog_id)
    except (InvalidInput, Busy) as error:
        # The text is saved, so the form must not be sent again with its old revision.
        reason = page.language.gettext(str(error))
        text = Phrase("Saved, but not published. %(reason)s", reason=reason)
        return page.redirect(url, Flash(text, "warning"))
    if wants_json(page.request):
        saved = views.saved_text(page, now)
        return JSONResponse({"revision": blog.revision, "slug": blog.slug, "text": saved})
    return page.redirect(url, _describe(page, values.action, blog, before))


def _describe(page: UserPageContext, action: Action, blog: Blog, before: rules.Post | None) -> str:
    """Return what happened, as a sentence."""
    now = page.service.context.clock()
    if action in ("publish", "schedule", "backdate") and blog.published_at is not None:
        if rules.is_public(blog, now):
            return "Published. Everyone can read it now."
        return Phrase("Scheduled for %(time)s.", time=views.site_time(page, blog.published_at).long)
    if action == "unpublish":
        return "It is a draft again. Only authors can read it."
    if before is not None and before.blog.slug != blog.slug and rules.is_public(blog, now):
        return "Saved. The old address redirects to the new one."
    return "Saved."


def _show_again(
    page: UserPageContext, post: rules.Post | None, form: Form, status: int, past_day: str = ""
) -> Response:
    """Show a form that was not saved, in the time zone of the site."""
    if form.conflict and post is not None:
        post = page.service.posts.get(post.blog.blog_id)
    return _show_editor(page, post, form, status, is_shown_again=True, past_day=past_day)


def _show_editor(
    page: UserPageContext,
    post: rules.Post | None,
    form: Form,
    status: int = 200,
    *,
    is_shown_again: bool = False,
    past_day: str = "",
) -> Response:
    now = page.service.context.clock()
    catalog = page.service.catalog
    is_page = bool(form.value("is_page"))
    start = f"{page.urls.prefix}/" if is_page else page.urls.post("")
    mode = "shown-again" if is_shown_again else "new" if post is None else "saved"
    return page.render(
        "admin/editor",
        status,
        heading=post.blog.title if post else f"New {'page' if is_page else 'post'}",
        is_page=is_page,
        form=form,
        past_day=past_day,
        post=views.view_post(page, post.blog) if post else None,
        mode=mode,
        action_url=page.urls.admin("posts", post.blog.blog_id if post else "new"),
        post_url_start=page.urls.absolute(start).partition("://")[2],
        excerpt=post.blog.excerpt if post else "",
        tags=[tag for tag, _ in catalog.tags(now)[:12]],
        categories=[category for category, _ in catalog.categories(now)],
        conflict=_compare(page, post, form) if form.conflict and post else None,
        status="Not saved yet" if is_shown_again else "",
    )


def _compare(page: UserPageContext, post: rules.Post, form: Form) -> dict[str, object]:
    """Return the version saved meanwhile and its editor, compared with the form."""
    versions = page.service.posts.history(post.blog.blog_id)
    editor = versions[0].edited_by if versions else ""
    text = "%(name)s saved another version while you were writing."
    by = Phrase(text, name=editor or Phrase("Someone else"))
    if editor == page.user.email:
        by = Phrase("You saved another version in another window while you were writing.")
    title = post.blog.title if post.blog.title != form.value("title") else ""
    lines = diff_text(post.content.markdown, form.value("markdown"))
    return {"by": by, "title": title, "lines": lines}


@router.get("/admin/posts/{blog_id}/share")
def share_preview(page: AuthorPage, blog_id: str) -> Response:
    """Show a link with which anyone can read the post before it is published."""
    post = get_own_post(page, blog_id)
    token = page.service.posts.preview_token(post.blog)
    link = page.urls.absolute(page.urls.of(post.blog, preview=token))
    return page.render("admin/share", post=views.view_post(page, post.blog), link=link)


@router.post("/admin/posts/{blog_id}/share")
def replace_preview(page: AuthorPage, blog_id: str) -> Response:
    """Invalidate earlier preview links, and show a new one."""
    page.service.posts.replace_preview(page.user, blog_id)
    url = page.urls.admin("posts", blog_id, "share")
    return page.redirect(url, "Links that you shared before no longer work.")


@router.get("/admin/posts/{blog_id}/history")
@router.get("/admin/posts/{blog_id}/history/{number:int}")
def show_version(page: AuthorPage, blog_id: str, number: int | None = None) -> Response:
    """Show what changed since a version, by default the latest before the current one."""
    post = get_own_post(page, blog_id)
    versions = page.service.posts.history(blog_id)
    if number is None and versions:
        number = versions[0].number
    shown = next((version for version in versions if version.number == number), None)
    if number is not None and shown is None:
        raise NotFound("There is no such version. Only the latest ones are kept.")
    # A version was saved by the edit that ended the version before it.
    saved = {version.number + 1: (version.edited_at, version.edited_by) for version in versions}
    rows: list[dict[str, object]] = []
    for version in versions:
        at, email = saved.get(version.number, (post.blog.created_at, post.blog.author))
        url = page.urls.admin("posts", blog_id, "history", str(version.number))
        name = Phrase("You") if email == page.user.email else email
        rows.append({"number": version.number, "at": at, "by": name, "url": url})
    is_renamed = shown is not None and shown.title != post.blog.title
    return page.render(
        "admin/history",
        post=views.view_post(page, post.blog),
        rows=rows,
        shown=number,
        title_change=(shown.title, post.blog.title) if shown and is_renamed else None,
        lines=diff_text(shown.markdown, post.content.markdown) if shown else [],
    )


@router.post("/admin/posts/{blog_id}/history/{number:int}")
def restore_version(page: AuthorPage, blog_id: str, number: int, form: PostedForm) -> Response:
    """Make an earlier version the current one."""
    get_own_post(page, blog_id)

    def restore(_: ConfirmForm) -> Response:
        page.service.posts.restore(page.user, blog_id, number, form.revision_check())
        return page.redirect(page.urls.admin("posts", blog_id), "Restored the earlier version.")

    def reject(shown: Form, status: int) -> Response:
        reason = shown.error("") or " ".join(shown.errors.values())
        if shown.conflict:
            reason = "The post was changed meanwhile. Check what differs now, then restore again."
        url = page.urls.admin("posts", blog_id, "history", str(number))
        text = Phrase("Not restored. %(reason)s", reason=page.language.gettext(reason))
        return page.redirect(url, Flash(text, "warning"))

    return page.submit(form, ConfirmForm, restore, reject)


@confirm(router, "/admin/posts/{blog_id}/delete")
def delete_post(page: AuthorPage, blog_id: str) -> ConfirmedAction:
    """Delete a post."""
    blog = get_own_post(page, blog_id).blog
    return ConfirmedAction(
        page,
        title=Phrase("Delete “%(title)s”?", title=blog.title),
        text=Phrase("%(trashed)s Its likes and its comments come back with it.", trashed=TRASHED),
        button="Delete the post",
        back=page.urls.admin("posts", blog_id),
        revision=blog.revision,
        do=lambda form: page.service.posts.move(
            page.user, blog_id, Listing.TRASH, form.revision_check()
        ),
        to=page.urls.admin("posts"),
        done=deleted(page, TrashKind.POST, blog_id, Phrase("“%(title)s”", title=blog.title)),
    )
