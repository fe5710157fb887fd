"""The dashboard: counts, the chart, the most liked posts."""

from __future__ import annotations

from singletable_apps.portfolio.rules import PostDraft
from tests.apps.portfolio.pages.client import Browser, PagesApp
from tests.apps.portfolio.support.posts import publish
from tests.apps.support.html import text_in


def test_new_site_invites_to_write(ada: Browser) -> None:
    text = text_in(ada.get().text)
    assert "Your site is ready for its first post" in text
    assert text_in(ada.get("posts").text).count("Write the first post") == 1


def test_dashboard_counts_posts_likes_and_views(app: PagesApp, ada: Browser) -> None:
    service, blog = app.world.service, publish(app.world, "On tea")
    service.posts.create(app.world.owner(), PostDraft("A draft", "Text"))
    service.likes.like(blog.blog_id, service.likes.visitor("192.0.2.1"))
    for _ in range(3):
        service.stats.record_view(blog.blog_id)
    text = text_in(ada.get().text)
    for words in ("Published 1", "Drafts 1", "Likes 1", "Views 3 in 30 days", "3 views, at most 3"):
        assert words in text
    assert "On tea 3 views in 30 days 1 like" in text
    assert "90 days" in text_in(ada.get(days="90").text)
    assert "in 30 days" in text_in(ada.get(days="seven").text)
