"""The context of the service: store, clock, secrets and settings."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field

from pydantic_core import to_jsonable_python

from singletable_apps.portfolio import patterns
from singletable_apps.portfolio.entities import Blog, Trashed, TrashKind
from singletable_apps.portfolio.rules import is_id, is_public, make_excerpt
from singletable_apps.portfolio.urls import Urls
from singletable_apps.shared.accounts import AccountsContext
from singletable_apps.shared.errors import NotFound
from singletable_apps.shared.objects import Bucket
from singletable_apps.shared.web import WriteCounter


@dataclass(frozen=True, slots=True)
class Context(AccountsContext):
    """The context of the service: store, clock, secrets and settings."""

    urls: Urls
    bucket: Bucket
    writes: WriteCounter = field(default_factory=WriteCounter)

    def keyed_hash(self, purpose: str, *values: str) -> str:
        """Return 32 hex digits from which nobody without the secret can guess the values."""
        message = "\0".join((purpose, *values)).encode("utf-8", "surrogatepass")
        return hmac.digest(self.secret, message, "sha256").hex()[:32]

    def trashed(
        self, kind: TrashKind, name: str, title: str, author: str, values: object
    ) -> Trashed:
        """Return what is deleted now, as an item of the trash."""
        return Trashed(
            kind=kind,
            name=name,
            title=make_excerpt(title),
            author=author,
            deleted_at=self.clock(),
            values=to_jsonable_python(values),
        )

    def find_blog(self, blog_id: str, *, consistent: bool = False) -> Blog | None:
        """Return the post, or None; also for text that cannot be an id."""
        if not is_id(blog_id):
            return None
        return self.store.get(patterns.blog_by_id(blog_id), consistent=consistent)

    def get_public_blog(self, blog_id: str) -> Blog:
        """Return the post, or raise NotFound unless everyone can read it."""
        blog = self.find_blog(blog_id)
        if blog is None or blog.is_page or not is_public(blog, self.clock()):
            raise NotFound("There is no such post. It may have been deleted.")
        return blog
