"""Portfolio: the table `DataTable` of a personal site and its blog."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from singletable.schema import (
    Attr,
    Entity,
    Index,
    Key,
    Table,
    TimeFormat,
    attr,
    expires,
    repeated,
)
from singletable_apps.tour.design import Design, Step

LIKED_AT = datetime(2025, 3, 2, 8, 15, tzinfo=UTC)
blogs_by_date = Index("BlogsByDate", pk="GSI1PK", sk="GSI1SK")
blog_by_slug = Index("BlogBySlug", pk="GSI2PK", sk="GSI2SK")
likes_by_blog = Index("LikesByBlog", pk="GSI3PK", sk="GSI3SK")
data_table = Table("DataTable", indexes=[blogs_by_date, blog_by_slug, likes_by_blog], ttl="ttl")


class Portfolio(Entity, table=data_table):
    """The site itself."""

    name: Attr[str] = attr()
    headline: Attr[str] = attr()
    skills: Attr[list[str]] = attr()
    key = Key(pk="PORTFOLIO#default", sk="METADATA")


class User(Entity, table=data_table):
    """The owner of the site."""

    email: Attr[str] = attr()
    key = Key(pk=("USER", email), sk="METADATA")


class Blog(Entity, table=data_table):
    """A blog post, listed by date and found by slug."""

    id: Attr[str] = attr()
    slug: Attr[str] = attr()
    title: Attr[str] = attr()
    created_at: Attr[datetime] = attr(time_format=TimeFormat.SECONDS)
    key = Key(pk=("BLOG", id), sk="METADATA")  # noqa: A003
    by_date = Key(pk="BLOG#ALL", sk=created_at).on(blogs_by_date)
    by_slug = Key(pk=("SLUG", slug), sk=id).on(blog_by_slug)  # noqa: A003


class Like(Entity, table=data_table):
    """A like from an IP address, which expires after thirty days."""

    blog_id: Attr[str] = attr(key_only=True)
    time: Attr[datetime] = attr(time_format=TimeFormat.SECONDS, key_only=True)
    ip: Attr[str] = attr(key_only=True)
    expires_at: Attr[datetime] = expires()
    key = Key(pk=("LIKE", blog_id, time, ip), sk=(repeated(time), repeated(ip)))
    of_blog = Key(pk=("LIKE", blog_id), sk=(time, ip)).on(likes_by_blog)


def _items(now: datetime) -> list[object]:
    posts = (
        ("1", "note-g", "Note G", datetime(2025, 1, 10, 9, tzinfo=UTC)),
        ("2", "loops", "On loops", datetime(2025, 2, 14, 9, tzinfo=UTC)),
        ("3", "engines", "Engines that weave", datetime(2025, 3, 1, 9, tzinfo=UTC)),
    )
    expires_at = now + timedelta(days=30)
    return [
        Portfolio(
            name="Ada Lovelace",
            headline="Analyst of engines",
            skills=["mathematics", "punched cards"],
        ),
        User(email="ada@example.com"),
        *(Blog(id=n, slug=slug, title=title, created_at=at) for n, slug, title, at in posts),
        *(
            Like(blog_id="3", time=LIKED_AT, ip=f"203.0.113.{last}", expires_at=expires_at)
            for last in (7, 20, 33)
        ),
    ]


_FIRST_PAGE = "Get All Blogs (Sorted by Date)"

PORTFOLIO = Design(
    title="Portfolio",
    description="A personal site with a blog. Three sparse indexes list the posts by date, find "
    "one by its slug and count its likes; likes expire.",
    tables=(data_table,),
    items=_items,
    steps=(
        Step(
            title="Get Portfolio",
            document="GetItem PK=PORTFOLIO#default, SK=METADATA",
            call=lambda session: session.store.get(Portfolio.key()),
            columns=("name", "headline", "skills"),
            note="The document expects 1 RCU. An eventually consistent read costs half of it.",
        ),
        Step(
            title=_FIRST_PAGE,
            document="Query GSI1 (NO SCAN!), GSI1PK=BLOG#ALL, sorted by GSI1SK DESC",
            call=lambda session: session.store.page(Blog.by_date(), 2, reverse=True),
            columns=("created_at", "title", "slug"),
        ),
        Step(
            title="The next page",
            document="with pagination",
            call=lambda session: session.store.page(
                Blog.by_date(), 2, reverse=True, cursor=session.results[_FIRST_PAGE].cursor
            ),
            columns=("created_at", "title", "slug"),
        ),
        Step(
            title="Update a blog's title",
            document="Blog: PK=BLOG#{blogId}, SK=METADATA",
            call=lambda session: session.store.update(
                Blog.key("2"), Blog.title.set("On loops, again")
            ),
            columns=("title",),
            note="Two indexes project all attributes of a blog, so they are written too; no blog "
            "is in the third.",
        ),
        Step(
            title="Get Blog by Slug",
            document="Query GSI2, GSI2PK=SLUG#{slug}",
            call=lambda session: [*session.store.query(Blog.by_slug("loops"))],
            columns=("id", "title"),
        ),
        Step(
            title="Get Likes Count for Blog",
            document="Query GSI3 with COUNT, GSI3PK=LIKE#{blogId}, Select='COUNT'",
            call=lambda session: session.store.count(Like.of_blog("3")),
        ),
        Step(
            title="Check if IP Liked Blog",
            document="Query GSI3, GSI3PK=LIKE#{blogId}, GSI3SK={timestamp}#{ip}",
            call=lambda session: [
                *session.store.query(Like.of_blog("3").eq(LIKED_AT).eq("203.0.113.20"))
            ],
            columns=("blog_id", "time", "ip"),
        ),
    ),
)
