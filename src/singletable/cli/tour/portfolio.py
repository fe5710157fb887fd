"""Portfolio: `DataTable`, a personal site and its blog."""

from __future__ import annotations

from singletable.cli.tour.chapter import Chapter, Fill, Walk, ask
from singletable.cli.tour.declare import index, key, table
from singletable.cli.tour.plain import PlainItem, to_item
from singletable.operations import (
    GetItem,
    Query,
    TimeToLiveSpecification,
    UpdateItem,
    UpdateTimeToLive,
)

DATA = "DataTable"
THIRTY_DAYS = 30 * 24 * 60 * 60
LIKED_AT = "2025-03-02T08:15:00Z"


def fill(now: int) -> Fill:
    """A portfolio, a user, three blog posts and some likes."""
    portfolio: PlainItem = {
        "PK": "PORTFOLIO#default",
        "SK": "METADATA",
        "name": "Ada Lovelace",
        "headline": "Analyst of engines",
        "skills": ["mathematics", "punched cards"],
    }
    user: PlainItem = {"PK": "USER#ada@example.com", "SK": "METADATA", "email": "ada@example.com"}
    blogs = [
        blog("1", "note-g", "Note G", "2025-01-10T09:00:00Z"),
        blog("2", "loops", "On loops", "2025-02-14T09:00:00Z"),
        blog("3", "engines", "Engines that weave", "2025-03-01T09:00:00Z"),
    ]
    likes = [like("3", LIKED_AT, f"203.0.113.{last}", now) for last in (7, 20, 33)]
    return {DATA: [portfolio, user, *blogs, *likes]}


def blog(blog_id: str, slug: str, title: str, created_at: str) -> PlainItem:
    """A blog post, listed by date and found by slug."""
    return {
        "PK": f"BLOG#{blog_id}",
        "SK": "METADATA",
        "id": blog_id,
        "slug": slug,
        "title": title,
        "created_at": created_at,
        "GSI1PK": "BLOG#ALL",
        "GSI1SK": created_at,
        "GSI2PK": f"SLUG#{slug}",
        "GSI2SK": blog_id,
    }


def like(blog_id: str, when: str, address: str, now: int) -> PlainItem:
    """A like, which expires after thirty days."""
    return {
        "PK": f"LIKE#{blog_id}#{when}#{address}",
        "SK": f"{when}#{address}",
        "GSI3PK": f"LIKE#{blog_id}",
        "GSI3SK": f"{when}#{address}",
        "ttl": now + THIRTY_DAYS,
    }


def walk(now: int) -> Walk[None]:
    """Visit the site, page through the blog, count likes, change a title."""
    yield from ask(
        "Get Portfolio",
        "GetItem PK=PORTFOLIO#default, SK=METADATA",
        GetItem(DATA, key("PORTFOLIO#default", "METADATA")),
        columns=("name", "headline", "skills"),
        remark="The document expects 1 RCU. A read that need not see the latest write costs half.",
    )
    newest = Query(
        DATA,
        "BlogsByDate",
        limit=2,
        scan_index_forward=False,
        key_condition_expression="GSI1PK = :all",
        expression_attribute_values=to_item({":all": "BLOG#ALL"}),
    )
    columns = ("created_at", "title", "slug")
    page = yield from ask(
        "Get All Blogs (Sorted by Date)",
        "Query GSI1 (NO SCAN!), GSI1PK=BLOG#ALL, sorted by GSI1SK DESC",
        newest,
        columns=columns,
    )
    yield from ask(
        "The next page of them",
        "with pagination",
        Query(
            DATA,
            "BlogsByDate",
            limit=newest.limit,
            scan_index_forward=False,
            key_condition_expression=newest.key_condition_expression,
            expression_attribute_values=newest.expression_attribute_values,
            exclusive_start_key=page.last_evaluated_key,
        ),
        columns=columns,
    )
    yield from ask(
        "Update a blog's title",
        "Blog: PK=BLOG#{blogId}, SK=METADATA",
        UpdateItem(
            DATA,
            key("BLOG#2", "METADATA"),
            update_expression="SET title = :title",
            condition_expression="attribute_exists(PK)",
            expression_attribute_values=to_item({":title": "On loops, again"}),
            return_values="UPDATED_NEW",
        ),
        columns=("title",),
        remark="Two indexes carry whole blogs, so each is written too; the third has none in it.",
    )
    yield from ask(
        "Get Blog by Slug",
        "Query GSI2, GSI2PK=SLUG#{slug}",
        Query(
            DATA,
            "BlogBySlug",
            key_condition_expression="GSI2PK = :slug",
            expression_attribute_values=to_item({":slug": "SLUG#loops"}),
        ),
        columns=("PK", "title"),
    )
    yield from ask(
        "Get Likes Count for Blog",
        "Query GSI3 with COUNT, GSI3PK=LIKE#{blogId}, Select='COUNT'",
        _likes("GSI3PK = :blog", {":blog": "LIKE#3"}, count=True),
    )
    yield from ask(
        "Check if IP Liked Blog",
        "Query GSI3, GSI3PK=LIKE#{blogId}, GSI3SK={timestamp}#{ip}",
        _likes(
            "GSI3PK = :blog AND GSI3SK = :like",
            {":blog": "LIKE#3", ":like": f"{LIKED_AT}#203.0.113.20"},
        ),
        columns=("GSI3PK", "GSI3SK"),
    )


def _likes(condition: str, values: dict[str, str], *, count: bool = False) -> Query:
    return Query(
        DATA,
        "LikesByBlog",
        select="COUNT" if count else None,
        key_condition_expression=condition,
        expression_attribute_values=to_item(values),
    )


PORTFOLIO = Chapter(
    title="Portfolio",
    about="A personal site with a blog. Three sparse indexes list the posts by date, find one by "
    "its slug, and count the likes of one; likes expire.",
    tables=(
        table(
            DATA,
            index("BlogsByDate", ["GSI1PK"], ["GSI1SK"]),
            index("BlogBySlug", ["GSI2PK"], ["GSI2SK"]),
            index("LikesByBlog", ["GSI3PK"], ["GSI3SK"]),
        ),
    ),
    times_to_live=(UpdateTimeToLive(DATA, TimeToLiveSpecification(True, "ttl")),),
    fill=fill,
    walk=walk,
)
