"""Move a site from the four tables of the original system to `DataTable`.

Everything is read and checked before anything is written. What is written is derived from the
source alone, so a migration that was interrupted is simply run again: items that are stored already
are skipped, and items that were changed since are kept and reported.
"""

from __future__ import annotations

import hmac
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any

from singletable import (
    Attr,
    Entity,
    ItemMismatch,
    Json,
    Key,
    LoadConflict,
    LoadResult,
    Number,
    Progress,
    ResourceNotFound,
    Store,
    Table,
    attr,
    key_of,
)
from singletable_apps.portfolio.entities import (
    Blog,
    BlogContent,
    Like,
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
from singletable_apps.portfolio.rules import Post, check_draft, derive_slug, is_id
from singletable_apps.portfolio.service.posts import apply_draft
from singletable_apps.portfolio.service.profile import render_about
from singletable_apps.portfolio.site_files import read_original_post, read_portfolio_fields

portfolio_table = Table("PortfolioTable", pk="userId", sk=None)
blogs_table = Table("BlogsTable", pk="blogId", sk=Number("created_at"))
users_table = Table("UsersTable", pk="email", sk=None)
likes_table = Table("LikesTable", pk="blogId", sk="timestamp_ip", ttl="ttl")
OLD_TABLES = (portfolio_table, blogs_table, users_table, likes_table)
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


@dataclass(frozen=True, slots=True)
class Failure:
    """An item of the source that cannot be migrated."""

    table: str
    key: str
    reason: str


@dataclass(slots=True)
class Migration:
    """What was read, and what is to be written."""

    portfolio: Portfolio | None = None
    settings: SiteSettings | None = None
    users: list[User] = field(default_factory=list[User])
    posts: list[Post] = field(default_factory=list[Post])
    likes: dict[str, list[Like]] = field(default_factory=dict[str, list[Like]])
    read: Counter[str] = field(default_factory=Counter[str])
    missing: list[str] = field(default_factory=list[str])
    failures: list[Failure] = field(default_factory=list[Failure])

    @property
    def duplicate_slugs(self) -> dict[str, list[str]]:
        """Return the slugs that several posts have, with the ids of the posts."""
        holders = defaultdict[str, list[str]](list)
        for post in self.posts:
            holders[post.blog.slug].append(post.blog.blog_id)
        return {slug: ids for slug, ids in holders.items() if len(ids) > 1}

    def counters(self) -> list[LikeCount]:
        """Return the like counter of each post that has likes."""
        return [
            LikeCount(blog_id=blog_id, shard=0, likes_count=len(likes))
            for blog_id, likes in self.likes.items()
        ]


@dataclass(frozen=True, slots=True)
class MigrationResult:
    """How many items were written or stored already, by entity, and what was kept as it was."""

    loads: Mapping[str, LoadResult]
    kept: Sequence[str]


OnProgress = Callable[[str, int, int], None]


def _no_progress(_label: str, _done: int, _total: int) -> None:
    pass


# Read


def plan_migration(source: Store, secret: bytes, now: datetime) -> Migration:
    """Read the source and build everything that is to be written."""
    plan = Migration()
    _check_tables(source, plan)
    scan = _Scan(source, plan)
    for portfolio in scan.items(OldPortfolio):
        scan.convert(portfolio.user_id, partial(_add_portfolio, plan, portfolio))
    for user in scan.items(OldUser):
        scan.convert(user.email, partial(_add_user, plan, user, secret))
    for blog in scan.items(OldBlog):
        scan.convert(blog.blog_id, partial(_add_post, plan, blog))
    plan.users.sort(key=lambda user: (user.created_at, user.email))
    plan.posts.sort(key=lambda post: (post.blog.created_at, post.blog.blog_id))
    if plan.users:
        # Without settings, the next visitor would be asked to set up the site.
        plan.settings = SiteSettings(title="Portfolio", updated_at=plan.users[0].created_at)
    _add_likes(plan, scan.items(OldLike), secret, now)
    return plan


def _check_tables(source: Store, plan: Migration) -> None:
    for table in OLD_TABLES:
        try:
            source.admin.items(table, 1)
        except ResourceNotFound:
            plan.missing.append(table.name)
    if len(plan.missing) == len(OLD_TABLES):
        raise MigrationError(
            f"There is nothing to migrate: none of the tables {', '.join(plan.missing)} exists at "
            "the source."
        )


class _Scan:
    """Reads the tables of the source, and notes what cannot be read or converted."""

    def __init__(self, source: Store, plan: Migration) -> None:
        self._source = source
        self._plan = plan
        self._table = ""

    def items(self, entity: type[Any]) -> Iterator[Any]:
        """Yield the items of an entity; a table that is missing has none."""
        self._table = next(t.name for t in OLD_TABLES if entity in t.entities)
        if self._table in self._plan.missing:
            return
        for item in self._source.admin.scan(entity, on_mismatch=self._mismatch):
            self._plan.read[self._table] += 1
            yield item

    def convert(self, key: str, conversion: Callable[[], object]) -> None:
        """Run a conversion, and note if it fails."""
        try:
            conversion()
        except InvalidInput as error:
            reasons = "; ".join(f"{name}: {text}" for name, text in error.errors.items())
            self._plan.failures.append(Failure(self._table, key, reasons))

    def _mismatch(self, error: ItemMismatch) -> None:
        self._plan.read[self._table] += 1
        key = " ".join(str(value) for each in (error.key or {}).values() for value in each.values())
        self._plan.failures.append(Failure(self._table, key, f"{error.path}: {error.text}"))


def _add_portfolio(plan: Migration, old: OldPortfolio) -> None:
    if old.user_id != "default":
        raise InvalidInput({"userId": "Only the portfolio named default is shown anywhere."})
    names = ("profile_pic_url", "bio", "email", "social_links", "about_content")
    fields = {name: getattr(old, name) for name in (*names, "projects", "experience")}
    edits = check_portfolio_edits(read_portfolio_fields(fields)[0])
    edits = render_about(edits, media_prefix="")
    plan.portfolio = Portfolio(**changes_of(edits), updated_at=_time(old.updated_at))


def _add_user(plan: Migration, old: OldUser, secret: bytes) -> None:
    email = old.email.strip().lower()
    user = User(
        email=email,
        # The same in every run, and not known without the secret.
        user_id=1 + int.from_bytes(_digest(secret, "user", email)[:8], "big") % (_USER_IDS - 1),
        name=email.partition("@")[0],
        role=Role.OWNER,
        # Hashes of bcrypt cannot be used: the password is chosen anew with a link by e-mail.
        password_hash="",
        created_at=_time(old.created_at),
        last_login=None if old.last_login is None else _time(old.last_login),
    )
    plan.users.append(user)


def _add_post(plan: Migration, old: OldBlog) -> None:
    if not is_id(old.blog_id):
        raise InvalidInput({"blogId": f"Expected an id, but got {old.blog_id!r:.60}."})
    names = ("title", "slug", "content", "featured_image_url", "tags", "category", "author")
    fields = {name: getattr(old, name) for name in (*names, "seo_description", "created_at")}
    file = read_original_post({**fields, "published_at": old.published_at})
    at = file.date or _time(old.created_at)
    blank = Blog(
        blog_id=old.blog_id,
        title="",
        slug=derive_slug(old.title) or "post",
        listing=Listing.ALL,
        author=file.author,
        author_name=file.author_name or file.author.partition("@")[0],
        created_at=_time(old.created_at),
        updated_at=at,
        published_at=at,
        listed_at=at,
        was_public=True,
    )
    plan.posts.append(apply_draft(blank, check_draft(file.draft), media_prefix=""))


def _add_likes(plan: Migration, likes: Iterable[OldLike], secret: bytes, now: datetime) -> None:
    """Keep the first like of each visitor. The addresses are hashed with the secret."""
    known = {post.blog.blog_id for post in plan.posts}
    firsts: dict[tuple[str, str], datetime] = {}
    for old in likes:
        time, _, address = old.timestamp_ip.replace("#", ":", 1).partition(":")
        if old.blog_id not in known or not time.isdigit() or not address:
            reason = (
                "The post of this like is not migrated." if address else "Expected time:address."
            )
            plan.failures.append(Failure(likes_table.name, old.blog_id, reason))
            continue
        visitor = _digest(secret, "old like", address, old.blog_id).hex()[:32]
        at = _time(int(time))
        firsts[old.blog_id, visitor] = min(at, firsts.get((old.blog_id, visitor), at))
    for (blog_id, visitor), at in sorted(firsts.items()):
        ends = datetime(at.year + 1, 1, 1, tzinfo=UTC)
        like = Like(blog_id=blog_id, visitor=visitor, liked_at=at, ends=ends)
        plan.likes.setdefault(blog_id, []).append(like)


def _digest(secret: bytes, *values: str) -> bytes:
    return hmac.digest(secret, "\0".join(values).encode(), "sha256")


def _time(seconds: int) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        raise InvalidInput({"created_at": f"Expected Unix seconds, but got {seconds}."}) from None


# Write


def check_slugs(plan: Migration, target: Store) -> None:
    """Raise MigrationError if two posts have one slug, here or at the target."""
    lines = [f"{slug}: {' and '.join(ids)}" for slug, ids in plan.duplicate_slugs.items()]
    try:
        held = target.get_many([Slug.key(post.blog.slug) for post in plan.posts], consistent=True)
    except ResourceNotFound:
        held = []  # a dry run creates no table
    for post, slug in zip(plan.posts, held, strict=False):
        if slug is not None and slug.blog_id != post.blog.blog_id:
            lines.append(f"{slug.slug}: {post.blog.blog_id}, and at the target {slug.blog_id}")
    if lines:
        shown = "\n  ".join(sorted(set(lines)))
        raise MigrationError(
            f"Two posts cannot have the same slug. Change one of them in the source, then start "
            f"again:\n  {shown}"
        )


def write_migration(
    plan: Migration, target: Store, now: datetime, on_progress: OnProgress = _no_progress
) -> MigrationResult:
    """Write what is not there yet. Items that are there and differ are kept.

    A post is written after its slug and its text, so readers never see half of one.
    """
    check_slugs(plan, target)
    loads: dict[str, LoadResult] = {}
    kept: list[Any] = []

    def load(label: str, items: Iterable[object]) -> None:
        def show(progress: Progress) -> None:
            on_progress(label, progress.done, progress.total or progress.done)

        def keep(conflict: LoadConflict) -> None:
            kept.append(conflict.key)

        loads[label] = target.bulk_load(list(items), on_progress=show, on_conflict=keep)

    site = [item for item in (plan.settings, plan.portfolio) if item is not None]
    load("accounts and portfolio", [*plan.users, *site])
    blogs = [post.blog for post in plan.posts]
    load("slugs", [Slug(slug=blog.slug, blog_id=blog.blog_id) for blog in blogs])
    load("texts", [post.content for post in plan.posts])
    load("posts", blogs)
    # A counter that has changed at the target has counted these likes already.
    load("like counters", plan.counters())
    load(
        "likes",
        [
            like
            for blog_id, likes in plan.likes.items()
            if LikeCount.key(blog_id, 0) not in kept
            for like in likes
            if like.ends > now
        ],
    )
    return MigrationResult(loads, [str(key) for key in kept])


# Verify


def verify_migration(plan: Migration, target: Store) -> list[str]:
    """Compare the target with the source: every post with its text, and the counts."""
    problems: list[str] = []
    blogs = target.get_many([key_of(post.blog) for post in plan.posts], consistent=True)
    texts = target.get_many([key_of(post.content) for post in plan.posts], consistent=True)
    slugs = target.get_many([Slug.key(post.blog.slug) for post in plan.posts], consistent=True)
    for post, blog, text, slug in zip(plan.posts, blogs, texts, slugs, strict=True):
        name = f"Post {post.blog.slug} ({post.blog.blog_id})"
        if blog is None or text is None:
            problems.append(f"{name} is missing.")
        elif different := [*_differences(post.blog, blog), *_differences(post.content, text)]:
            problems.append(f"{name} differs in {', '.join(different)}.")
        elif slug is None or slug.blog_id != post.blog.blog_id:
            problems.append(f"{name} does not have its slug.")
    users = target.get_many([key_of(user) for user in plan.users], consistent=True)
    problems += [
        f"Account {user.email} is missing."
        for user, found in zip(plan.users, users, strict=True)
        if found is None
    ]
    if plan.portfolio and target.get(key_of(plan.portfolio), consistent=True) is None:
        problems.append("The portfolio is missing.")
    counters = target.get_many([key_of(each) for each in plan.counters()], consistent=True)
    for wanted, found in zip(plan.counters(), counters, strict=True):
        count = 0 if found is None else found.likes_count
        if count < wanted.likes_count:
            problems.append(
                f"Post {wanted.blog_id} has {count:,} likes, not {wanted.likes_count:,}."
            )
    return problems


_COMPARED = (
    *("title", "slug", "listing", "tags", "category", "author", "featured_image_url"),
    *("seo_description", "created_at", "published_at", "markdown", "content"),
)


def _differences(wanted: Blog | BlogContent, found: Blog | BlogContent) -> list[str]:
    return [name for name in _COMPARED if getattr(wanted, name, None) != getattr(found, name, None)]


# Show


def describe_plan(plan: Migration) -> Iterator[str]:
    """Yield lines that say what was read and would be written, with samples and failures."""
    for table in OLD_TABLES:
        is_missing = table.name in plan.missing
        found = "not found" if is_missing else f"{plan.read[table.name]:,} items"
        yield f"  {table.name:<16}{found}"
    likes = sum(map(len, plan.likes.values()))
    written = f"{len(plan.posts):,} posts, {len(plan.users):,} accounts, {likes:,} likes"
    yield f"  {'to write':<16}{written}"
    for post in plan.posts[-_SHOWN:]:
        yield f"    {post.blog.published_at:%Y-%m-%d}  {post.blog.title[:60]}  /{post.blog.slug}"
    if plan.users:
        yield (
            "\nPasswords cannot be moved: they are stored as bcrypt hashes, and this app uses "
            "argon2.\nOpen the sign-in page, choose “Forgot your password?”, and follow the link "
            "in the e-mail."
        )
    if plan.failures:
        yield f"\n{len(plan.failures):,} items cannot be migrated:"
        for failure in plan.failures:
            yield f"  {failure.table} {failure.key}: {failure.reason}"
