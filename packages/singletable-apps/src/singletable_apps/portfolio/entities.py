"""The items of `DataTable`.

    partition               sort keys
    PORTFOLIO#default       METADATA (profile, projects, experience), SETTINGS (of the site)
    BLOG#{blogId}           METADATA, CONTENT, REVISION#{number}, COMMENT#{time}#{id}
    SLUG#{slug}             METADATA: the post that has this slug, or had it
    LIKE#{blogId}#{visitor} {visitor}
    LIKES#{blogId}#{shard}  COUNT
    COMMENTS#PENDING        {time}#{id}: the moderation queue
    USER#{email}            METADATA
    MEDIA                   {time}#{name}
    SUBSCRIBERS             {digest}: the readers of the newsletter
    UNSUBSCRIBED            {digest}: readers who left it; imports leave them out
    STATS#{scope}           DAY#{date}: views, likes and comments of the site or of a post
    TRASH                   {kind}#{name}: what was deleted lately; posts stay where they are
    EDITOR#{place}          DRAFT: what someone has typed there and not saved

The document puts a post into one item. Here its text has an item of its own, so that lists, slugs
and indexes read and write 1 KB per post instead of 20.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from singletable import (
    Attr,
    Entity,
    Index,
    Json,
    Key,
    Table,
    TimeFormat,
    Unique,
    attr,
    casefold,
    expires,
    padded,
    repeated,
    version,
)

# Posts by date, drafts, and the accounts.
blogs_by_date = Index("BlogsByDate", pk="GSI1PK", sk="GSI1SK")
blog_by_slug = Index("BlogBySlug", pk="GSI2PK", sk="GSI2SK")
# Likes by post, and comments in the queue by visitor: keys only, so that counting them is cheap.
likes_by_blog = Index("LikesByBlog", pk="GSI3PK", sk="GSI3SK", projection=["ttl"])
data_table = Table("DataTable", indexes=[blogs_by_date, blog_by_slug, likes_by_blog], ttl="ttl")


class Role(StrEnum):
    """What someone with an account may do, lowest first."""

    AUTHOR = "author"
    OWNER = "owner"


class Listing(StrEnum):
    """The list that a post is in. Scheduled posts are in ALL, under their time in the future.

    Pages are in PAGES, public or not. A post in TRASH is listed under the time when it was deleted,
    and can be restored. A post in DELETED is gone for everyone; the rest of its items are being
    deleted.
    """

    ALL = "ALL"
    DRAFTS = "DRAFTS"
    PAGES = "PAGES"
    TRASH = "TRASH"
    DELETED = "DELETED"


class TrashKind(StrEnum):
    """What can be in the trash."""

    POST = "post"
    COMMENT = "comment"
    IMAGE = "image"
    PROJECT = "project"
    POSITION = "position"


class Font(StrEnum):
    """The typeface of the site."""

    SERIF = "serif"
    SANS = "sans"
    MONO = "mono"


class Theme(StrEnum):
    """Light, dark, or as the reader's system is set."""

    AUTO = "auto"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True)
class Project:
    """Something that the owner of the site made."""

    id: str
    title: str
    description: str = ""
    image_url: str = ""
    image_alt: str = ""
    technologies: list[str] = field(default_factory=list[str])
    link: str = ""


@dataclass(frozen=True)
class Experience:
    """A position. Without `end_date` it is the current one."""

    id: str
    title: str
    company: str
    description: str = ""
    start_date: date | None = None
    end_date: date | None = None
    technologies: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class MenuEntry:
    """A link in the menu: to a part of the site (`blog`), to a page by its slug, or to a URL.

    Without a title, it has the name of the part or the title of the page.
    """

    id: str
    title: str = ""
    link: str = ""


_PARTS = ("blog", "projects", "experience", "about", "contact")
DEFAULT_MENU = [MenuEntry(part, link=part) for part in _PARTS]


