"""Move a site from the four tables of the original system to `DataTable`.

The rules here derive the items of the new table. `singletable.migration` runs them: it can be
interrupted and run again, carries over what changes meanwhile, and compares both sides at the end.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Literal

from singletable import (
    Attr,
    DescribeTable,
    Driver,
    Entity,
    Json,
    Key,
    Number,
    ResourceNotFound,
    Store,
    Table,
    attr,
)
from singletable.migration import (
    Copy,
    CreateTable,
    DryRun,
    Migration,
    MigrationRunner,
    Part,
    Rule,
    dry_run,
    each,
    merge,
    verify,
)
from singletable_apps.portfolio import entities
from singletable_apps.portfolio.profile_rules import check_portfolio
from singletable_apps.portfolio.rules import PostDraft, check_draft, derive_slug, is_id
from singletable_apps.portfolio.service.posts import apply_draft
from singletable_apps.portfolio.service.profile import render_about
from singletable_apps.portfolio.site_files import read_original_site, read_unix_time
from singletable_apps.shared.accounts.users import UNCLAIMED
from singletable_apps.shared.errors import AppError, InvalidInput
from singletable_apps.shared.markdown import html_as_markdown
from singletable_apps.shared.text import InputChecks

portfolio_table = Table("PortfolioTable", pk="userId", sk=None)
blogs_table = Table("BlogsTable", pk="blogId", sk=Number("created_at"))
users_table = Table("UsersTable", pk="email", sk=None)
likes_table = Table("LikesTable", pk="blogId", sk="timestamp_ip", ttl="ttl")
OLD_TABLES = (portfolio_table, blogs_table, users_table, likes_table)
_USER_IDS = 1 << 53
_SHOWN = 5
NAME = "four_tables"


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


class MigrationError(AppError):
    """The migration cannot start, or has not moved everything."""


# Rules: what follows from the old items


def to_portfolio(old: OldPortfolio) -> entities.Portfolio:
    """Return the portfolio."""
    if old.user_id != "default":
        raise InvalidInput({"userId": "Only the portfolio named default is shown anywhere."})
    names = ("profile_pic_url", "bio", "email", "about_content", "social_links", "projects")
    site = read_original_site({name: getattr(old, name) for name in (*names, "experience")})
    values = render_about(check_portfolio(site.portfolio), media_prefix="")
    return entities.Portfolio(**values, updated_at=read_unix_time(old.updated_at))


def to_account(secret: bytes, old: OldUser) -> entities.User:
    """Return the account of an administrator, without a password."""
    checks = InputChecks()
    email = checks.email("email", old.email, required=True).lower()
    checks.raise_errors()
    digest = hmac.digest(secret, f"user\0{email}".encode(), "sha256")
    return entities.User(
        email=email,
        # The same in every run, and not known without the secret.
        user_id=1 + int.from_bytes(digest[:8], "big") % (_USER_IDS - 1),
        name=email.partition("@")[0],
        role=entities.Role.OWNER,
        # Hashes of bcrypt cannot be used: the owner chooses a password with a link by e-mail.
        password_hash="",
        # Somebody has used the account, so only they may get its password or change its address.
        credentials=UNCLAIMED + 1,
        created_at=read_unix_time(old.created_at),
        last_login=None if old.last_login is None else read_unix_time(old.last_login),
    )


def to_post(
    found: list[OldBlog | OldLike],
) -> Iterator[entities.Slug | entities.BlogContent | entities.Blog | entities.LikeCount]:
    """Yield the items of a post, from the old post and its likes."""
    posts = [one for one in found if isinstance(one, OldBlog)]
    if not posts:
        raise InvalidInput({"blogId": "The post of this like does not exist."})
    if len(posts) > 1:  # the key of the old table has a time, too
        raise InvalidInput({"blogId": "Another post has this id."})
    (old,) = posts
    if not is_id(old.blog_id):
        raise InvalidInput({"blogId": f"Expected an id, but got {old.blog_id!r:.60}."})
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
    blank = entities.Blog(
        blog_id=old.blog_id,
        title="",
        slug="",
        listing=entities.Listing.ALL,
        author=old.author if is_address else "",
        author_name=name,
        created_at=read_unix_time(old.created_at),
        updated_at=at,
        published_at=at,
        listed_at=at,
        was_public=True,
    )
    post = apply_draft(blank, check_draft(draft), media_prefix="")
    yield entities.Slug(slug=post.blog.slug, blog_id=old.blog_id)
    yield post.content
    yield post.blog
    # Visitors are recognized in another way now, so that only their number is kept.
    visitors = {visitor for one in found if isinstance(one, OldLike) and (visitor := _visitor(one))}
    if visitors:
        yield entities.LikeCount(blog_id=old.blog_id, shard=0, likes_count=len(visitors))


def _visitor(old: OldLike) -> str:
    """Return the address of a click; empty if it is malformed, and not counted."""
    time, _, address = old.timestamp_ip.replace("#", ":", 1).partition(":")
    return address if time.isascii() and time.isdigit() else ""


# The migration


def find_old_tables(source: Driver) -> list[Table]:
    """Return the old tables that exist, or raise MigrationError."""
    found: list[Table] = []
    for table in OLD_TABLES:
        try:
            source.execute(DescribeTable(table.name))
        except ResourceNotFound:
            continue
        found.append(table)
    if not found:
        names = ", ".join(table.name for table in OLD_TABLES)
        raise MigrationError(
            f"There is nothing to migrate: none of the tables {names} exists at the source."
        )
    return found


def create_migration(secret: bytes, found: Sequence[Table] = OLD_TABLES) -> Migration:
    """Return the migration of the old tables that exist."""
    parts: list[Part[Any, Any]] = [
        Part(OldBlog, group=lambda blog: blog.blog_id, read=OldBlog.key.partition),
        Part(OldLike, group=lambda like: like.blog_id, read=OldLike.key.partition),
    ]
    tables = {OldBlog: blogs_table, OldLike: likes_table}
    parts = [part for part in parts if tables[part.entity] in found]
    rules: list[Rule] = [merge(*parts, into=to_post)] if parts else []
    if portfolio_table in found:
        rules.append(each(OldPortfolio, to_portfolio))
    if users_table in found:
        rules.append(each(OldUser, partial(to_account, secret)))
    return Migration(
        CreateTable(entities.data_table),
        Copy(entities.data_table, *rules, skip_failures=True),
        name=NAME,
    )


def migrate_site(source: Driver, target: Driver, secret: bytes, *, stopped: bool = False) -> None:
    """Move a site, compare both sides, and end the migration. Once it has ended, do nothing.

    `stopped` says that nothing writes to the old tables; otherwise their streams are followed.
    Raises TransformFailed if two items become the same one, and MigrationError if the target has a
    site already, or differs in the end.
    """
    migration = create_migration(secret, find_old_tables(source))
    changes: Literal["stream", "none"] = "none" if stopped else "stream"
    runner = MigrationRunner(migration, source, target, changes=changes)
    status = runner.status()
    if status.phase is None and _has_items(target):
        raise MigrationError(
            f"The target has items in {entities.data_table.name} already. Migrate to an address "
            "without a site: its posts would be mixed with those of the other."
        )
    if status.phase not in ("cut-over", "finished"):
        runner.run()
        problems = [str(fault) for report in verify(runner) for fault in report.faults]
        if problems:
            raise MigrationError(
                "The target differs from the source. Run the command again.\n  "
                + "\n  ".join(problems[:_SHOWN])
            )
        _create_settings(Store(target))
        runner.cut_over()
    runner.finish()


def _has_items(target: Driver) -> bool:
    try:
        return bool(Store(target).admin.items(entities.data_table, 1).items)
    except ResourceNotFound:
        return False


def _create_settings(store: Store) -> None:
    """Create the settings, unless they exist: without them, the next visitor sets up the site."""
    created = [user.created_at for user in store.admin.scan(entities.User)]
    if created and store.get(entities.SiteSettings.key("default"), consistent=True) is None:
        store.create(entities.SiteSettings(title="Portfolio", updated_at=min(created)))


# Show


def describe_trial(trial: DryRun) -> Iterator[str]:
    """Yield lines that say what would be written, and what cannot be migrated."""
    copied = trial.steps[-1]
    for name, count in sorted(copied.new_items.items()):
        yield f"  {name:<16}{count:,}"
    if copied.new_items["User"]:
        yield (
            "\nPasswords cannot be moved: they are stored as bcrypt hashes, and this app uses "
            "argon2.\nOpen the sign-in page, choose “Forgot your password?”, and follow the link "
            "in the e-mail."
        )
    if copied.failed:
        yield f"\n{copied.failed:,} items cannot be migrated:"
        for failed in (*copied.failures.values(), copied.collisions):
            for key, reason in zip(failed.keys, failed.reasons, strict=True):
                shown = " ".join(str(value) for each in key.values() for value in each.values())
                yield f"  {shown}: {reason}"


def try_migration(source: Driver, secret: bytes) -> DryRun:
    """Return what a migration would do. Nothing is written."""
    return dry_run(create_migration(secret, find_old_tables(source)), source, examples=0)
