"""Migrate the four tables of the original system: all drivers, interrupted, repeated, refused."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from singletable import Driver, Engine, Entity, PutItem, Store, connect
from singletable_apps.portfolio.entities import (
    Blog,
    LikeCount,
    Listing,
    Portfolio,
    Role,
    Slug,
    User,
    data_table,
)
from singletable_apps.portfolio.errors import NotSignedIn
from singletable_apps.portfolio.migration import (
    OLD_TABLES,
    Migration,
    MigrationError,
    OldBlog,
    OldLike,
    OldPortfolio,
    OldUser,
    blogs_table,
    describe_plan,
    plan_migration,
    verify_migration,
    write_migration,
)
from singletable_apps.portfolio.service import Moved, open_portfolio
from singletable_apps.shared.objects import MemoryBucket
from tests.apps.portfolio.support.harness import SECRET, Mailbox
from tests.apps.support.drivers import PowerCut, PowerCutDriver

NOW = datetime(2026, 11, 16, tzinfo=UTC)
THIS_YEAR = int(datetime(2026, 5, 1, tzinfo=UTC).timestamp())
LAST_YEAR = int(datetime(2025, 5, 1, tzinfo=UTC).timestamp())
MD5 = ("5d41402abc4b2a76b9719d911017c592", "7d793037a0760186574b0282f2f435e7")
POSTS = 30


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
def stores(drivers: tuple[Driver, Driver]) -> tuple[Store, Store]:
    """Return a source and a target, on each driver."""
    source = Store(drivers[0])
    fill(source)
    target = Store(drivers[1])
    target.admin.create_table(data_table)
    return source, target


@pytest.fixture
def source() -> Iterator[Store]:
    with Engine.in_memory() as engine:
        store = Store(engine)
        fill(store)
        yield store


def plan_of(source: Store) -> Migration:
    return plan_migration(source, SECRET)


def test_site_is_migrated_and_verified(stores: tuple[Store, Store]) -> None:
    source, target = stores
    plan = plan_of(source)
    assert (len(plan.posts), plan.failures, plan.missing) == (POSTS, [], [])
    result = write_migration(plan, target)
    assert (result.loads["posts"].written, list(result.kept)) == (POSTS, [])
    assert verify_migration(plan, target) == []
    service = open_portfolio(
        target.driver, SECRET, bucket=MemoryBucket(), clock=lambda: NOW, create_tables=True
    )
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
    user = target.get(User.key("ada@example.org"))
    assert user is not None
    assert (user.role, user.password_hash) == (Role.OWNER, "")


def test_administrator_signs_in_after_choosing_a_new_password(source: Store) -> None:
    with connect("memory:") as driver:
        target = Store(driver)
        target.admin.create_table(data_table)
        write_migration(plan_of(source), target)
        mailbox = Mailbox()
        service = open_portfolio(
            driver, SECRET, bucket=MemoryBucket(), mailer=lambda _: mailbox, clock=lambda: NOW
        )
        with pytest.raises(NotSignedIn):
            service.accounts.sign_in("ada@example.org", "")
        service.accounts.request_reset("ada@example.org")
        token = mailbox.emails[0].text.partition("token=")[2].split()[0]
        service.accounts.reset(token, "nine blue horses")
        assert (
            service.accounts.sign_in("ada@example.org", "nine blue horses").user.role is Role.OWNER
        )


def test_no_address_of_a_visitor_is_copied(stores: tuple[Store, Store]) -> None:
    source, target = stores
    write_migration(plan_of(source), target)
    items = target.admin.items(data_table, 1000).items
    assert not any(address in str(items) for address in MD5)


def test_second_run_writes_nothing(stores: tuple[Store, Store]) -> None:
    source, target = stores
    write_migration(plan_of(source), target)
    before = target.admin.items(data_table, 1000).items
    result = write_migration(plan_of(source), target)
    assert sum(load.written for load in result.loads.values()) == 0
    assert not result.kept
    assert target.admin.items(data_table, 1000).items == before


def test_interrupted_migration_is_continued(source: Store) -> None:
    plan = plan_of(source)
    with Engine.in_memory() as reference:
        whole = Store(reference)
        whole.admin.create_table(data_table)
        write_migration(plan, whole)
        expected = whole.admin.items(data_table, 1000).items
    for operations in range(1, 40):
        with Engine.in_memory() as engine:
            driver = PowerCutDriver(engine)
            target = Store(driver)
            target.admin.create_table(data_table)
            driver.cut_after(operations)
            try:
                write_migration(plan, target)
            except PowerCut:
                finished = False
            else:
                finished = True
            again = Store(engine)
            # What readers see is complete, at any time.
            for blog in again.query(Blog.by_date(Listing.ALL)):
                assert again.get(Slug.key(blog.slug)) is not None
            write_migration(plan_of(source), again)
            assert again.admin.items(data_table, 1000).items == expected
            assert verify_migration(plan, again) == []
            if finished:
                return
    raise AssertionError("The migration never finished.")


def test_changes_at_the_target_are_kept_and_reported(stores: tuple[Store, Store]) -> None:
    source, target = stores
    write_migration(plan_of(source), target)
    target.update(Blog.key(blog_id(3)), Blog.title.set("Edited"))
    target.update(LikeCount.key(blog_id(2), 0), LikeCount.likes_count.add(5))
    target.delete(Blog.key(blog_id(4)))
    source.create(OldLike(blog_id=blog_id(2), timestamp_ip=f"{THIS_YEAR}:{MD5[1]}"))
    plan = plan_of(source)
    assert verify_migration(plan, target) == [
        f"{Blog.key(blog_id(3))} differs in title.",
        f"{Blog.key(blog_id(4))} is missing.",
    ]
    result = write_migration(plan, target)
    assert (result.loads["posts"].written, len(result.kept)) == (1, 2)
    assert result.loads["likes"].written == 0
    edited = target.get(Blog.key(blog_id(3)))
    assert edited is not None
    assert edited.title == "Edited"


def test_duplicate_slugs_are_reported_before_anything_is_written(source: Store) -> None:
    for number in (100, 101):
        source.create(
            OldBlog(
                blog_id=blog_id(number),
                created_at=LAST_YEAR,
                title="Twice",
                content="<p>x</p>",
                slug="twice",
            )
        )
    with connect("memory:") as driver:
        target = Store(driver)
        target.admin.create_table(data_table)
        with pytest.raises(MigrationError, match=f"twice: {blog_id(100)} and {blog_id(101)}"):
            write_migration(plan_of(source), target)
        assert not target.admin.items(data_table, 10).items


def test_slug_of_another_post_at_the_target_is_reported(source: Store) -> None:
    with connect("memory:") as driver:
        target = Store(driver)
        target.admin.create_table(data_table)
        target.create(Slug(slug="post-7", blog_id="other"))
        with pytest.raises(MigrationError, match="at the target other"):
            write_migration(plan_of(source), target)
        assert target.get(Portfolio.key("default")) is None


def test_items_that_cannot_be_migrated_are_reported(source: Store) -> None:
    source.create(OldBlog(blog_id=blog_id(50), created_at=LAST_YEAR, title="", content="<p>x</p>"))
    source.create(OldBlog(blog_id="a b", created_at=LAST_YEAR, title="x", content="<p>x</p>"))
    source.create(OldLike(blog_id="gone", timestamp_ip=f"{THIS_YEAR}:{MD5[0]}"))
    source.create(OldLike(blog_id=blog_id(1), timestamp_ip="nonsense"))
    source.driver.execute(
        PutItem(
            blogs_table.name,
            {"blogId": {"S": blog_id(51)}, "created_at": {"N": "1"}, "title": {"N": "7"}},
        )
    )
    plan = plan_of(source)
    found = {(table, key) for table, key, _ in plan.failures}
    assert ("BlogsTable", blog_id(50)) in found
    assert ("BlogsTable", "a b") in found
    assert ("LikesTable", "gone") in found
    assert ("LikesTable", blog_id(1)) in found
    assert any("OldBlog.title" in reason for _, _, reason in plan.failures)
    assert len(plan.failures) == 5
    lines = "\n".join(describe_plan(plan))
    assert "5 items cannot be migrated" in lines
    assert "bcrypt" in lines
    assert f"{POSTS} posts, 1 accounts, 3 likes" in lines


# Each of these stopped the migration, or moved one item over another.
@pytest.mark.parametrize(
    "item",
    [
        OldLike(blog_id=blog_id(1), timestamp_ip=f"²:{MD5[0]}"),
        OldUser(email=" ", created_at=LAST_YEAR),
        OldUser(email="admin", created_at=LAST_YEAR),
        OldUser(email="ADA@example.org", created_at=THIS_YEAR),
        OldBlog(blog_id=blog_id(1), created_at=THIS_YEAR, title="Again", content="<p>x</p>"),
        OldPortfolio(user_id="default", projects=[1]),
        OldPortfolio(user_id="default", experience=[None]),
    ],
    ids=str,
)
def test_dirty_item_does_not_stop_the_others(source: Store, item: Entity) -> None:
    source.put(item)
    plan = plan_of(source)
    assert len(plan.failures) == 1
    assert len(plan.posts) == POSTS
    with connect("memory:") as driver:
        target = Store(driver)
        target.admin.create_table(data_table)
        assert write_migration(plan, target).kept == []
        assert verify_migration(plan, target) == []


def test_missing_tables_are_empty_and_no_table_is_an_error() -> None:
    with connect("memory:") as driver:
        store = Store(driver)
        with pytest.raises(MigrationError, match="nothing to migrate"):
            plan_of(store)
        store.admin.create_table(blogs_table)
        plan = plan_of(store)
        assert plan.missing == ["PortfolioTable", "UsersTable", "LikesTable"]
        assert (plan.posts, plan.portfolio) == ([], [])