class Portfolio(Entity, table=data_table):
    """The person: profile, about page, projects and experience. There is one, named `default`."""

    id: Attr[str] = attr(default="default")
    name: Attr[str] = attr(default="")
    headline: Attr[str] = attr(default="")
    profile_pic_url: Attr[str] = attr(default="")
    bio: Attr[str] = attr(default="")
    email: Attr[str] = attr(default="")
    social_links: Attr[dict[str, str]] = attr(factory=dict)
    about_content: Attr[str] = attr(default="")
    about_markdown: Attr[str] = attr(default="")
    projects: Attr[list[Project]] = attr(factory=list)
    experience: Attr[list[Experience]] = attr(factory=list)
    updated_at: Attr[datetime] = attr(time_format=TimeFormat.EPOCH_SECONDS)
    revision: Attr[int] = version()

    key = Key(pk=("PORTFOLIO", id), sk="METADATA")


class SiteSettings(Entity, table=data_table):
    """How the site looks and what it offers. Created with the first account."""

    id: Attr[str] = attr(default="default")
    title: Attr[str] = attr(default="")
    tagline: Attr[str] = attr(default="")
    language: Attr[str] = attr(default="en")
    time_zone: Attr[str] = attr(default="UTC")
    theme: Attr[Theme] = attr(default=Theme.AUTO)
    accent: Attr[str] = attr(default="#0f6b4f")
    font: Attr[Font] = attr(default=Font.SERIF)
    posts_per_page: Attr[int] = attr(default=10)
    likes: Attr[bool] = attr(default=True)
    comments: Attr[bool] = attr(default=True)
    contact: Attr[bool] = attr(default=True)
    newsletter: Attr[bool] = attr(default=False)
    menu: Attr[list[MenuEntry]] = attr(factory=lambda: list(DEFAULT_MENU))
    css: Attr[str] = attr(default="")
    updated_at: Attr[datetime] = attr(time_format=TimeFormat.EPOCH_SECONDS)
    revision: Attr[int] = version()

    key = Key(pk=("PORTFOLIO", id), sk="SETTINGS")


class Subscriber(Entity, table=data_table):
    """A reader of the newsletter with a confirmed address."""

    digest: Attr[str] = attr()
    email: Attr[str] = attr()
    confirmed_at: Attr[datetime] = attr(time_format=TimeFormat.EPOCH_SECONDS)

    key = Key(pk="SUBSCRIBERS", sk=digest)


class Unsubscribed(Entity, table=data_table):
    """A reader who left the newsletter. The address is deleted; `digest` is a keyed hash of it."""

    digest: Attr[str] = attr()

    key = Key(pk="UNSUBSCRIBED", sk=digest)


class User(Entity, table=data_table):
    """An account. `credentials` changes with the password and ends all sessions."""

    email: Attr[str] = attr()
    user_id: Attr[int] = attr()
    name: Attr[str] = attr()
    role: Attr[Role] = attr()
    password_hash: Attr[str] = attr(hidden=True)
    credentials: Attr[int] = attr(default=1)
    created_at: Attr[datetime] = attr(time_format=TimeFormat.EPOCH_SECONDS)
    last_login: Attr[datetime | None] = attr(time_format=TimeFormat.EPOCH_SECONDS, default=None)
    revision: Attr[int] = version()

    key = Key(pk=("USER", casefold(email)), sk="METADATA")
    by_date = Key(pk="USER#ALL", sk=created_at).on(blogs_by_date)
    one_id = Unique(user_id, pk=("USERID", user_id), sk="METADATA")


