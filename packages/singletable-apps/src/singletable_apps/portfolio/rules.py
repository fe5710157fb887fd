"""The rules of the site: permissions, valid input, and what is public."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any
from unicodedata import category, normalize

from singletable import evolve
from singletable_apps.portfolio.entities import Blog, BlogContent, Listing, Role, User
from singletable_apps.shared.errors import InvalidInput, RequestRejected
from singletable_apps.shared.languages import Phrase
from singletable_apps.shared.permissions import Permissions
from singletable_apps.shared.service import is_uuid
from singletable_apps.shared.text import InputChecks, normalize_line

MAX_MARKDOWN_BYTES = 120_000
TOO_LONG = "A post can have %(most)s bytes of text; this has %(size)s. Make two posts of it."
MAX_HTML_BYTES = 240_000
MAX_TITLE = 200
MAX_SLUG = 100
MAX_TAGS, MAX_TAG = 10, 40
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
MAX_CATEGORY = 60
# The first segments of the app's own URLs, which pages cannot have.
_OWN_SEGMENTS = (
    "about admin api archive blog categories contact experience media newsletter projects search "
    "static tags"
)
RESERVED = frozenset(_OWN_SEGMENTS.split())
MAX_DESCRIPTION = 300
MAX_EXCERPT = 240
# Every old slug redirects to its post for good.
MAX_OLD_SLUGS = 50
WORDS_PER_MINUTE = 200
# A publication time further away is probably a typing error.
MAX_SCHEDULE = timedelta(days=3660)


class SwitchedOff(RequestRejected):
    """The owner of the site has switched this off."""


# What each role is called and may do, for people.
ROLES = {
    Role.AUTHOR: (
        "Author",
        "Writes posts, uploads images, and approves comments on their own posts.",
    ),
    Role.OWNER: ("Owner", "Everything: all posts, the settings, and who has an account."),
}


class Permission(StrEnum):
    """What an account may be allowed to do."""

    WRITE = "write"
    EDIT_ANY = "edit-any"
    MODERATE_ANY = "moderate-any"
    EDIT_SITE = "edit-site"
    MANAGE_ACCOUNTS = "manage-accounts"


PERMISSIONS = Permissions(
    Role,
    {
        Permission.WRITE: (Role.AUTHOR, "Sign in to write."),
        Permission.EDIT_ANY: (Role.OWNER, "Only the owner can change other people’s posts."),
        Permission.MODERATE_ANY: (
            Role.OWNER,
            "You can moderate the comments on your own posts only.",
        ),
        Permission.EDIT_SITE: (Role.OWNER, "Only the owner can change the site."),
        Permission.MANAGE_ACCOUNTS: (Role.OWNER, "Only the owner can manage accounts."),
    },
)


@dataclass(frozen=True)
class PostDraft:
    """What an author enters for a post. An empty slug is derived from the title."""

    title: str
    markdown: str
    slug: str = ""
    tags: tuple[str, ...] = ()
    category: str = ""
    featured_image_url: str = ""
    featured_image_alt: str = ""
    seo_description: str = ""
    canonical_url: str = ""
    is_page: bool = False


def is_id(text: str) -> bool:
    """Return whether the text can be the id of a post, so that it fits into a key."""
    return _ID.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Post:
    """A post with its text."""

    blog: Blog
    content: BlogContent

    @property
    def draft(self) -> PostDraft:
        """Return what its author entered, as the start of an edit."""
        values: dict[str, Any] = {**vars(self.blog), "tags": tuple(self.blog.tags)}
        values["markdown"] = self.content.markdown
        return PostDraft(**{each.name: values[each.name] for each in fields(PostDraft)})


class PostStatus(StrEnum):
    """Where a post is between a draft and its readers."""

    DRAFT = "draft"
    SCHEDULED = "scheduled"
    PUBLISHED = "published"


@dataclass(frozen=True, slots=True)
class Publication:
    """Whether a post is public, and from when on: now without a time.

    With the status PUBLISHED, a time in the past is the date of the post.
    """

    status: PostStatus
    at: datetime | None = None


def post_status(blog: Blog, now: datetime) -> PostStatus:
    """Return whether the post is a draft, scheduled or published."""
    if blog.published_at is None:
        return PostStatus.DRAFT
    return PostStatus.PUBLISHED if is_public(blog, now) else PostStatus.SCHEDULED


def is_public(blog: Blog, now: datetime) -> bool:
    """Return whether everyone can read the post."""
    is_listed = blog.listing in (Listing.ALL, Listing.PAGES)
    return is_listed and blog.published_at is not None and blog.published_at <= now


def check_can_edit(actor: User, blog: Blog) -> None:
    """Raise NotPermitted unless the actor wrote the post or may edit every post and page."""
    if blog.is_page or blog.author != actor.email:
        PERMISSIONS.check(actor.role, Permission.EDIT_ANY)


def check_can_moderate(actor: User, blog: Blog) -> None:
    """Raise NotPermitted unless the actor wrote the post or may moderate every comment."""
    if blog.author != actor.email:
        PERMISSIONS.check(actor.role, Permission.MODERATE_ANY)


_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
# Letters that are not a base letter with an accent.
_LATIN_LETTERS = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)


def derive_slug(title: str) -> str:
    """Return a slug for a title: its words in a–z and 0–9. It may be empty."""
    letters = normalize("NFKD", title.casefold().translate(_LATIN_LETTERS)).casefold()
    plain = "".join(each for each in letters if not "\u0300" <= each <= "\u036f")
    slug = re.sub("[^a-z0-9]+", "-", plain).strip("-")
    if len(slug) > MAX_SLUG:
        # End after a whole word, unless the first word is longer than a slug can be.
        slug = slug[: MAX_SLUG + 1].rpartition("-")[0] or slug[:MAX_SLUG]
    return slug


def slug_error(slug: str) -> str:
    """Return why this cannot be a slug, or an empty text."""
    if len(slug) > MAX_SLUG:
        text = "Use at most %(longest)s characters; there are %(size)s now."
        return Phrase(text, longest=MAX_SLUG, size=len(slug))
    if not _SLUG.fullmatch(slug):
        text = "Use lower-case letters, digits and single hyphens, such as %(example)s."
        return Phrase(text, example=derive_slug(slug) or "my-first-post")
    if is_uuid(slug):
        return "Choose another slug: this one looks like the id of a post."
    return ""


def normalize_tag(tag: str) -> str:
    """Return a tag in lower case, with hyphens between its words: c++, node.js, open-source."""
    folded = normalize("NFKC", normalize("NFKC", tag).casefold())
    # Letters of every script, with the vowel signs and accents that follow them.
    words = (
        each if each.isalnum() or category(each)[0] == "M" or each in "+#." else " "
        for each in folded
    )
    return "-".join("".join(words).split()).lstrip("-.#+").rstrip("-.")


def _check_tags(checks: InputChecks, tags: Iterable[str]) -> tuple[str, ...]:
    kept: dict[str, None] = {}
    for typed in filter(None, map(normalize_line, tags)):
        tag = normalize_tag(typed)
        if not any(each.isalnum() for each in tag):
            checks.reject("tags", "Use letters or digits in every tag.")
        elif len(tag) > MAX_TAG:
            text = "Use at most %(longest)s characters in a tag: “%(tag)s…”."
            checks.reject("tags", text, longest=MAX_TAG, tag=tag[:20])
        kept[tag] = None
    if len(kept) > MAX_TAGS:
        text = "Use at most %(longest)s tags; there are %(size)s now."
        checks.reject("tags", text, longest=MAX_TAGS, size=len(kept))
    return tuple(kept)


def check_draft(draft: PostDraft) -> PostDraft:
    """Return the draft with normalized fields, or raise InvalidInput with every error in it."""
    checks = InputChecks()
    title = checks.line("title", draft.title, longest=MAX_TITLE, required=True)
    slug = draft.slug.strip()
    if slug and (error := slug_error(slug)):
        checks.reject("slug", error)
    elif draft.is_page and slug in RESERVED:
        text = "Choose another address: “/%(slug)s” is a part of the site itself."
        checks.reject("slug", text, slug=slug)
    topic = checks.line("category", draft.category, longest=MAX_CATEGORY)
    if topic and not any(each.isalnum() for each in topic):
        checks.reject("category", "Use letters or digits.")
    elif "/" in topic:
        checks.reject("category", "Leave out the slash.")
    canonical_url = checks.link("canonical_url", draft.canonical_url)
    if canonical_url.startswith("/"):
        checks.reject("canonical_url", "Enter a link such as https://example.org/page.")
    checked = PostDraft(
        title,
        _check_markdown(checks, draft.markdown),
        slug,
        _check_tags(checks, draft.tags),
        topic,
        checks.link("featured_image_url", draft.featured_image_url),
        checks.line("featured_image_alt", draft.featured_image_alt, longest=MAX_DESCRIPTION),
        checks.line("seo_description", draft.seo_description, longest=MAX_DESCRIPTION),
        canonical_url,
        draft.is_page,
    )
    checks.raise_errors()
    return checked


def _check_markdown(checks: InputChecks, markdown: str) -> str:
    # Tabs and spaces at the ends of lines have a meaning in Markdown.
    text = markdown.replace("\r\n", "\n").replace("\r", "\n").strip("\n").rstrip()
    checks.printable("markdown", text.replace("\t", " "))
    size = len(text.encode(errors="replace"))
    if size > MAX_MARKDOWN_BYTES:
        checks.reject("markdown", TOO_LONG, most=MAX_MARKDOWN_BYTES, size=size)
    return text


def check_content(html: str) -> None:
    """Raise InvalidInput if the HTML of a text is too long to be stored."""
    if len(html.encode()) > MAX_HTML_BYTES:
        raise InvalidInput({"markdown": "This text is too long as a page. Make two posts of it."})


def check_publishable(markdown: str) -> None:
    """Raise InvalidInput unless there is something to read."""
    if not markdown.strip():
        raise InvalidInput({"markdown": "Write some text before you publish the post."})


def check_publish_time(at: datetime, now: datetime) -> datetime:
    """Return the time of publication in whole seconds of UTC, or raise InvalidInput."""
    if at.utcoffset() is None:
        raise InvalidInput({"at": "Add a time zone, for example 2026-11-15T18:00:00Z."})
    try:
        time = at.astimezone(UTC).replace(microsecond=0)
    except OverflowError:
        raise InvalidInput({"at": "Choose a time that is nearer."}) from None
    if time.year < 1970:
        raise InvalidInput({"at": "Choose a time after 1970."})
    if time - now > MAX_SCHEDULE:
        raise InvalidInput({"at": "Choose a time within the next ten years."})
    return time


def apply_publication(blog: Blog, markdown: str, publication: Publication, now: datetime) -> Blog:
    """Return the post published, scheduled or withdrawn, or raise InvalidInput.

    Without a time, a post that is public keeps its date.
    """

    def listed(listing: Listing, published_at: datetime | None, listed_at: datetime) -> Blog:
        listing = Listing.PAGES if blog.is_page else listing
        return evolve(blog, listing=listing, published_at=published_at, listed_at=listed_at)

    if publication.status is PostStatus.DRAFT:
        return listed(Listing.DRAFTS, None, blog.created_at)
    check_publishable(markdown)
    if publication.at is None and is_public(blog, now):
        return blog
    time = check_publish_time(publication.at or now, now)
    if publication.status is PostStatus.SCHEDULED and time <= now:
        advice = "To publish the post now with this date, choose the status published."
        raise InvalidInput({"at": f"This time is in the past. {advice}"})
    return listed(Listing.ALL, time, time)


def move_post(blog: Blog, to: Listing, now: datetime) -> Blog:
    """Return the post in TRASH or DELETED; or restored if `to` is ALL.

    A post whose time to be published came while it was in the trash becomes a draft.
    """
    if to is not Listing.ALL:
        was_public = blog.was_public or is_public(blog, now)
        return evolve(blog, listing=to, listed_at=now, was_public=was_public)
    at, deleted_at = blog.published_at, blog.listed_at
    if at is None or deleted_at < at <= now:
        return apply_publication(blog, "", Publication(PostStatus.DRAFT), now)
    return evolve(blog, listing=Listing.PAGES if blog.is_page else Listing.ALL, listed_at=at)


def reading_time(text: str) -> int:
    """Return how many minutes it takes to read a plain text."""
    return max(1, round(len(text.split()) / WORDS_PER_MINUTE))


def make_excerpt(text: str) -> str:
    """Return the beginning of a plain text, up to a whole word."""
    line = normalize_line(text)
    if len(line) <= MAX_EXCERPT:
        return line
    cut = line[:MAX_EXCERPT].rpartition(" ")[0] or line[: MAX_EXCERPT - 1]
    return cut.rstrip(" ,;:.–—-") + "…"
