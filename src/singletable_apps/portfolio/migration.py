"""Move a site from the four tables of the original system to `DataTable`.

Everything is read and checked before anything is written. What is written is derived from the
source alone, so a migration that was interrupted is simply run again: items that are stored already
are skipped, and items that were changed since are kept and reported.
"""

from __future__ import annotations

import hmac
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from singletable import (
    Attr,
    Entity,
    ItemMismatch,
    Json,
    Key,
    LoadResult,
    Number,
    ResourceNotFound,
    Store,
    Table,
    attr,
    key_of,
)
from singletable_apps.portfolio.entities import (
    Blog,
    BlogContent,
    LikeCount,
    Listing,
    Portfolio,
    Role,
    SiteSettings,
    Slug,
    User,
)
from singletable_apps.portfolio.errors import InvalidInput, PortfolioError
from singletable_apps.portfolio.profile_rules import changes_of, check_portfolio_edits
from singletable_apps.portfolio.rules import PostDraft, check_draft, derive_slug, is_id
from singletable_apps.portfolio.service.posts import apply_draft
from singletable_apps.portfolio.service.profile import render_about
from singletable_apps.portfolio.site_files import read_original_site, read_unix_time
from singletable_apps.shared.markdown import html_as_markdown
from singletable_apps.shared.text import InputChecks

portfolio_table = Table("PortfolioTable", pk="userId", sk=None)
blogs_table = Table("BlogsTable", pk="blogId", sk=Number("created_at"))
users_table = Table("UsersTable", pk="email", sk=None)
likes_table = Table("LikesTable", pk="blogId", sk="timestamp_ip", ttl="ttl")
OLD_TABLES = (portfolio_table, blogs_table, users_table, likes_table)
T = TypeVar("T", bound=Entity)
_USER_IDS = 1 << 53
_SHOWN = 5


class OldPortfolio(Entity, table=portfolio_table):
    """The portfolio, as its API accepted it."""

    user_id: Attr[str] = attr(name="userId")
    profile_pic_url: Attr[str | None] = attr(default=None)
    bio: Attr[str | None] = attr(default=None)
    email: Attr[str | None] = attr(default=None)
    social_links: Attr[dict[str, Any]] = attr(codec=Json(), factory=dict)
    about_content: Attr[str | None] = attr(default=None)
    projects: Attr[list[Any]] = attr(codec=Json(), factory=list)
    experience: Attr[list[Any]] = attr(codec=Json(), factory=list)
    updated_at: Attr[int] = attr(default=0)
    key = Key(pk=user_id)


class OldBlog(Entity, table=blogs_table):
    """A post with its HTML."""

    blog_id: Attr[str] = attr(name="blogId")
    created_at: Attr[int] = attr()
    title: Attr[str] = attr(default="")
    slug: Attr[str] = attr(default="")
    content: Attr[str] = attr(default="")
    featured_image_url: Attr[str | None] = attr(default=None)
    tags: Attr[list[str]] = attr(factory=list)
    category: Attr[str | None] = attr(default=None)
    author: Attr[str] = attr(default="")
    seo_description: Attr[str | None] = attr(default=None)
    published_at: Attr[int | None] = attr(default=None)
    key = Key(pk=blog_id, sk=created_at)


class OldUser(Entity, table=users_table):
    """An administrator. The bcrypt hash of the password is not read."""

    email: Attr[str] = attr()
    created_at: Attr[int] = attr(default=0)
    last_login: Attr[int | None] = attr(default=None)
    key = Key(pk=email)


class OldLike(Entity, table=likes_table):
    """A click: its time and the MD5 of the address, `1700000000:d41d8c…`."""

    blog_id: Attr[str] = attr(name="blogId")
    timestamp_ip: Attr[str] = attr()
    key = Key(pk=blog_id, sk=timestamp_ip)


class MigrationError(PortfolioError):
    """The migration cannot start. Nothing was written."""


@dataclass(slots=True)
class Migration:
    """What was read, and what is to be written.

    The items are written in the order of their names, so that readers never see half of a post.
    """

    accounts: list[User] = field(default_factory=list[User])
    portfolio: list[Portfolio | SiteSettings] = field(
        default_factory=list[Portfolio | SiteSettings]
    )
    slugs: list[Slug] = field(default_factory=list[Slug])
    texts: list[BlogContent] = field(default_factory=list[BlogContent])
    posts: list[Blog] = field(default_factory=list[Blog])
    likes: list[LikeCount] = field(default_factory=list[LikeCount])
    read: Counter[str] = field(default_factory=Counter[str])
    missing: list[str] = field(default_factory=list[str])
    # Table, key and reason of each item that cannot be migrated.
    failures: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])

    def items(self) -> dict[str, Sequence[Any]]:
        """Return what is to be written, by name, in order."""
        names = ("accounts", "portfolio", "slugs", "texts", "posts", "likes")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class MigrationResult:
    """How many items were written or stored already, by name, and which were kept as they were."""

    loads: Mapping[str, LoadResult]
    kept: Sequence[str]


