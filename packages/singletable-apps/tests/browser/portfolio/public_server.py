"""A site with a few posts for readers, served on a port."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from singletable import Engine
from singletable_apps.portfolio.app import APP
from singletable_apps.portfolio.comment_rules import CommentDraft
from singletable_apps.portfolio.entities import Blog, Experience, Project, User
from singletable_apps.portfolio.rules import PostDraft
from singletable_apps.portfolio.service import PortfolioService, open_portfolio
from singletable_apps.shared.accounts import Passwords
from singletable_apps.shared.objects import MemoryBucket
from singletable_apps.shared.web import Settings
from tests.apps.portfolio.support.images import image_file
from tests.browser.live_server import serve_app

TEXT = """\
A paragraph with *emphasis*, **importance**, `code`, a [link](https://example.org/) and a note.[^1]

## A heading

> A quotation of somebody.

| harbor | height |
|---|---:|
| Rockland | 3.1 |

```python
def tide(hours: float) -> float:
    return 1.4 * cos(hours)  # in meters
```

![A picture]({image} "With a caption")

1. First
2. Second

---

[^1]: The note.

"""
LONG = """\
A wall clock with one hand used to hang in the office of the harbor master. The hand went around
once in twelve hours and twenty-five minutes, and the dial said high, falling, low, rising. It was
right to within an hour on a good day. I wanted one on my desk that was right to within ten minutes,
and I wanted to understand why the brass one was not. The moon pulls the water into two bulges, and
we turn underneath them. If that were all, the tide would be a clean cosine and the old clock would
be perfect. But the sun pulls too, with a little less than half the strength.

"""


@dataclass(frozen=True)
class PublicSite:
    """A served site, with its service and the post that has everything."""

    address: str
    service: PortfolioService
    owner: User
    post: Blog

    def url(self, *parts: str, **query: str) -> str:
        """Return the URL of a page."""
        return self.address + self.service.context.urls.page(*parts, **query)


def make_service(engine: Engine) -> tuple[PortfolioService, User]:
    """Return the service of a site that is set up."""
    service = open_portfolio(
        engine,
        b"of browser tests" * 2,
        bucket=MemoryBucket(),
        passwords=Passwords(memory_kib=64, passes=1),
    )
    owner = service.accounts.set_up("Ada King", "ada@example.org", "nine blue horses", "Ada King")
    return service, owner


def _fill(service: PortfolioService, owner: User) -> Blog:
    media = service.media.upload(owner, image_file(1000, 500), "tide.png", "A picture")
    image = service.context.urls.media(media.name, 960)
    service.profile.update_settings(owner, {"tagline": "Notes on engines"})
    service.profile.update_portfolio(
        owner,
        {
            "name": "Ada King",
            "headline": "Analyst and metaphysician",
            "bio": "I write about machines that do not exist yet.",
            "profile_pic_url": image,
            "about_markdown": TEXT.format(image=image),
            "projects": [
                Project(
                    "1", "Engine", "It computes.", image, "Wheels", ["Brass"], "https://a.example"
                ),
                Project("2", "A project without a picture", "It does not."),
            ],
            "experience": [Experience("1", "Analyst", "Engine", "Notes.", technologies=["Ink"])],
            "social_links": {"github": "https://github.example/ada"},
        },
    )
    now = datetime.now(UTC)
    tags = tuple(f"a-rather-long-tag-{number}" for number in range(10))
    drafts = [
        PostDraft("Short", "One line."),
        PostDraft("A title of sixty characters, which is as long as titles get", LONG, tags=tags),
        PostDraft(
            "Everything",
            TEXT.format(image=image) + LONG * 10,
            tags=("engines", "notes"),
            category="Machines",
            featured_image_url=image,
            featured_image_alt="The tide",
            seo_description="A post with every element that Markdown has.",
        ),
        PostDraft("Last", LONG, tags=("engines",)),
    ]
    blogs = [
        service.posts.publish(owner, service.posts.create(owner, draft).blog_id, now - age)
        for draft, age in zip(drafts, map(timedelta, (90, 60, 30, 1)), strict=True)
    ]
    service.comments.submit(blogs[2].blog_id, CommentDraft("Ben", "One.\n\nTwo."), "ben")
    for queued in service.comments.queue(owner).items:
        service.comments.approve(owner, queued.ref)
    return blogs[2]


@contextmanager
def serve_public_site() -> Generator[PublicSite]:
    """Serve a site with pictures, projects, posts and a comment."""
    with Engine.in_memory() as engine:
        service, owner = make_service(engine)
        post = _fill(service, owner)
        app = APP.make_app(service, Settings(secure_cookies=False), limited=False)
        with serve_app(app) as address:
            yield PublicSite(address, service, owner, post)
