"""Earlier versions of a post: compare them with the current text, and restore one."""

from __future__ import annotations

from fastapi import APIRouter, Response

from singletable_apps.portfolio.errors import InvalidInput, NotFound, SiteBusy
from singletable_apps.portfolio.pages.admin.editor import get_own_post
from singletable_apps.portfolio.pages.admin.views import view_post
from singletable_apps.portfolio.pages.dependencies import AuthorPage, UserPageContext
from singletable_apps.shared.pages import ConfirmForm, Flash, Form, PostedForm, submit_form
from singletable_apps.shared.text_diff import diff_text

router = APIRouter()


@router.get("/admin/posts/{blog_id}/history")
def show_history(page: AuthorPage, blog_id: str) -> Response:
    """Show the latest version before the current one."""
    return _show_version(page, blog_id, None)


@router.get("/admin/posts/{blog_id}/history/{number:int}")
def show_version(page: AuthorPage, blog_id: str, number: int) -> Response:
    """Show what changed since a version."""
    return _show_version(page, blog_id, number)


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
        return page.redirect(url, Flash(f"Not restored. {reason}", "warning"))

    return submit_form(form, ConfirmForm, restore, reject, rejects=(InvalidInput, SiteBusy))


def _show_version(page: UserPageContext, blog_id: str, number: int | None) -> Response:
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
        name = "You" if email == page.user.email else email
        rows.append({"number": version.number, "at": at, "by": name, "url": url})
    is_renamed = shown is not None and shown.title != post.blog.title
    return page.render(
        "admin/history",
        heading="History",
        post=view_post(page, post.blog),
        rows=rows,
        shown=number,
        title_change=(shown.title, post.blog.title) if shown and is_renamed else None,
        lines=diff_text(shown.markdown, post.content.markdown) if shown else [],
    )