# Read


def plan_migration(source: Store, secret: bytes) -> Migration:
    """Read the source and build everything that is to be written."""
    plan = Migration()
    _read(source, plan, OldPortfolio, "user_id", partial(_add_portfolio, plan))
    _read(source, plan, OldUser, "email", partial(_add_account, plan, secret))
    _read(source, plan, OldBlog, "blog_id", partial(_add_post, plan))
    visitors: dict[str, set[str]] = {blog.blog_id: set() for blog in plan.posts}
    _read(source, plan, OldLike, "blog_id", partial(_add_like, visitors))
    plan.likes = [
        LikeCount(blog_id=blog_id, shard=0, likes_count=len(addresses))
        for blog_id, addresses in visitors.items()
        if addresses
    ]
    if len(plan.missing) == len(OLD_TABLES):
        raise MigrationError(
            f"There is nothing to migrate: none of the tables {', '.join(plan.missing)} exists at "
            "the source."
        )
    if plan.accounts:
        # Without settings, the next visitor would be asked to set up the site.
        oldest = min(user.created_at for user in plan.accounts)
        plan.portfolio.append(SiteSettings(title="Portfolio", updated_at=oldest))
    return plan


def _read(
    source: Store, plan: Migration, entity: type[T], key: str, add: Callable[[T], None]
) -> None:
    """Add each item of a table to the plan, or the reason why that is not possible."""
    table = next(table.name for table in OLD_TABLES if entity in table.entities)

    def skip(error: ItemMismatch) -> None:
        plan.read[table] += 1
        values = [str(value) for each in (error.key or {}).values() for value in each.values()]
        plan.failures.append((table, " ".join(values), f"{error.path}: {error.text}"))

    try:
        for item in source.admin.scan(entity, on_mismatch=skip):
            plan.read[table] += 1
            try:
                add(item)
            except InvalidInput as error:
                reasons = "; ".join(f"{name}: {text}" for name, text in error.errors.items())
                plan.failures.append((table, getattr(item, key), reasons))
    except ResourceNotFound:
        plan.missing.append(table)


def _add_portfolio(plan: Migration, old: OldPortfolio) -> None:
    if old.user_id != "default":
        raise InvalidInput({"userId": "Only the portfolio named default is shown anywhere."})
    names = ("profile_pic_url", "bio", "email", "about_content", "social_links", "projects")
    site = read_original_site({name: getattr(old, name) for name in (*names, "experience")})
    edits = render_about(check_portfolio_edits(site.portfolio), media_prefix="")
    plan.portfolio.append(Portfolio(**changes_of(edits), updated_at=read_unix_time(old.updated_at)))


def _add_account(plan: Migration, secret: bytes, old: OldUser) -> None:
    checks = InputChecks()
    email = checks.email("email", old.email, required=True).lower()
    if any(user.email == email for user in plan.accounts):
        checks.reject("email", f"There are several accounts of {email}.")
    checks.raise_errors(InvalidInput)
    digest = hmac.digest(secret, f"user\0{email}".encode(), "sha256")
    user = User(
        email=email,
        # The same in every run, and not known without the secret.
        user_id=1 + int.from_bytes(digest[:8], "big") % (_USER_IDS - 1),
        name=email.partition("@")[0],
        role=Role.OWNER,
        # Hashes of bcrypt cannot be used: the owner chooses a password with a link by e-mail.
        password_hash="",
        created_at=read_unix_time(old.created_at),
        last_login=None if old.last_login is None else read_unix_time(old.last_login),
    )
    plan.accounts.append(user)


def _add_post(plan: Migration, old: OldBlog) -> None:
    if not is_id(old.blog_id):
        raise InvalidInput({"blogId": f"Expected an id, but got {old.blog_id!r:.60}."})
    # The key of the old table has a time, too.
    if any(blog.blog_id == old.blog_id for blog in plan.posts):
        raise InvalidInput({"blogId": "Another post has this id."})
    draft = PostDraft(
        title=old.title,
        markdown=html_as_markdown(old.content),
        slug=derive_slug(old.slug) or derive_slug(old.title) or "post",
        tags=tuple(old.tags),
        category=old.category or "",
        featured_image_url=old.featured_image_url or "",
        seo_description=old.seo_description or "",
    )
    at = read_unix_time(old.published_at or old.created_at)
    name, is_address, _ = old.author.partition("@")
    blank = Blog(
        blog_id=old.blog_id,
        title="",
        slug="",
        listing=Listing.ALL,
        author=old.author if is_address else "",
        author_name=name,
        created_at=read_unix_time(old.created_at),
        updated_at=at,
        published_at=at,
        listed_at=at,
        was_public=True,
    )
    post = apply_draft(blank, check_draft(draft), media_prefix="")
    plan.slugs.append(Slug(slug=post.blog.slug, blog_id=old.blog_id))
    plan.texts.append(post.content)
    plan.posts.append(post.blog)