class Blog(Entity, table=data_table):
    """A post without its text, or a page of the site, which has its slug as its address.

    A draft has no `published_at`. A post is public once `published_at` has passed, so publishing on
    schedule needs no job: readers query the index up to the current time.
    """

    blog_id: Attr[str] = attr(name="blogId")
    title: Attr[str] = attr()
    slug: Attr[str] = attr()
    listing: Attr[Listing] = attr(default=Listing.DRAFTS)
    is_page: Attr[bool] = attr(default=False)
    tags: Attr[list[str]] = attr(factory=list)
    category: Attr[str] = attr(default="")
    author: Attr[str] = attr()
    author_name: Attr[str] = attr(default="")
    featured_image_url: Attr[str] = attr(default="")
    featured_image_alt: Attr[str] = attr(default="")
    seo_description: Attr[str] = attr(default="")
    canonical_url: Attr[str] = attr(default="")
    excerpt: Attr[str] = attr(default="")
    reading_time: Attr[int] = attr(default=1)
    created_at: Attr[datetime] = attr(time_format=TimeFormat.EPOCH_SECONDS)
    updated_at: Attr[datetime] = attr(time_format=TimeFormat.EPOCH_SECONDS)
    published_at: Attr[datetime | None] = attr(time_format=TimeFormat.EPOCH_SECONDS, default=None)
    # The time by which the list is sorted: of publication, or of creation for a draft.
    listed_at: Attr[datetime] = attr(time_format=TimeFormat.SECONDS)
    revisions: Attr[int] = attr(default=0)
    # Whether it was public under its current slug before its last change.
    was_public: Attr[bool] = attr(default=False)
    # Slugs that redirect to it, unless another post has taken them.
    old_slugs: Attr[list[str]] = attr(factory=list)
    # How often its preview link was replaced.
    replaced_previews: Attr[int] = attr(default=0)
    revision: Attr[int] = version()

    key = Key(pk=("BLOG", blog_id), sk="METADATA")
    by_date = Key(pk=("BLOG", listing), sk=listed_at).on(blogs_by_date)
    by_slug = Key(pk=("SLUG", slug), sk=blog_id).on(blog_by_slug)


class BlogContent(Entity, table=data_table):
    """The text of a post: the Markdown that its author wrote, and the sanitized HTML of it."""

    blog_id: Attr[str] = attr(name="blogId")
    markdown: Attr[str] = attr()
    content: Attr[str] = attr()

    key = Key(pk=("BLOG", blog_id), sk="CONTENT")


class Revision(Entity, table=data_table):
    """What a post was before an edit, numbered from 1. `edited_by` and `edited_at` are the edit."""

    blog_id: Attr[str] = attr(name="blogId")
    number: Attr[int] = attr()
    title: Attr[str] = attr()
    markdown: Attr[str] = attr()
    edited_by: Attr[str] = attr()
    edited_at: Attr[datetime] = attr(time_format=TimeFormat.EPOCH_SECONDS)

    key = Key(pk=("BLOG", blog_id), sk=("REVISION", padded(number, 6)))


class Slug(Entity, table=data_table):
    """A slug and its post. A released slug stays with its last post and redirects to it.

    A post may take a released slug; it may not take a current one. Until the taker is public, the
    slug still redirects to the post that released it, `redirects_to`, which may get it back.
    """

    slug: Attr[str] = attr()
    blog_id: Attr[str] = attr(name="blogId")
    is_current: Attr[bool] = attr(default=True)
    redirects_to: Attr[str] = attr(default="")

    key = Key(pk=("SLUG", slug), sk="METADATA")


class Like(Entity, table=data_table):
    """A visitor likes a post. The item expires with the period; the count stays.

    `visitor` is a keyed hash of the visitor's network and the period. `shard` is the counter that
    was incremented, for undoing.
    """

    blog_id: Attr[str] = attr(name="blogId")
    visitor: Attr[str] = attr()
    shard: Attr[int] = attr(default=0)
    liked_at: Attr[datetime] = attr(time_format=TimeFormat.EPOCH_SECONDS)
    ends: Attr[datetime] = expires()

    key = Key(pk=("LIKE", blog_id, visitor), sk=repeated(visitor))
    of_blog = Key(pk=("LIKE", blog_id), sk=visitor).on(likes_by_blog)


class LikeCount(Entity, table=data_table):
    """How many likes a post has, or one of several counters of a post with very many.

    `shards` on the counter 0 is the number of counters. They are in partitions of their own.
    """

    blog_id: Attr[str] = attr(name="blogId")
    shard: Attr[int] = attr()
    likes_count: Attr[int] = attr(default=0)
    shards: Attr[int] = attr(default=1)

    key = Key(pk=("LIKES", blog_id, padded(shard, 2)), sk="COUNT")


