"""Posts: read, write, publish, like and comment on them, and restore old versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, TypeAlias

from fastapi import Path, Query, Request, Response
from starlette.exceptions import HTTPException

from singletable_apps.portfolio import entities, rules
from singletable_apps.portfolio.api import schemas
from singletable_apps.portfolio.api.dependencies import (
    SWITCHED_OFF,
    TAKEN,
    Actor,
    ActorIfAny,
    Service,
    Visitor,
)
from singletable_apps.portfolio.api.schemas import BlogBody, CommentBody
from singletable_apps.portfolio.comment_rules import CommentDraft, ref_of
from singletable_apps.portfolio.service import Moved, PortfolioService
from singletable_apps.portfolio.service.likes import LikeState
from singletable_apps.shared import web
from singletable_apps.shared.errors import NotFound
from singletable_apps.shared.frame import limited
from singletable_apps.shared.frame.people_api import Message
from singletable_apps.shared.permissions import is_permitted

router = web.api_router("blogs")
history_router = web.api_router("history", web.NOT_FOUND, *web.SIGNED_IN)
likes_router = web.api_router("likes", web.NOT_FOUND, web.TOO_MANY_REQUESTS)
comments_router = web.api_router("comments", web.NOT_FOUND)
moderation_router = web.api_router("moderation", *web.SIGNED_IN)

BlogId: TypeAlias = Annotated[web.Segment, Path(description="The id of the post.")]
CommentRef: TypeAlias = Annotated[web.Segment, Path(description="The `ref` of the comment.")]
_AUTHORS = web.responses(*web.SIGNED_IN)


@router.get("/blogs", responses=web.responses(web.NOT_SIGNED_IN), openapi_extra=web.PUBLIC)
def list_blogs(
    request: Request,
    service: Service,
    actor: ActorIfAny,
    page: web.Pagination,
    status: Annotated[
        rules.PostStatus, Query(description="Drafts and scheduled posts need a token.")
    ] = rules.PostStatus.PUBLISHED,
    tag: Annotated[str | None, Query(description="Only posts with this tag.")] = None,
    category: Annotated[str | None, Query(description="Only posts in this category.")] = None,
    content: Annotated[bool, Query(description="Whether to include the texts.")] = True,
    pages: Annotated[bool, Query(description="List the pages of the site instead.")] = False,
) -> web.Page[BlogBody]:
    """List posts, newest first. With the status `draft` or `scheduled`, those that you can edit."""
    secret = service.context.secret
    if status is not rules.PostStatus.PUBLISHED:
        user = web.check_signed_in(request, actor)
        blogs, cursor = page.slice(_unpublished(service, user, status, pages=pages), secret)
    elif pages:
        blogs, cursor = page.slice(service.catalog.pages(service.context.clock()), secret)
    elif tag is None and category is None:
        published = service.posts.list_published(page.limit, page.cursor)
        blogs, cursor = published.items, published.cursor
    else:
        tag, now = tag and rules.normalize_tag(tag), service.context.clock()
        found = service.catalog.visible(now, tag=tag, category=category)
        blogs, cursor = page.slice(found, secret)
    texts = service.posts.contents([blog.blog_id for blog in blogs]) if content else {}
    return page.answer(blog_bodies(service, blogs, actor, texts), cursor)


@router.get(
    "/blogs/{blog_id}",
    responses={
        **web.responses(web.NOT_FOUND),
        **web.TAGGED,
        301: {"description": "The post has another slug now.", "headers": web.LOCATION},
    },
    openapi_extra=web.PUBLIC,
)
def read_blog(
    blog_id: Annotated[web.Segment, Path(description="The id or the slug of the post.")],
    request: Request,
    headers: web.Headers,
    service: Service,
    actor: ActorIfAny,
) -> BlogBody:
    """Return a post. A draft needs its id, and permission to edit it."""
    found = service.posts.find(blog_id)
    if isinstance(found, Moved):
        url = request.app.url_path_for("read_blog", blog_id=found.slug)
        raise HTTPException(301, headers={"Location": url})
    post = found or _editable(service, blog_id, actor)
    headers.read(post.blog.revision)
    return _body(service, post, actor)


@router.post(
    "/blogs", status_code=201, responses={**_AUTHORS, **web.responses(TAKEN), **web.CREATED}
)
def create_blog(
    new: schemas.NewBlog, request: Request, headers: web.Headers, service: Service, actor: Actor
) -> BlogBody:
    """Create a post, which is public at once unless it is a draft or scheduled."""
    _name_fields(request, new)
    blog = service.posts.create(
        actor, new.draft(), new.publication() or rules.Publication(rules.PostStatus.PUBLISHED)
    )
    headers.created(blog.revision, "read_blog", blog_id=blog.blog_id)
    return _body(service, service.posts.get(blog.blog_id), actor)


@router.put("/blogs/{blog_id}", responses={**_AUTHORS, **web.responses(web.NOT_FOUND, TAKEN)})
def edit_blog(
    blog_id: BlogId,
    changes: schemas.BlogChanges,
    request: Request,
    service: Service,
    actor: Actor,
    edit: web.IfMatch,
) -> BlogBody:
    """Change some fields of a post, publish or withdraw it. The old text goes to its history."""
    _name_fields(request, changes)
    blog = service.posts.edit(actor, blog_id, changes.apply, edit.check, changes.publication())
    edit.answer(blog.revision)
    return _body(service, service.posts.get(blog_id), actor)


@router.delete("/blogs/{blog_id}", responses={**_AUTHORS, **web.responses(web.NOT_FOUND)})
def delete_blog(blog_id: BlogId, service: Service, actor: Actor, edit: web.IfMatch) -> Message:
    """Move a post to the trash, with its slugs, history, likes and comments, for 30 days."""
    service.posts.move(actor, blog_id, entities.Listing.TRASH, edit.check)
    return Message(message="The post was deleted.")


@history_router.get("/blogs/{blog_id}/history", response_model=list[schemas.Revision])
def list_history(blog_id: BlogId, service: Service, actor: Actor) -> Sequence[entities.Revision]:
    """List the earlier texts of a post, latest first."""
    rules.check_can_edit(actor, service.posts.get(blog_id).blog)
    return service.posts.history(blog_id)


@history_router.post("/blogs/{blog_id}/history/{number}/restore")
def restore_revision(
    blog_id: BlogId, number: int, service: Service, actor: Actor, edit: web.IfMatch
) -> BlogBody:
    """Bring back an earlier title and text. The current ones go to the history."""
    blog = service.posts.restore(actor, blog_id, number, edit.check)
    edit.answer(blog.revision)
    return _body(service, service.posts.get(blog_id), actor)


@likes_router.get("/blogs/{blog_id}/likes", response_model=schemas.LikeState)
def read_likes(
    blog_id: BlogId, response: Response, service: Service, visitor: Visitor
) -> LikeState:
    """Return the number of likes of a post, and whether you like it."""
    response.headers["Cache-Control"] = "no-store"
    return service.likes.state(blog_id, visitor)


@likes_router.post(
    "/blogs/{blog_id}/likes",
    response_model=schemas.LikeState,
    responses=web.responses(SWITCHED_OFF),
    dependencies=limited("like"),
)
def like_blog(blog_id: BlogId, service: Service, visitor: Visitor) -> LikeState:
    """Like a post. If you like it already, nothing changes."""
    return service.likes.like(blog_id, visitor)


@likes_router.delete(
    "/blogs/{blog_id}/likes",
    response_model=schemas.LikeState,
    responses=web.responses(SWITCHED_OFF),
    dependencies=limited("like"),
)
def unlike_blog(blog_id: BlogId, service: Service, visitor: Visitor) -> LikeState:
    """Take your like back. Without a like, nothing changes."""
    return service.likes.unlike(blog_id, visitor)


@comments_router.get("/blogs/{blog_id}/comments")
def list_comments(blog_id: BlogId, service: Service) -> list[CommentBody]:
    """List the approved comments of a public post, oldest first."""
    service.context.get_public_blog(blog_id)
    return [_comment_body(each) for each in service.comments.of_post(blog_id)]


@comments_router.post(
    "/blogs/{blog_id}/comments",
    status_code=202,
    responses=web.responses(SWITCHED_OFF, web.TOO_MANY_REQUESTS),
    dependencies=limited("comment"),
)
def submit_comment(
    blog_id: BlogId, comment: schemas.NewComment, service: Service, visitor: Visitor
) -> Message:
    """Submit a comment. It is shown once the author of the post has approved it."""
    service.comments.submit(blog_id, CommentDraft(**dict(comment)), visitor)
    return Message(message="Thank you. Your comment appears here once it is approved.")


@moderation_router.get("/comments")
def list_pending_comments(
    service: Service, actor: Actor, page: web.Pagination
) -> web.Page[schemas.PendingCommentBody]:
    """List the comments that wait for your approval, oldest first."""
    queue = service.comments.queue(actor, page.cursor, page.limit)
    pending = schemas.PendingCommentBody.from_object
    return page.answer([pending(each.comment, ref=each.ref) for each in queue.items], queue.cursor)


@moderation_router.post("/comments/{ref}/approve", responses=web.responses(web.NOT_FOUND))
def approve_comment(ref: CommentRef, service: Service, actor: Actor) -> CommentBody:
    """Show a comment on its post. Approving it again changes nothing."""
    return _comment_body(service.comments.approve(actor, ref))


@moderation_router.post("/comments/{ref}/reject", responses=web.responses(web.NOT_FOUND))
def reject_comment(ref: CommentRef, service: Service, actor: Actor) -> Message:
    """Move a comment that waits to the trash, for 30 days."""
    service.comments.reject(actor, ref)
    return Message(message="The comment was rejected.")


@moderation_router.delete("/comments/{ref}", responses=web.responses(web.NOT_FOUND))
def delete_comment(ref: CommentRef, service: Service, actor: Actor) -> Message:
    """Move an approved comment to the trash, for 30 days. It can be repeated."""
    service.comments.delete(actor, ref)
    return Message(message="The comment was deleted.")


def _comment_body(comment: entities.Comment) -> CommentBody:
    return CommentBody.from_object(comment, ref=ref_of(comment))


def _name_fields(request: Request, body: schemas.NewBlog | schemas.BlogChanges) -> None:
    """Let errors of the service name the fields that the client sent."""
    text = "content" if "content" in body.model_fields_set else "markdown"
    request.state.field_names = {"markdown": text, "at": "publish_at"}


def blog_bodies(
    service: PortfolioService,
    blogs: Sequence[entities.Blog],
    actor: entities.User | None,
    texts: Mapping[str, entities.BlogContent] = MappingProxyType({}),
) -> list[BlogBody]:
    """Return posts as responses, with the texts that are given."""
    urls, now = service.context.urls, service.context.clock()
    likes = service.likes.counts([blog.blog_id for blog in blogs])

    def body(blog: entities.Blog, text: entities.BlogContent | None) -> BlogBody:
        is_editable = actor is not None and is_permitted(rules.check_can_edit, actor, blog)
        return BlogBody.from_object(
            blog,
            content=text.content if text else None,
            markdown=text.markdown if text and is_editable else None,
            # The e-mail address of an author is not for everyone.
            author=blog.author_name or blog.author.partition("@")[0],
            likes_count=likes[blog.blog_id],
            url=urls.absolute(urls.of(blog)),
            status=rules.post_status(blog, now),
        )

    return [body(blog, texts.get(blog.blog_id)) for blog in blogs]


def _body(service: PortfolioService, post: rules.Post, actor: entities.User | None) -> BlogBody:
    (body,) = blog_bodies(service, [post.blog], actor, {post.blog.blog_id: post.content})
    return body


def _editable(service: PortfolioService, blog_id: str, actor: entities.User | None) -> rules.Post:
    """Return an unpublished post if the actor can edit it, or raise NotFound."""
    post = service.posts.get(blog_id)
    if actor is None or not is_permitted(rules.check_can_edit, actor, post.blog):
        raise NotFound("There is no such post. It may have been deleted.")
    return post


def _unpublished(
    service: PortfolioService, actor: entities.User, status: rules.PostStatus, *, pages: bool
) -> list[entities.Blog]:
    """Return the drafts or scheduled posts, or pages, that the account can edit."""
    posts, now = service.posts, service.context.clock()
    blogs = posts.list_in(entities.Listing.PAGES) if pages else posts.list_all()
    found = [blog for blog in blogs if rules.post_status(blog, now) is status]
    return [blog for blog in found if is_permitted(rules.check_can_edit, actor, blog)]
