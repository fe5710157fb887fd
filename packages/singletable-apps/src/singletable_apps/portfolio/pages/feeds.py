"""Feeds for readers, and the sitemap and robots.txt for search engines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from urllib.parse import urljoin
from uuid import NAMESPACE_URL, UUID, uuid5

from fastapi import APIRouter, Request, Response
from markupsafe import Markup

from singletable_apps.portfolio.entities import Blog
from singletable_apps.portfolio.pages.dependencies import AnyPage, PageContext
from singletable_apps.portfolio.urls import Urls
from singletable_apps.shared import feeds
from singletable_apps.shared.errors import NotFound
from singletable_apps.shared.service import is_uuid
from singletable_apps.shared.web import CachedRoute, Segment, public_response

router = APIRouter(route_class=CachedRoute)
FEED_LENGTH = 20
# The ends of the URLs of feeds, on their own and after the URL of a tag.
FORMATS: dict[str, tuple[Callable[[feeds.Feed, str], bytes], str]] = {
    "feed.xml": (feeds.rss, feeds.RSS_TYPE),
    "atom.xml": (feeds.atom, feeds.ATOM_TYPE),
    "feed.json": (feeds.json_feed, feeds.JSON_TYPE),
}
# Feed readers that run in browsers read our feeds from their own pages.
_FOR_ALL_SITES = {
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
}


@router.get("/feed.xml")
@router.get("/atom.xml")
@router.get("/feed.json")
def read_feed(page: AnyPage) -> Response:
    """Return the newest posts."""
    now = page.service.context.clock()
    return _respond(page, page.service.catalog.visible(now), page.urls.page())


@router.get("/tags/{tag}/feed.xml")
@router.get("/tags/{tag}/atom.xml")
@router.get("/tags/{tag}/feed.json")
def read_tag_feed(page: AnyPage, tag: Segment) -> Response:
    """Return the newest posts with a tag."""
    blogs = page.service.catalog.visible(page.service.context.clock(), tag=tag)
    if not blogs:
        raise NotFound("No post has this tag.")
    return _respond(page, blogs, page.urls.tag(tag), tag)


def _respond(page: PageContext, blogs: Sequence[Blog], url: str, tag: str = "") -> Response:
    # request.url would end at the # of a tag such as c#.
    file = page.request.scope["path"].rpartition("/")[2]
    render, media_type = FORMATS[file]
    feed = _make_feed(page, blogs[:FEED_LENGTH], url, tag)
    self_url = page.urls.absolute(f"{url.rstrip('/')}/{file}")
    return public_response(
        page.request,
        render(feed, self_url),
        media_type,
        # A reader that knows no ETag may miss that a post was withdrawn, until the next one.
        last_modified=feed.updated,
        headers=_FOR_ALL_SITES,
    )


def _make_feed(page: PageContext, blogs: Sequence[Blog], url: str, tag: str) -> feeds.Feed:
    service, urls = page.service, page.urls
    settings, portfolio = service.profile.get_settings(), service.profile.get_portfolio()
    texts = service.posts.contents(blog.blog_id for blog in blogs)
    entries = [
        _make_entry(urls, blog, texts[blog.blog_id].content, portfolio.name)
        for blog in blogs
        if blog.blog_id in texts
    ]
    changes = [item.updated_at for item in (settings, portfolio) if item.revision]
    changes += [entry.updated for entry in entries]
    title = settings.title or portfolio.name or "Blog"
    return feeds.Feed(
        id=urls.absolute(url),
        url=urls.absolute(url),
        title=f"{title}: {tag}" if tag else title,
        updated=max(changes, default=service.context.clock()),
        entries=entries,
        description=settings.tagline,
        language=settings.language,
        author=portfolio.name,
    )


def _make_entry(urls: Urls, blog: Blog, html: str, name: str) -> feeds.FeedEntry:
    url = urls.absolute(urls.post(blog.slug))
    image = urljoin(url, blog.featured_image_url) if blog.featured_image_url else ""
    if image and blog.featured_image_url not in html:
        alt = blog.featured_image_alt
        html = Markup('<p><img src="{}" alt="{}"></p>').format(image, alt) + Markup(html)
    return feeds.FeedEntry(
        id=entry_id(blog.blog_id),
        url=url,
        title=blog.title,
        html=html,
        published=_published_at(blog),
        updated=max(blog.updated_at, _published_at(blog)),
        author=blog.author_name or name,
        summary=blog.seo_description or blog.excerpt,
        image=image,
        tags=blog.tags,
    )


def entry_id(blog_id: str) -> str:
    """Return the id of a post in feeds, which stays when its slug or the domain changes."""
    return (UUID(blog_id) if is_uuid(blog_id) else uuid5(NAMESPACE_URL, blog_id)).urn


def _published_at(blog: Blog) -> datetime:
    return blog.published_at or blog.created_at


@router.get("/sitemap.xml")
def read_sitemap(page: AnyPage) -> Response:
    """Return the pages for search engines."""
    return public_response(page.request, feeds.sitemap(_list_pages(page)), feeds.SITEMAP_TYPE)


def _list_pages(page: PageContext) -> list[feeds.SitemapUrl]:
    service, urls = page.service, page.urls
    portfolio = service.profile.get_portfolio()
    now = service.context.clock()
    blogs = service.catalog.visible(now)
    newest = max((blog.updated_at for blog in blogs), default=None)
    changed = portfolio.updated_at if portfolio.revision else None
    parts = (
        ("about", portfolio.about_content, changed),
        ("projects", portfolio.projects, changed),
        ("experience", portfolio.experience, changed),
        ("blog", blogs, newest),
        ("archive", blogs, newest),
    )
    pages = [(urls.page(), changed)]
    pages += [(urls.page(name), updated) for name, content, updated in parts if content]
    pages += [
        (urls.post(blog.slug), max(blog.updated_at, _published_at(blog)))
        for blog in blogs
        if not blog.canonical_url
    ]
    pages += [(urls.of(each), each.updated_at) for each in service.catalog.pages(now)]
    pages += [(urls.tag(tag), None) for tag, _ in service.catalog.tags(now)]
    pages += [(urls.category(name), None) for name, _ in service.catalog.categories(now)]
    return [feeds.SitemapUrl(urls.absolute(url), updated) for url, updated in pages]


@router.get("/robots.txt")
def read_robots(request: Request, page: AnyPage) -> Response:
    """Keep search engines out of the pages for authors, and show them the sitemap."""
    lines = [
        "User-agent: *",
        f"Disallow: {page.urls.admin()}",
        f"Disallow: {page.urls.page('search')}",
        f"Sitemap: {page.urls.absolute(page.urls.page('sitemap.xml'))}",
    ]
    return public_response(request, "\n".join(lines) + "\n", "text/plain; charset=utf-8")