class Comment(Entity, table=data_table):
    """A comment that was approved. `content` is plain text.

    `reply_to` is the id of the comment that it answers. With `is_author`, it is of an author here.
    """

    blog_id: Attr[str] = attr(name="blogId")
    comment_id: Attr[str] = attr(name="commentId")
    author_name: Attr[str] = attr()
    author_email: Attr[str] = attr(default="")
    content: Attr[str] = attr()
    created_at: Attr[datetime] = attr(time_format=TimeFormat.SECONDS)
    approved_by: Attr[str] = attr()
    reply_to: Attr[str] = attr(default="")
    is_author: Attr[bool] = attr(default=False)

    key = Key(pk=("BLOG", blog_id), sk=("COMMENT", created_at, comment_id))


class PendingComment(Entity, table=data_table):
    """A comment in the moderation queue. It is deleted if nobody approves it in time.

    `visitor` is a keyed hash, so that nobody can fill the queue alone.
    """

    blog_id: Attr[str] = attr(name="blogId")
    comment_id: Attr[str] = attr(name="commentId")
    author_name: Attr[str] = attr()
    author_email: Attr[str] = attr(default="")
    content: Attr[str] = attr()
    created_at: Attr[datetime] = attr(time_format=TimeFormat.SECONDS)
    visitor: Attr[str] = attr()
    reply_to: Attr[str] = attr(default="")
    ends: Attr[datetime] = expires()

    key = Key(pk="COMMENTS#PENDING", sk=(created_at, comment_id))
    by_visitor = Key(pk="COMMENTS#PENDING", sk=(visitor, comment_id)).on(likes_by_blog)


class Media(Entity, table=data_table):
    """An uploaded image. `name` is derived from its bytes and contains its size in pixels."""

    name: Attr[str] = attr()
    alt: Attr[str] = attr(default="")
    filename: Attr[str] = attr(default="")
    width: Attr[int] = attr()
    height: Attr[int] = attr()
    widths: Attr[list[int]] = attr()
    size: Attr[int] = attr()
    uploaded_by: Attr[str] = attr()
    uploaded_at: Attr[datetime] = attr(time_format=TimeFormat.SECONDS)

    key = Key(pk="MEDIA", sk=(uploaded_at, name))
    one_name = Unique(name, pk=("MEDIA", name), sk="METADATA")


class Trashed(Entity, table=data_table):
    """What was deleted lately, with its values. Posts are not here, but in the list TRASH.

    Besides owners, the account with the address `author` may restore it.
    """

    kind: Attr[TrashKind] = attr()
    name: Attr[str] = attr()
    title: Attr[str] = attr()
    author: Attr[str] = attr(default="")
    deleted_at: Attr[datetime] = attr(time_format=TimeFormat.EPOCH_SECONDS)
    values: Attr[dict[str, Any]] = attr(codec=Json(), factory=dict)

    key = Key(pk="TRASH", sk=(kind, name))


class EditorDraft(Entity, table=data_table):
    """The fields of an editor that someone has not saved. `place` is the path of the editor."""

    place: Attr[str] = attr()
    fields: Attr[dict[str, str]] = attr()
    name: Attr[str] = attr()
    saved_at: Attr[datetime] = attr(time_format=TimeFormat.EPOCH_SECONDS)
    ends: Attr[datetime] = expires()
    revision: Attr[int] = version()

    key = Key(pk=("EDITOR", place), sk="DRAFT")


class DayStats(Entity, table=data_table):
    """What happened on one day, on the whole site (scope SITE) or on a post (its id)."""

    scope: Attr[str] = attr()
    day: Attr[date] = attr()
    views: Attr[int] = attr(default=0)
    likes: Attr[int] = attr(default=0)
    comments: Attr[int] = attr(default=0)
    ends: Attr[datetime] = expires()

    key = Key(pk=("STATS", scope), sk=("DAY", day))
