"""Portfolio: the page of a post and the list of posts, beside a minimal blog written by hand."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.harness.measurement import Scale, expect, show_progress, temporary_folder
from benchmarks.harness.report import (
    ReportTable,
    Target,
    format_milliseconds,
    format_rate,
    format_ratio,
)
from benchmarks.http_load.crowd import CrowdResult, GetRequest, send_all, serve_app
from benchmarks.http_load.sqlite_blog import SamplePost, create_blog
from singletable import connect
from singletable_apps.portfolio.comment_rules import CommentDraft
from singletable_apps.portfolio.rules import PostDraft, PostStatus, Publication
from singletable_apps.portfolio.service import open_portfolio
from singletable_apps.portfolio.urls import Urls
from singletable_apps.shared.objects import MemoryBucket

CLAIM = "pages are served at half the rate of a minimal FastAPI and SQLite blog or better"
RATE = Target(at_least=0.5)
SECRET = b"a secret for the benchmark alone"
COMMENTS, CONNECTIONS = 5, 8
_TAGS = ("python", "maps", "radio", "sea", "cooking", "books", "travel", "notes")
_SENTENCE = "the tide comes in twice a day and takes what the mice have left of an old radio"
_WORDS = _SENTENCE.split(" ")


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Serve both blogs in turn, and read both pages."""
    posts = list(sample_posts(scale.clients // 10))
    with temporary_folder() as folder:
        show_progress(f"{len(posts)} posts in both blogs")
        create_blog(folder / "blog.db", posts)
        fill_portfolio(folder, posts)
        minimal, portfolio = (
            _measure_pages(app, folder, posts, scale.clients)
            for app in ("sqlite-blog", "portfolio")
        )
    rows: list[list[str]] = []
    for page, peer in minimal.items():
        ours = portfolio[page]
        ratio = peer.seconds / ours.seconds
        rows.append([page, "minimal", *_figures(peer), "", ""])
        rows.append([page, "portfolio", *_figures(ours), format_ratio(ratio), RATE.verdict(ratio)])
    return [
        ReportTable(
            f"Pages of a blog with {len(posts)} posts of 1,000 words, one process, {CONNECTIONS} "
            "connections",
            ["page", "blog", "rate", "p50", "p99", "size", "ratio", "target"],
            rows,
            [
                "The minimal blog asks SQLite for the same things, by hand: the post, its tags, "
                "comments, neighbors, related posts and likes. It renders bare HTML; the portfolio "
                "renders its whole design, metadata for search engines included, and computes an "
                "ETag. It keeps a page for a second; with a URL of its own, each request renders "
                "one. Neither compresses here."
            ],
        )
    ]


def _measure_pages(
    app: str, folder: Path, posts: Sequence[SamplePost], readers: int
) -> dict[str, CrowdResult]:
    """Serve a blog, and request each page as often as there are readers."""
    paths = [f"/blog/{posts[number % len(posts)].slug}" for number in range(readers)]
    pages = {
        "a post": paths,
        "a post, never the same URL": [f"{path}?r={n}" for n, path in enumerate(paths)],
        "the list of posts": ["/blog"] * readers,
    }
    results: dict[str, CrowdResult] = {}
    with serve_app(app, folder) as port:
        for page, urls in pages.items():
            requests = [GetRequest(url) for url in urls]
            send_all(port, requests[: len(posts)], CONNECTIONS)
            results[page] = send_all(port, requests, CONNECTIONS)
            expect(all(b"</html>" in body for body in results[page].bodies), True)
    return results


def _figures(result: CrowdResult) -> list[str]:
    pages = len(result.bodies)
    return [
        format_rate(pages / result.seconds),
        f"{format_milliseconds(result.percentile(0.5))} ms",
        f"{format_milliseconds(result.percentile(0.99))} ms",
        f"{sum(map(len, result.bodies)) / pages / 1000:.1f} kB",
    ]


def sample_posts(posts: int) -> Iterable[SamplePost]:
    """Return the posts of both blogs."""
    generator = random.Random(1)
    first = datetime(2024, 1, 1, tzinfo=UTC)
    for number in range(posts):
        paragraphs = [" ".join(generator.choices(_WORDS, k=100)) for _ in range(10)]
        yield SamplePost(
            slug=f"post-{number}",
            title=f"Post {number}",
            description=paragraphs[0][:150],
            content="".join(f"<p>{paragraph}</p>\n" for paragraph in paragraphs),
            published_at=int((first + timedelta(days=number)).timestamp()),
            tags=sorted(generator.sample(_TAGS, 3)),
            comments=[" ".join(generator.choices(_WORDS, k=40)) for _ in range(COMMENTS)],
        )


def fill_portfolio(folder: Path, posts: Iterable[SamplePost]) -> None:
    """Write the posts with the service of the portfolio."""
    with connect(f"file:{folder / 'portfolio.db'}") as driver:
        service = open_portfolio(driver, SECRET, bucket=MemoryBucket(), urls=Urls(prefix=""))
        owner = service.accounts.set_up("Ada", "ada@example.org", "nine blue horses", "Blog")
        for post in posts:
            at = datetime.fromtimestamp(post.published_at, UTC)
            draft = PostDraft(
                title=post.title,
                slug=post.slug,
                markdown=post.content.replace("<p>", "").replace("</p>", "\n"),
                tags=tuple(post.tags),
                seo_description=post.description,
            )
            blog = service.posts.create(owner, draft, Publication(PostStatus.PUBLISHED, at))
            for number, text in enumerate(post.comments):
                visitor = service.likes.visitor(f"{post.slug} {number}")
                service.comments.submit(blog.blog_id, CommentDraft("Ben", text), visitor)
        while waiting := service.comments.queue(owner, limit=100).items:
            for comment in waiting:
                service.comments.approve(owner, comment.ref)
