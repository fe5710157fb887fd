"""The URLs of pages, feeds and images, below the prefix at which the site is mounted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from singletable_apps.portfolio.entities import Blog
from singletable_apps.shared.urls import Urls as BaseUrls

# Where the site is beside other apps; on its own it is at the root, with the prefix "".
PREFIX = "/portfolio"
API = "/api/portfolio"


@dataclass(frozen=True, slots=True)
class Urls(BaseUrls):
    """Builds URLs of posts, lists of posts, images and pages for authors."""

    account_path: ClassVar[tuple[str, ...]] = ("admin",)
    prefix: str = PREFIX

    @property
    def home(self) -> str:
        """The page after signing in."""
        return self.admin()

    def absolute(self, path: str) -> str:
        """Return the URL with its origin, for feeds, e-mails and search engines."""
        return path if path.startswith(("http://", "https://")) else f"{self.public}{path}"

    def post(self, slug: str, *parts: str, **query: str) -> str:
        """Return the URL of a post, or of an action on it."""
        return self.page("blog", slug, *parts, **query)

    def of(self, blog: Blog, **query: str) -> str:
        """Return the URL of a post or a page."""
        return self.page(*([] if blog.is_page else ["blog"]), blog.slug, **query)

    def tag(self, tag: str) -> str:
        """Return the URL of the posts with a tag."""
        return self.page("tags", tag)

    def category(self, category: str) -> str:
        """Return the URL of the posts in a category."""
        return self.page("categories", category)

    def media(self, name: str, width: int) -> str:
        """Return the URL of an image in one of its widths."""
        return self.page("media", name, f"{width}.webp")

    def admin(self, *parts: str, **query: str) -> str:
        """Return the URL of a page for authors."""
        return self.page("admin", *parts, **query)
