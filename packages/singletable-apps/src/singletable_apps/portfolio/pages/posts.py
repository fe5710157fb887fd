"""The blog: lists of posts, a post with its likes and comments, tags and categories."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import timedelta
from itertools import groupby
from typing import Annotated

from fastapi import APIRouter, Query, Response
from markupsafe import Markup
from starlette.responses import JSONResponse, RedirectResponse

from singletable_apps.portfolio.comment_rules import CommentDraft, threads
from singletable_apps.portfolio.entities import Blog
from singletable_apps.portfolio.pages import seo
from singletable_apps.portfolio.pages.dependencies import wants_json
from singletable_apps.portfolio.pages.public_page import PublicFile, PublicPage, PublicPageContext
from singletable_apps.portfolio.rules import MAX_TITLE, Post, derive_slug
from singletable_apps.portfolio.service import LikeState, Moved
from singletable_apps.shared import pages, web
from singletable_apps.shared.frame import count_request
from singletable_apps.shared.languages import Phrase

router = APIRouter(route_class=web.CachedRoute)
# After all other routes, since a page may have any other address.
pages_router = APIRouter(route_class=web.CachedRoute)
# An edit within a day of publishing is a correction, which readers need not know about.
UPDATED_AFTER = timedelta(days=1)
NO_FORM = pages.Form()


@router.get("/blog")
def list_posts(
    page: PublicPage, cursor: Annotated[str | None, Query(max_length=2000)] = None
) -> Response:
    """List the posts, newest first."""
    newest = next(iter(page.service.catalog.visible(page.now)), None)
    # Cursors contain the time of the list. With that of the newest post instead of the current one,
    # the page stays the same until there is another post.
    until = None if newest is None else newest.listed_at
    listed = page.service.posts.list_published(page.settings.posts_per_page, cursor, until=until)
    newer, older = _list_url(page, listed.previous), _list_url(page, listed.cursor)
    head = page.head(Phrase("Blog"), _list_url(page, cursor) or page.urls.page("blog"))
    return page.show_posts(
        replace(head, previous=newer, next=older),
        page.rows(listed.items),
        lead=page.settings.tagline if cursor is None else "",
        empty=Phrase("No posts yet. Come back soon."),
    )


def _list_url(page: PublicPageContext, cursor: str | None) -> str:
    return page.urls.page("blog", cursor=cursor) if cursor else ""


@router.get("/tags")
def list_tags(page: PublicPage) -> Response:
    """List all tags and categories with the numbers of their posts."""
    catalog = page.service.catalog
    return page.show(
        "tags",
        page.head(Phrase("Tags"), page.urls.page("tags")),
        tags=catalog.tags(page.now),
        categories=catalog.categories(page.now),
    )


@router.get("/tags/{tag}")
def list_tagged(page: PublicPage, tag: web.Segment) -> Response:
    """List the posts with a tag."""
    posts = page.service.catalog.visible(page.now, tag=tag)
    return _show_part(page, posts, f"#{tag}", page.urls.tag(tag), Phrase("Tags"), "tags")


@router.get("/categories/{category}")
def list_category(page: PublicPage, category: web.Segment) -> Response:
    """List the posts in a category."""
    posts = page.service.catalog.visible(page.now, category=category)
    title = posts[0].category if posts else category
    return _show_part(page, posts, title, page.urls.category(title), Phrase("Categories"), "tags")


@router.get("/archive")
def show_archive(page: PublicPage) -> Response:
    """List all posts by year."""
    rows = page.rows(page.service.catalog.visible(page.now), likes=False)
    years = [(year, list(posts)) for year, posts in groupby(rows, lambda row: row.time.local.year)]
    head = page.head(Phrase("Archive"), page.urls.page("archive"))
    return page.show("archive", head, years=years)


def _show_part(
    page: PublicPageContext, posts: list[Blog], title: str, url: str, parent: str, path: str
) -> Response:
    if not posts:
        raise web.Problem(web.NOT_FOUND, "There are no posts here.")
    eyebrow = pages.Link(parent, page.urls.page(path))
    return page.show_posts(page.head(title, url), page.rows(posts), eyebrow=eyebrow)


@router.get("/blog/{slug}")
def show_post(
    page: PublicPage,
    slug: web.Segment,
    preview: str = "",
    like: str = "",
    comment: str = "",
    reply: str = "",
) -> Response:
    """Show a post. `preview` is the token of a draft; the others come back from a form."""
    if preview:
        return show_preview(page, page.service.posts.open_preview(preview))
    post = _post_at(page, slug)
    if slug != post.blog.slug:
        return RedirectResponse(page.urls.post(post.blog.slug), 301)
    # A browser without scripts comes back here after the form, and sees its own like.
    likes = page.service.likes.state(post.blog.blog_id, _visitor(page)) if like else None
    form = pages.Form({"reply_to": reply[:64]})
    return _show_post(page, post, form=form, likes=likes, is_waiting=comment == "waiting")


@pages_router.get("/{slug}")
def show_page(page: PublicFile, slug: web.Segment, preview: str = "") -> Response:
    """Show a page of the owner's own. `preview` is the token of a draft."""
    if preview:
        return show_preview(page, page.service.posts.open_preview(preview))
    blog = page.service.catalog.page_at(derive_slug(slug[:MAX_TITLE]), page.now)
    content = page.service.posts.contents([blog.blog_id]) if blog else {}
    if blog is None or not content:
        raise web.Problem(
            web.NOT_FOUND, "There is no such page. It may have been moved or deleted."
        )
    if slug != blog.slug:
        return RedirectResponse(page.urls.of(blog), 301)
    return _show_page(page, Post(blog, content[blog.blog_id]))


