"""Comments: the moderation queue, and approved comments of a post."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter, Response
from pydantic import BaseModel

from singletable_apps.portfolio.comment_rules import ref_of
from singletable_apps.portfolio.entities import CommentQueue, User
from singletable_apps.portfolio.pages.admin.editor import get_own_post
from singletable_apps.portfolio.pages.admin.views import own_posts
from singletable_apps.portfolio.pages.dependencies import AuthorPage, UserPageContext
from singletable_apps.portfolio.rules import is_public
from singletable_apps.shared.errors import NotFound
from singletable_apps.shared.pages import (
    FORM_METHODS,
    Confirmation,
    Flash,
    Form,
    Link,
    ListQueryParameters,
    PostedForm,
)
from singletable_apps.shared.permissions import NotPermitted

router = APIRouter()


def _tabs(page: UserPageContext, current: str) -> list[Link]:
    tabs = {
        "Waiting": page.urls.admin("comments"),
        "Approved": page.urls.admin("comments", "approved"),
        "Rejected": page.urls.admin("comments", "rejected"),
    }
    return [Link(text, url, text == current) for text, url in tabs.items()]


@router.get("/admin/comments")
def show_queue(page: AuthorPage, query: ListQueryParameters) -> Response:
    """List the comments that wait for approval, oldest first."""
    found = page.service.comments.queue(page.user, query.cursor)
    return page.render(
        "admin/comments",
        heading="Comments",
        tabs=_tabs(page, "Waiting"),
        waiting=query.page(found.items, found.cursor),
        verbs=[
            ("approve", "Approve", "Approve selected"),
            ("reject", "Reject", "Reject selected"),
        ],
    )


@router.get("/admin/comments/rejected")
def show_rejected(page: AuthorPage, query: ListQueryParameters) -> Response:
    """List the comments that were rejected within 30 days, oldest first."""
    found = page.service.comments.queue(page.user, query.cursor, queue=CommentQueue.REJECTED)
    return page.render(
        "admin/comments",
        heading="Comments",
        tabs=_tabs(page, "Rejected"),
        waiting=query.page(found.items, found.cursor),
        verbs=[
            ("restore", "Bring back", "Bring selected back"),
            ("delete", "Delete for good", "Delete selected for good"),
        ],
    )


@router.post("/admin/comments")
def moderate(page: AuthorPage, form: PostedForm) -> Response:
    """Do to one comment what its button says, or to all that are selected."""
    comments = page.service.comments
    verbs: dict[str, tuple[str, Callable[[User, str], object]]] = {
        "approve": ("Approved", comments.approve),
        "reject": ("Rejected", comments.reject),
        "restore": ("Brought back", comments.restore),
        "delete": ("Deleted", comments.delete),
    }
    verb, refs = form.value("action"), form.selected("ref")
    for single in verbs:
        if form.value(single):
            verb, refs = single, [form.value(single)]
    url = page.urls.admin("comments", *["rejected"] * (verb in ("restore", "delete")))
    if verb not in verbs or not refs:
        return page.redirect(url, Flash("Select at least one comment first.", "warning"))
    done, reasons = 0, dict[str, None]()
    past, act = verbs[verb]
    for ref in refs:
        try:
            act(page.user, ref)
        except (NotFound, NotPermitted) as error:
            reasons[str(error)] = None
        else:
            done += 1
    noun = "comment" if done == 1 else "comments"
    what = f"{past} {done:,} {noun}."
    if reasons:
        text = " ".join([*([what] if done else []), *reasons])
        return page.redirect(url, Flash(text, "warning"))
    return page.redirect(url, what)


@router.get("/admin/comments/approved")
def list_approved(page: AuthorPage, post: str = "") -> Response:
    """List the approved comments of a post, of the latest post if none is chosen."""
    now = page.service.context.clock()
    blogs = {blog.blog_id: blog for blog in own_posts(page) if is_public(blog, now)}
    chosen = blogs.get(post) or next(iter(blogs.values()), None)
    approved = page.service.comments.of_post(chosen.blog_id) if chosen else []
    return page.render(
        "admin/comments",
        heading="Comments",
        tabs=_tabs(page, "Approved"),
        waiting=None,
        posts=[(blog.blog_id, blog.title) for blog in blogs.values()],
        chosen=chosen,
        approved=approved,
        ref_of=ref_of,
    )


class ReplyForm(BaseModel):
    """The comment to answer, and the answer. The service checks it."""

    ref: str
    content: str


@router.api_route("/admin/comments/{blog_id}/reply", methods=FORM_METHODS)
def reply(page: AuthorPage, blog_id: str, form: PostedForm, ref: str = "") -> Response:
    """Answer an approved comment; the answer is shown at once, as the author's."""
    blog = get_own_post(page, blog_id).blog
    named = form.value("ref") or ref
    comments = page.service.comments.of_post(blog_id)
    answered = next((each for each in comments if ref_of(each) == named), None)
    if answered is None:
        raise NotFound("There is no such comment. It may have been deleted.")

    def act(values: ReplyForm) -> Response:
        page.service.comments.reply(page.user, values.ref, values.content)
        url = page.urls.admin("comments", "approved", post=blog_id)
        return page.redirect(url, "Your reply is on the page of the post.")

    def show(form: Form, status: int) -> Response:
        return page.render(
            "admin/reply", status, heading="Reply", form=form, comment=answered, blog=blog
        )

    return page.fill(form, Form({"ref": ref}), ReplyForm, act, show)


@router.get("/admin/comments/{blog_id}/delete")
def ask_to_delete(page: AuthorPage, blog_id: str, ref: str = "") -> Response:
    """Ask before an approved comment is deleted."""
    get_own_post(page, blog_id)
    comments = page.service.comments.of_post(blog_id)
    comment = next((each for each in comments if ref_of(each) == ref), None)
    if comment is None:
        raise NotFound("There is no such comment. It may have been deleted.")
    question = Confirmation(
        title=f"Delete the comment of {comment.author_name}?",
        text="It disappears from the post. You can’t undo this.",
        button="Delete the comment",
        url=page.urls.admin("comments", blog_id, "delete"),
        back=page.urls.admin("comments", "approved", post=blog_id),
        hidden={"ref": ref},
    )
    return page.confirm(question)


@router.post("/admin/comments/{blog_id}/delete")
def delete_comment(page: AuthorPage, blog_id: str, form: PostedForm) -> Response:
    """Delete an approved comment."""
    page.service.comments.delete(page.user, form.value("ref"))
    url = page.urls.admin("comments", "approved", post=blog_id)
    return page.redirect(url, "Deleted the comment.")
