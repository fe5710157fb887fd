"""Comments: the moderation queue, and approved comments of a post."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter, Response
from pydantic import BaseModel

from singletable_apps.portfolio.comment_rules import ref_of
from singletable_apps.portfolio.entities import Comment, TrashKind, User
from singletable_apps.portfolio.pages.admin.editor import get_own_post
from singletable_apps.portfolio.pages.admin.trash import TRASHED, deleted
from singletable_apps.portfolio.pages.admin.views import own_posts
from singletable_apps.portfolio.pages.dependencies import AuthorPage, UserPageContext
from singletable_apps.portfolio.rules import is_public
from singletable_apps.shared import pages
from singletable_apps.shared.errors import NotFound
from singletable_apps.shared.languages import Phrase
from singletable_apps.shared.permissions import NotPermitted
from singletable_apps.shared.service import check_found

router = APIRouter()


def _tabs(page: UserPageContext, current: str) -> list[pages.Link]:
    tabs = {
        "Waiting": page.urls.admin("comments"),
        "Approved": page.urls.admin("comments", "approved"),
    }
    return [pages.Link(text, url, text == current) for text, url in tabs.items()]


@router.get("/admin/comments")
def show_queue(page: AuthorPage, query: pages.ListQueryParameters) -> Response:
    """List the comments that wait, oldest first."""
    found = page.service.comments.queue(page.user, query.cursor)
    waiting = query.page(found.items, found.cursor)
    return page.render("admin/comments", tabs=_tabs(page, "Waiting"), waiting=waiting)


@router.post("/admin/comments")
def moderate(page: AuthorPage, form: pages.PostedForm) -> Response:
    """Do to one comment what its button says, or to all that are selected."""
    comments = page.service.comments
    verbs: dict[str, tuple[str, Callable[[User, str], object]]] = {
        "approve": ("Approved", comments.approve),
        "reject": ("Rejected", comments.reject),
    }
    verb, refs = form.value("action"), form.selected("ref")
    for single in verbs:
        if form.value(single):
            verb, refs = single, [form.value(single)]
    url = page.urls.admin("comments")
    if verb not in verbs or not refs:
        return page.redirect(url, pages.Flash("Select at least one comment first.", "warning"))
    done, reasons = 0, dict[str, None]()
    past, act = verbs[verb]
    for ref in refs:
        try:
            act(page.user, ref)
        except (NotFound, NotPermitted) as error:
            reasons[str(error)] = None
        else:
            done += 1
    what = Phrase(f"{past} %(count)s comment.", f"{past} %(count)s comments.", count=done)
    if reasons:
        text = " ".join(map(page.language.gettext, [*([what] if done else []), *reasons]))
        return page.redirect(url, pages.Flash(text, "warning"))
    has_undo = verb == "reject" and len(refs) == 1
    undo = page.urls.admin("trash", TrashKind.COMMENT, refs[0], "restore") if has_undo else ""
    return page.redirect(url, pages.Flash(what, undo=undo))


@router.get("/admin/comments/approved")
def list_approved(page: AuthorPage, post: str = "") -> Response:
    """List the approved comments of a post, of the latest post if none is chosen."""
    now = page.service.context.clock()
    blogs = {blog.blog_id: blog for blog in own_posts(page) if is_public(blog, now)}
    chosen = blogs.get(post) or next(iter(blogs.values()), None)
    approved = page.service.comments.of_post(chosen.blog_id) if chosen else []
    return page.render(
        "admin/comments",
        tabs=_tabs(page, "Approved"),
        waiting=None,
        posts=[(blog.blog_id, blog.title) for blog in blogs.values()],
        chosen=chosen,
        approved=approved,
        ref_of=ref_of,
    )


def _get_approved(page: UserPageContext, blog_id: str, ref: str) -> Comment:
    get_own_post(page, blog_id)
    comments = page.service.comments.of_post(blog_id)
    found = next((each for each in comments if ref_of(each) == ref), None)
    return check_found(found, "There is no such comment. It may have been deleted.")


class ReplyForm(BaseModel):
    """The comment to answer, and the answer. The service checks it."""

    ref: str
    content: str


@router.api_route("/admin/comments/{blog_id}/reply", methods=pages.FORM_METHODS)
def reply(page: AuthorPage, blog_id: str, form: pages.PostedForm, ref: str = "") -> Response:
    """Answer an approved comment; the answer is shown at once, as the author's."""
    blog = get_own_post(page, blog_id).blog
    answered = _get_approved(page, blog_id, form.value("ref") or ref)

    def act(values: ReplyForm) -> Response:
        page.service.comments.reply(page.user, values.ref, values.content)
        url = page.urls.admin("comments", "approved", post=blog_id)
        return page.redirect(url, "Your reply is on the page of the post.")

    show = page.shows("admin/reply", comment=answered, blog=blog)
    return page.fill(form, pages.Form({"ref": ref}), ReplyForm, act, show)


@pages.confirm(router, "/admin/comments/{blog_id}/delete")
def delete_comment(
    page: AuthorPage, blog_id: str, form: pages.PostedForm, ref: str = ""
) -> pages.ConfirmedAction:
    """Delete an approved comment."""
    named = form.value("ref") or ref
    comment = _get_approved(page, blog_id, named)
    return pages.ConfirmedAction(
        page,
        title=Phrase("Delete the comment of %(name)s?", name=comment.author_name),
        text=TRASHED,
        button="Delete the comment",
        back=page.urls.admin("comments", "approved", post=blog_id),
        hidden={"ref": named},
        do=lambda _: page.service.comments.delete(page.user, named),
        done=deleted(page, TrashKind.COMMENT, named, Phrase("the comment")),
    )