def show_preview(page: PublicPageContext, post: Post) -> Response:
    """Show a draft as readers will see it."""
    show = _show_page if post.blog.is_page else _show_post
    return show(page, post, is_preview=True)


def _show_page(page: PublicPageContext, post: Post, *, is_preview: bool = False) -> Response:
    blog = post.blog
    description = blog.seo_description or blog.excerpt
    return page.show(
        "about",
        replace(page.head(blog.title, page.urls.of(blog), description), is_hidden=is_preview),
        caching=web.NO_STORE if is_preview else web.SHARED_FIVE_MINUTES,
        last_modified=None if is_preview else max(page.changed_at, blog.updated_at),
        # It was sanitized when it was saved.
        text=Markup(post.content.content),
        portrait=None,
        is_preview=is_preview,
    )


def _show_post(
    page: PublicPageContext,
    post: Post,
    status: int = 200,
    *,
    form: pages.Form = NO_FORM,
    likes: LikeState | None = None,
    is_waiting: bool = False,
    is_preview: bool = False,
) -> Response:
    blog, service = post.blog, page.service
    row = page.rows([blog])[0] if likes is None else page.row(blog, likes.count)
    comments, reply_to = service.comments.of_post(blog.blog_id), form.value("reply_to")
    older, newer = service.catalog.neighbors(blog, page.now)
    is_shared = status == 200 and likes is None and not is_preview
    changes = [page.changed_at, blog.updated_at, blog.published_at or blog.updated_at]
    return page.show(
        "post",
        replace(_post_head(page, blog, older, newer), is_hidden=is_preview),
        status,
        # A comment is approved after it was written, and can be deleted.
        last_modified=max(changes) if is_shared and not comments else None,
        caching=web.SHARED_FIVE_MINUTES if is_shared else web.NO_STORE,
        blog=blog,
        row=row,
        # It was sanitized when it was saved.
        text=Markup(post.content.content),
        picture=seo.picture_of(blog.featured_image_url, blog.featured_image_alt, largest=True),
        author=blog.author_name or page.person.name,
        updated=_updated(page, blog),
        liked=likes is not None and likes.liked,
        older=older,
        newer=newer,
        related=page.rows(service.catalog.related(blog, page.now), likes=False),
        comments=comments,
        threads=threads(comments),
        answered=next((each for each in comments if each.comment_id == reply_to), None),
        form=form,
        is_waiting=is_waiting,
        is_preview=is_preview,
    )


