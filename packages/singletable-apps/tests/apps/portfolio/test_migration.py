"""Migrate the four tables of the original system: all drivers, while in use, repeated, refused."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TypeVar

import pytest

from singletable import Driver, Engine, Entity, Operation, PutItem, Store, connect
from singletable.errors import TransformFailed
from singletable_apps.portfolio.entities import (
    Blog,
    Listing,
    Portfolio,
    Role,
    Slug,
    User,
    data_table,
)
from singletable_apps.portfolio.migration import (
    OLD_TABLES,
    MigrationError,
    OldBlog,
    OldLike,
    OldPortfolio,
    OldUser,
    blogs_table,
    describe_trial,
    migrate_site,
    try_migration,
)
from singletable_apps.portfolio.service import Moved, open_portfolio
from singletable_apps.shared.accounts import NotSignedIn
from singletable_apps.shared.mail import EmailDelivery
from singletable_apps.shared.objects import MemoryBucket
from tests.apps.portfolio.support.harness import SECRET
from tests.apps.support.mailbox import Mailbox, deliver

NOW = datetime(2026, 11, 16, tzinfo=UTC)
THIS_YEAR = int(datetime(2026, 5, 1, tzinfo=UTC).timestamp())
LAST_YEAR = int(datetime(2025, 5, 1, tzinfo=UTC).timestamp())
MD5 = ("5d41402abc4b2a76b9719d911017c592", "7d793037a0760186574b0282f2f435e7")
POSTS = 30
R = TypeVar("R")


def blog_id(number: int) -> str:
    return f"8d1c3bd2-94a2-4a2f-8f0a-{number:012x}"


def fill(source: Store) -> None:
    """Store what the original system would have stored."""
    for table in OLD_TABLES:
        source.admin.create_table(table)
    source.create(
        OldPortfolio(
            user_id="default",
            bio="I make things.",
            email="ada@example.org",
            social_links={"github": "https://github.example/ada", "twitter": ""},
            about_content="<h2>About</h2><p>Me <script>x()</script></p>",
            projects=[{"id": "1700000000000", "title": "One", "technologies": ["Python"]}],
            experience=[
                {
                    "id": "1",
                    "title": "Engineer",
                    "company": "Acme",
                    "start_date": 1_600_000_000,
                    "end_date": None,
                }
            ],
            updated_at=LAST_YEAR,
        )
    )
    source.create(OldUser(email="Ada@Example.org", created_at=LAST_YEAR))
    source.put_many(
        [
            OldBlog(
                blog_id=blog_id(number),
                created_at=LAST_YEAR + number,
                title=f"Post {number}",
                slug=f"post-{number}",
                content=f"<p>Text {number} <b>bold</b></p>",
                tags=["one", "two"],
                category="Notes",
                author="ada@example.org",
                published_at=LAST_YEAR + number,
            )
            for number in range(POSTS)
        ]
    )
    clicks = [(1, LAST_YEAR, MD5[0]), (1, LAST_YEAR + 9, MD5[0]), (1, LAST_YEAR, MD5[1])]
    clicks += [(2, THIS_YEAR, MD5[0]), (2, THIS_YEAR + 1, MD5[0])]
    source.put_many(
        [OldLike(blog_id=blog_id(post), timestamp_ip=f"{at}:{ip}") for post, at, ip in clicks]
    )


@pytest.fixture
def source() -> Iterator[Driver]:
    with Engine.in_memory() as engine:
        fill(Store(engine))
        yield engine


@pytest.fixture
def target() -> Iterator[Driver]:
    with connect("memory:") as driver:
        yield driver


def posts_of(driver: Driver) -> list[str]:
    return [blog.slug for blog in Store(driver).query(Blog.by_date(Listing.ALL))]


def test_site_is_migrated_and_verified(drivers: tuple[Driver, Driver]) -> None:
    source, target = drivers
    fill(Store(source))
    migrate_site(source, target, SECRET)
    service = open_portfolio(target, SECRET, bucket=MemoryBucket(), clock=lambda: NOW)
    page = service.posts.list_published(100)
    assert [blog.slug for blog in page.items] == [f"post-{n}" for n in reversed(range(POSTS))]
    post = service.posts.find("post-7")
    assert post is not None
    assert not isinstance(post, Moved)
    assert "<b>bold</b>" in post.content.content
    assert service.likes.counts([blog_id(1), blog_id(2)]) == {blog_id(1): 2, blog_id(2): 1}
    portfolio = service.profile.get_portfolio()
    assert (portfolio.bio, portfolio.projects[0].title) == ("I make things.", "One")
    assert "script" not in portfolio.about_content
    # The site belongs to its old administrator, and not to its next visitor.
    assert service.profile.is_set_up()
    user = Store(target).get(User.key("ada@example.org"))
    assert user is not None
    assert (user.role, user.password_hash) == (Role.OWNER, "")
    items = Store(target).admin.items(data_table, 1000).items
    assert not any(address in str(items) for address in MD5)


def test_administrator_signs_in_after_choosing_a_new_password(
    source: Driver, target: Driver
) -> None:
    migrate_site(source, target, SECRET)
    mailbox = Mailbox()
    service = open_portfolio(
        target,
        SECRET,
        bucket=MemoryBucket(),
        emails=EmailDelivery(mailbox),
        clock=lambda: NOW,
    )
    with pytest.raises(NotSignedIn):
        service.accounts.sign_in("ada@example.org", "")
    service.accounts.request_reset("ada@example.org")
    deliver(service)
    token = mailbox.emails[0].text.partition("token=")[2].split()[0]
    service.accounts.reset(token, "nine blue horses")
    assert service.accounts.sign_in("ada@example.org", "nine blue horses").user.role is Role.OWNER


class BusySource:
    """Writes to the old tables between the requests of the migration."""

    def __init__(self, engine: Driver) -> None:
        self.engine = engine
        self.store = Store(engine)
        self.requests = 0

    def execute(self, operation: Operation[R], /) -> R:
        self.requests += 1
        if self.requests % 7 == 0 and self.requests < 100:
            number = self.requests // 7
            new = blog_id(1000 + number)
            self.store.put(OldBlog(blog_id=new, created_at=1, title=f"New {number}", content="x"))
            self.store.put(OldLike(blog_id=new, timestamp_ip=f"{THIS_YEAR}:{MD5[0]}"))
            self.store.delete(OldBlog.key(blog_id(number), LAST_YEAR + number))
        return self.engine.execute(operation)


def test_changes_during_the_migration_are_carried_over(source: Driver, target: Driver) -> None:
    busy = BusySource(source)
    migrate_site(busy, target, SECRET)
    assert busy.requests > 20
    old = {blog.blog_id for blog in Store(source).admin.scan(OldBlog)}
    new = {blog.blog_id: blog.slug for blog in Store(target).query(Blog.by_date(Listing.ALL))}
    assert set(new) == old
    assert {slug.slug for slug in Store(target).admin.scan(Slug)} == set(new.values())


def test_second_run_keeps_what_has_changed_at_the_target(source: Driver, target: Driver) -> None:
    migrate_site(source, target, SECRET)
    Store(target).update(Blog.key(blog_id(3)), Blog.title.set("Edited"))
    before = Store(target).admin.items(data_table, 1000).items
    migrate_site(source, target, SECRET)
    assert Store(target).admin.items(data_table, 1000).items == before


def test_duplicate_slugs_are_reported(source: Driver, target: Driver) -> None:
    for number in (100, 101):
        Store(source).create(
            OldBlog(
                blog_id=blog_id(number),
                created_at=LAST_YEAR,
                title="Twice",
                content="<p>x</p>",
                slug="twice",
            )
        )
    trial = try_migration(source, SECRET)
    assert any("PK=SLUG#twice" in line for line in describe_trial(trial))
    with pytest.raises(TransformFailed, match="PK=SLUG#twice"):
        migrate_site(source, target, SECRET)


def test_target_with_a_site_is_refused(source: Driver, target: Driver) -> None:
    store = Store(target)
    store.admin.create_table(data_table)
    store.create(Slug(slug="post-7", blog_id="other"))
    with pytest.raises(MigrationError, match="has items in DataTable already"):
        migrate_site(source, target, SECRET)
    assert store.get(Portfolio.key("default")) is None


def test_items_that_cannot_be_migrated_are_reported_and_left_out(
    source: Driver, target: Driver
) -> None:
    store = Store(source)
    store.create(OldBlog(blog_id=blog_id(50), created_at=LAST_YEAR, title="", content="<p>x</p>"))
    store.create(OldBlog(blog_id="a b", created_at=LAST_YEAR, title="x", content="<p>x</p>"))
    store.create(OldLike(blog_id="gone", timestamp_ip=f"{THIS_YEAR}:{MD5[0]}"))
    source.execute(
        PutItem(
            blogs_table.name,
            {"blogId": {"S": blog_id(51)}, "created_at": {"N": "1"}, "title": {"N": "7"}},
        )
    )
    trial = try_migration(source, SECRET)
    assert not trial.ok
    lines = "\n".join(describe_trial(trial))
    assert "4 items cannot be migrated" in lines
    for words in (blog_id(50), "a b", "gone", "OldBlog.title", "bcrypt"):
        assert words in lines
    migrate_site(source, target, SECRET)
    assert len(posts_of(target)) == POSTS


# Each of these stopped the migration, or moved one item over another.
@pytest.mark.rest
@pytest.mark.parametrize(
    ("item", "lost"),
    [
        (OldLike(blog_id=blog_id(1), timestamp_ip=f"²:{MD5[0]}"), 0),
        (OldLike(blog_id=blog_id(1), timestamp_ip="nonsense"), 0),
        (OldUser(email=" ", created_at=LAST_YEAR), 0),
        (OldUser(email="admin", created_at=LAST_YEAR), 0),
        (OldBlog(blog_id=blog_id(1), created_at=THIS_YEAR, title="Again", content="<p>x</p>"), 1),
        (OldPortfolio(user_id="default", projects=[1]), 0),
        (OldPortfolio(user_id="default", experience=[None]), 0),
    ],
    ids=str,
)
def test_dirty_item_does_not_stop_the_others(
    source: Driver, target: Driver, item: Entity, lost: int
) -> None:
    Store(source).put(item)
    migrate_site(source, target, SECRET)
    assert len(posts_of(target)) == POSTS - lost


def test_two_accounts_with_one_address_are_reported(source: Driver, target: Driver) -> None:
    Store(source).put(OldUser(email="ADA@example.org", created_at=THIS_YEAR))
    with pytest.raises(TransformFailed, match="is also derived from"):
        migrate_site(source, target, SECRET)


def test_missing_tables_are_empty_and_no_table_is_an_error(target: Driver) -> None:
    with Engine.in_memory() as source:
        with pytest.raises(MigrationError, match="nothing to migrate"):
            migrate_site(source, target, SECRET)
        Store(source).admin.create_table(blogs_table)
        migrate_site(source, target, SECRET)
        assert posts_of(target) == []
