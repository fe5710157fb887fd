"""Comments on posts, their moderation, and messages to the owner."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Path

from singletable_apps.portfolio.api import schemas
from singletable_apps.portfolio.api.blogs import BlogId
from singletable_apps.portfolio.api.dependencies import (
    SWITCHED_OFF,
    Actor,
    Listed,
    Service,
    Visitor,
    limited,
)
from singletable_apps.portfolio.api.schemas import ItemList, Success, success
from singletable_apps.portfolio.comment_rules import CommentDraft, ContactDraft, ref_of
from singletable_apps.portfolio.entities import Comment
from singletable_apps.shared.web import (
    NOT_ALLOWED,
    NOT_FOUND,
    NOT_SIGNED_IN,
    TOO_MANY_REQUESTS,
    Segment,
    api_router,
    responses,
)

router = api_router("comments")
moderation_router = api_router("moderation", NOT_SIGNED_IN, NOT_ALLOWED, TOO_MANY_REQUESTS)
contact_router = api_router("contact", SWITCHED_OFF, TOO_MANY_REQUESTS)
CommentRef: TypeAlias = Annotated[Segment, Path(description="The `ref` of the comment.")]


@router.get("/blogs/{blog_id}/comments", responses=responses(NOT_FOUND))
def list_comments(blog_id: BlogId, service: Service) -> Success[list[schemas.CommentBody]]:
    """List the approved comments of a public post, oldest first."""
    service.context.get_public_blog(blog_id)
    return success([_body(each) for each in service.comments.of_post(blog_id)])


@router.post(
    "/blogs/{blog_id}/comments",
    status_code=202,
    responses=responses(NOT_FOUND, SWITCHED_OFF, TOO_MANY_REQUESTS),
    dependencies=[limited(lambda limits: limits.comment)],
)
def submit_comment(
    blog_id: BlogId, comment: schemas.NewComment, service: Service, visitor: Visitor
) -> Success[schemas.Message]:
    """Submit a comment. It is shown once the author of the post has approved it."""
    service.comments.submit(blog_id, CommentDraft(**dict(comment)), visitor)
    return schemas.done("Thank you. Your comment appears here once it is approved.")


@moderation_router.get("/comments")
def list_pending_comments(
    service: Service, actor: Actor, page: Listed
) -> Success[ItemList[schemas.PendingCommentBody]]:
    """List the comments that wait for your approval, oldest first."""
    queue = service.comments.queue(actor, page.cursor, page.limit)
    page.link_next(queue.cursor)
    items = [
        schemas.PendingCommentBody.from_object(each.comment, ref=each.ref) for each in queue.items
    ]
    return success(ItemList(items=items, last_key=queue.cursor))


@moderation_router.post("/comments/{ref}/approve", responses=responses(NOT_FOUND))
def approve_comment(
    ref: CommentRef, service: Service, actor: Actor
) -> Success[schemas.CommentBody]:
    """Show a comment on its post. Approving it again changes nothing."""
    return success(_body(service.comments.approve(actor, ref)))


@moderation_router.post("/comments/{ref}/reject", responses=responses(NOT_FOUND))
def reject_comment(ref: CommentRef, service: Service, actor: Actor) -> Success[schemas.Message]:
    """Delete a comment that waits for approval. Rejecting it again changes nothing."""
    service.comments.reject(actor, ref)
    return schemas.done("The comment was rejected.")


@moderation_router.delete("/comments/{ref}", responses=responses(NOT_FOUND))
def delete_comment(ref: CommentRef, service: Service, actor: Actor) -> Success[schemas.Message]:
    """Delete a comment that was approved. Deleting it again changes nothing."""
    service.comments.delete(actor, ref)
    return schemas.done("The comment was deleted.")


def _body(comment: Comment) -> schemas.CommentBody:
    return schemas.CommentBody.from_object(comment, ref=ref_of(comment))


@contact_router.post(
    "/contact", status_code=202, dependencies=[limited(lambda limits: limits.contact)]
)
def send_message(message: schemas.ContactMessage, service: Service) -> Success[schemas.Message]:
    """Send an e-mail to the owner of the site."""
    service.contact.send(ContactDraft(**dict(message)))
    return schemas.done("Thank you. Your message was sent.")