def _post_head(
    page: PublicPageContext, blog: Blog, older: Blog | None, newer: Blog | None
) -> seo.Head:
    urls, description = page.urls, blog.seo_description or blog.excerpt
    image = seo.share_image(urls, blog.featured_image_url, blog.featured_image_alt)
    head = page.head(blog.title, urls.post(blog.slug), description)
    article = seo.article_data(urls, blog, description, image, page.settings)
    return replace(
        head,
        canonical=blog.canonical_url or head.canonical,
        kind="article",
        image=image or head.image,
        article=[
            *([("published_time", blog.published_at.isoformat())] if blog.published_at else []),
            ("modified_time", blog.updated_at.isoformat()),
            *([("section", blog.category)] if blog.category else []),
            *(("tag", tag) for tag in blog.tags),
        ],
        json_ld=seo.json_ld(article),
        previous=urls.post(older.slug) if older else "",
        next=urls.post(newer.slug) if newer else "",
    )


def _updated(page: PublicPageContext, blog: Blog) -> pages.LocalTime | None:
    """Return when the post was changed, if that was later than the day it was published."""
    if blog.published_at is None or blog.updated_at - blog.published_at < UPDATED_AFTER:
        return None
    return pages.LocalTime(blog.updated_at, page.zone, page.language)


def _post_at(page: PublicPageContext, slug: web.Segment) -> Post:
    """Return the post that has or had a slug."""
    found = page.service.posts.find(slug)
    if isinstance(found, Moved):
        found = page.service.posts.find(found.slug)
    if not isinstance(found, Post) or found.blog.is_page:
        raise web.Problem(
            web.NOT_FOUND, "There is no such post. It may have been moved or deleted."
        )
    return found


def _visitor(page: PublicPageContext) -> str:
    return page.service.likes.visitor(web.client_network(web.client_address(page.request)))


def _likes_response(state: LikeState) -> Response:
    return JSONResponse({"count": state.count, "liked": state.liked}, headers=dict(web.NO_STORE))


@router.get("/blog/{slug}/likes")
def get_likes(page: PublicPage, slug: web.Segment) -> Response:
    """Return the likes of a post, and whether this visitor is among them."""
    blog_id = _post_at(page, slug).blog.blog_id
    return _likes_response(page.service.likes.state(blog_id, _visitor(page)))


@router.post("/blog/{slug}/like")
def like_post(page: PublicPage, slug: web.Segment, form: pages.PostedForm) -> Response:
    """Like a post or take it back: JSON for scripts, or else back to the post."""
    count_request(page.request, "like")
    blog = _post_at(page, slug).blog
    likes = page.service.likes
    change = likes.unlike if form.value("action") == "unlike" else likes.like
    state = change(blog.blog_id, _visitor(page))
    if wants_json(page.request):
        return _likes_response(state)
    return RedirectResponse(f"{page.urls.post(blog.slug, like='1')}#like", 303)


@router.post("/blog/{slug}/comments")
def submit_comment(page: PublicPage, slug: web.Segment, form: pages.PostedForm) -> Response:
    """Put a comment into the queue, and say so on the page of the post."""
    post = _post_at(page, slug)

    def submit(_: pages.ConfirmForm) -> Response:
        # A form that is shown again with its errors does not count.
        count_request(page.request, "comment")
        draft = CommentDraft(*(form.value(each.name) for each in fields(CommentDraft)))
        page.service.comments.submit(post.blog.blog_id, draft, _visitor(page))
        return RedirectResponse(f"{page.urls.post(post.blog.slug, comment='waiting')}#comment", 303)

    def show(shown: pages.Form, status: int) -> Response:
        return _show_post(page, post, status, form=shown)

    return page.submit(form, pages.ConfirmForm, submit, show)


@router.post("/blog/{slug}/view")
def record_view(page: PublicPage, slug: web.Segment) -> Response:
    """Count a view, unless the reader asked not to be counted."""
    count_request(page.request, "view")
    headers = page.request.headers
    if headers.get("sec-gpc") != "1" and headers.get("dnt") != "1":
        page.service.stats.record_view(_post_at(page, slug).blog.blog_id)
    return Response(status_code=204, headers=dict(web.NO_STORE))