def _add_like(visitors: dict[str, set[str]], old: OldLike) -> None:
    """Count each visitor once. Visitors are recognized in another way now, so they are not kept."""
    time, _, address = old.timestamp_ip.replace("#", ":", 1).partition(":")
    if not (time.isascii() and time.isdigit()) or not address:
        raise InvalidInput({"timestamp_ip": "Expected time:address."})
    if old.blog_id not in visitors:
        raise InvalidInput({"blogId": "The post of this like is not migrated."})
    visitors[old.blog_id].add(address)


# Write


def check_slugs(plan: Migration, target: Store) -> None:
    """Raise MigrationError if two posts have one slug, here or at the target."""
    holders = defaultdict[str, list[str]](list)
    for slug in plan.slugs:
        holders[slug.slug].append(slug.blog_id)
    try:
        held = target.get_many([Slug.key(slug) for slug in holders], consistent=True)
    except ResourceNotFound:
        held = []  # a dry run creates no table
    for slug in filter(None, held):
        if slug.blog_id not in holders[slug.slug]:
            holders[slug.slug].append(f"at the target {slug.blog_id}")
    lines = [f"{slug}: {' and '.join(ids)}" for slug, ids in holders.items() if len(ids) > 1]
    if lines:
        raise MigrationError(
            "Two posts cannot have the same slug. Change one of them in the source, then start "
            "again:\n  " + "\n  ".join(lines)
        )


def write_migration(
    plan: Migration, target: Store, on_progress: Callable[[int, int], None] | None = None
) -> MigrationResult:
    """Write what is not there yet. Items that are there and differ are kept."""
    check_slugs(plan, target)
    loads: dict[str, LoadResult] = {}
    kept: list[Any] = []
    groups = plan.items()
    for done, (name, items) in enumerate(groups.items(), 1):
        loads[name] = target.bulk_load(items, on_conflict=lambda found: kept.append(found.key))
        if on_progress is not None:
            on_progress(done, len(groups))
    return MigrationResult(loads, [str(key) for key in kept])


# Verify

_COMPARED = (
    *("title", "slug", "listing", "tags", "category", "author", "featured_image_url"),
    *("seo_description", "created_at", "published_at", "markdown", "content", "blog_id"),
)


def verify_migration(plan: Migration, target: Store) -> list[str]:
    """Compare the target with the source, and return what is missing or differs."""
    problems: list[str] = []
    wanted = [item for items in plan.items().values() for item in items]
    keys = [key_of(item) for item in wanted]
    for key, item, found in zip(keys, wanted, target.get_many(keys, consistent=True), strict=True):
        if found is None:
            problems.append(f"{key} is missing.")
        elif isinstance(item, LikeCount):
            if found.likes_count < item.likes_count:
                problems.append(f"{key} has {found.likes_count:,} likes.")
        elif different := [
            name for name in _COMPARED if getattr(item, name, None) != getattr(found, name, None)
        ]:
            problems.append(f"{key} differs in {', '.join(different)}.")
    return sorted(problems)


# Show


def describe_plan(plan: Migration) -> Iterator[str]:
    """Yield lines that say what was read and would be written, with samples and failures."""
    for name in (table.name for table in OLD_TABLES):
        found = "not found" if name in plan.missing else f"{plan.read[name]:,} items"
        yield f"  {name:<16}{found}"
    likes = sum(counter.likes_count for counter in plan.likes)
    written = f"{len(plan.posts):,} posts, {len(plan.accounts):,} accounts, {likes:,} likes"
    yield f"  {'to write':<16}{written}"
    for blog in sorted(plan.posts, key=lambda each: each.listed_at)[-_SHOWN:]:
        yield f"    {blog.published_at:%Y-%m-%d}  {blog.title[:60]}  /{blog.slug}"
    if plan.accounts:
        yield (
            "\nPasswords cannot be moved: they are stored as bcrypt hashes, and this app uses "
            "argon2.\nOpen the sign-in page, choose “Forgot your password?”, and follow the link "
            "in the e-mail."
        )
    if plan.failures:
        yield f"\n{len(plan.failures):,} items cannot be migrated:"
        for table, key, reason in plan.failures:
            yield f"  {table} {key}: {reason}"
