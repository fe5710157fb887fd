"""The sample site: complete, without broken links, the same every time, in every season."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache

import pytest

from singletable import connect
from singletable_apps.portfolio.entities import Listing, Role
from singletable_apps.portfolio.rules import Post
from singletable_apps.portfolio.sample import DAYS, PASSWORD, create_sample, list_sample
from singletable_apps.portfolio.service import SITE
from singletable_apps.shared.frame.account_pages import SignInForm
from singletable_apps.shared.images import process_image
from singletable_apps.shared.permissions import NotPermitted
from tests.apps.portfolio.support.harness import World


@pytest.fixture(scope="module", autouse=True)
def process_images_once() -> Iterator[None]:
    """Keep the processed images for the next sample, because they take most of the time."""
    with pytest.MonkeyPatch.context() as patch:
        process = "singletable_apps.portfolio.service.media.process_image"
        patch.setattr(process, cache(process_image))
        yield


@pytest.fixture(scope="module")
def sample() -> World:
    """Return the sample, in memory."""
    world = World(connect("memory:"))
    world.clock.now = datetime(2026, 11, 16, 12, tzinfo=UTC)
    create_sample(world.service)
    return world


def test_sample_has_posts_over_two_years(sample: World) -> None:
    service, now = sample.service, sample.clock()
    visible = service.catalog.visible(now)
    assert len(visible) == 8
    assert (now - visible[-1].listed_at).days > 600
    assert {blog.author_name for blog in visible} == {"Maren Hollis", "Gus Pelletier"}
    assert (len(service.posts.list_all()), len(service.posts.list_in(Listing.DRAFTS))) == (10, 1)
    assert all(blog.featured_image_url and blog.seo_description for blog in visible)


def test_sample_links_lead_somewhere(sample: World) -> None:
    service = sample.service
    portfolio = service.profile.get_portfolio()
    texts = [portfolio.about_content, portfolio.profile_pic_url]
    texts += [project.image_url for project in portfolio.projects]
    for blog in service.posts.list_all():
        texts += [service.posts.get(blog.blog_id).content.content, blog.featured_image_url]
    names: set[str] = set()
    for target in re.findall(r"""(?:^|["( ])(/[^\s")]+)""", "\n".join(texts), re.MULTILINE):
        if image := re.fullmatch(r"/portfolio/media/(\w+)/(\d+)\.webp", target):
            assert service.media.open(image[1], int(image[2]))
            names.add(image[1])
        else:
            slug = target.removeprefix("/portfolio/blog/")
            assert isinstance(service.posts.find(slug), Post), target
    assert names == {media.name for media in service.media.list(100).items}


def test_sample_has_readers(sample: World) -> None:
    service = sample.service
    owner = service.accounts.sign_in("maren@example.org", PASSWORD).user
    days = service.stats.days(SITE, DAYS)
    assert (owner.role, len(days)) == (Role.OWNER, DAYS)
    assert all(day.views > 0 for day in days)
    assert len(service.comments.queue(owner).items) == 3
    ids = [blog.blog_id for blog in service.catalog.visible(sample.clock())]
    assert all(service.likes.counts(ids).values())
    assert any(service.comments.of_post(each) for each in ids)


def test_sample_accounts_are_listed_until_their_password_changes(sample: World) -> None:
    listed = list_sample(sample.service)
    assert listed is not None
    names = [entry.name for entry in listed.entries]
    assert names == ["Long Wave", "Maren Hollis, owner", "Gus Pelletier, author"]
    assert listed.password == PASSWORD
    for entry in listed.entries[1:]:
        form = SignInForm.model_validate(entry.form)
        sample.service.accounts.sign_in(form.who, form.password)
    assert list_sample(World(connect("memory:")).service) is None


def test_site_that_is_set_up_gets_no_sample() -> None:
    world = World(connect("memory:"))
    world.set_up()
    with pytest.raises(NotPermitted):
        create_sample(world.service)


@pytest.mark.parametrize(
    "now", [datetime(2024, 2, 29, tzinfo=UTC), datetime(2031, 1, 1, tzinfo=UTC)]
)
def test_sample_is_never_in_the_future(now: datetime) -> None:
    world = World(connect("memory:"))
    world.clock.now = now
    create_sample(world.service)
    visible = world.service.catalog.visible(world.clock())
    assert len(visible) == 8
    assert (now - visible[0].listed_at).days < 366
