"""The slugs of posts: one post each, and redirects from the old ones.

A slug is an item, written in the transaction that writes its post. So no two posts have the same
slug, and a slug leads to a post, which knows its current slug: a redirect is one hop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from singletable import Condition, Store, Transaction, evolve, key_of, retry_conflicts
from singletable_apps.portfolio import patterns
from singletable_apps.portfolio.entities import Blog, Slug
from singletable_apps.portfolio.rules import (
    MAX_OLD_SLUGS,
    MAX_SLUG,
    RESERVED,
    derive_slug,
    is_public,
    slug_error,
)
from singletable_apps.shared.errors import AlreadyExists, Busy, InvalidInput
from singletable_apps.shared.languages import Phrase

# Adds writes to a transaction.
Writes = Callable[[Transaction], None]
_LAST_NUMBER = 9
_TAKEN = "Choose another slug: a post or page, perhaps in the trash, has “%(slug)s” already."
_TOO_MANY = Phrase("A post can have at most %(most)s old slugs. Keep this one.", most=MAX_OLD_SLUGS)


class SlugRegistry:
    """Finds, claims and releases slugs."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def find_post(self, slug: str, now: datetime) -> Blog | None:
        """Return the post that has this slug or had it last, without the index."""
        held = self._store.run(patterns.slug, slug)
        if held is None:
            return None
        blog = self._store.get(patterns.blog_by_id(held.blog_id), consistent=True)
        if held.redirects_to and (blog is None or not (blog.was_public or is_public(blog, now))):
            return self._store.get(patterns.blog_by_id(held.redirects_to), consistent=True)
        return blog

    def find_free(self, title: str, blog: Blog) -> str:
        """Return a slug for a title that no other post has or had."""
        base = derive_slug(title)
        if slug_error(base):
            base = "post"
        base = base[: MAX_SLUG - 9].rstrip("-")
        names = [base, *(f"{base}-{number}" for number in range(2, _LAST_NUMBER + 1))]
        held = self._store.get_many([patterns.slug(name) for name in names], consistent=True)
        for name, slug in zip(names, held, strict=True):
            is_reserved = blog.is_page and name in RESERVED
            if not is_reserved and (slug is None or slug.blog_id == blog.blog_id):
                return name
        return f"{base}-{blog.blog_id[:8]}"

    def find_current(self, slug: str) -> Slug | None:
        """Return the item of a slug that a post has now."""
        held = self._store.run(patterns.slug, slug) if slug else None
        return held if held is not None and held.is_current else None

    def plan_redirects(self, blog: Blog, known: Sequence[str]) -> Writes:
        """Return the writes of the old slugs of a post that are not known yet.

        Raise InvalidInput if another post has or had one of them, or if there are too many.
        """
        added = [
            Slug(slug=each, blog_id=blog.blog_id, is_current=False)
            for each in blog.old_slugs
            if each not in known
        ]
        if added and len(blog.old_slugs) > MAX_OLD_SLUGS:
            raise InvalidInput({"aliases": _TOO_MANY})
        held = self._store.get_many([key_of(slug) for slug in added], consistent=True)
        for slug in filter(None, held):
            text = Phrase("Another post has or had the slug “%(slug)s”.", slug=slug.slug)
            raise InvalidInput({"aliases": text})

        def write(transaction: Transaction) -> None:
            for slug in added:
                transaction.create(slug)

        return write

    def plan_claim(self, blog: Blog, slug: str) -> Writes:
        """Return the write that gives a slug to a post, or raise AlreadyExists."""
        held = self._store.run(patterns.slug, slug)
        if held is None:
            first = Slug(slug=slug, blog_id=blog.blog_id)
            return lambda transaction: transaction.create(first)
        if held.is_current and held.blog_id != blog.blog_id:
            raise AlreadyExists({"slug": Phrase(_TAKEN, slug=slug)})
        taken = Slug(slug=slug, blog_id=blog.blog_id, redirects_to=held.blog_id)
        return lambda transaction: transaction.put(taken, if_=_is_unchanged(held))

    def plan_rename(self, blog: Blog, old: str) -> tuple[Blog, Writes]:
        """Return the post and the writes that give it its new slug and release the old one.

        A slug under which the post was public redirects to it from now on. Another one goes back to
        the post that had it before, if there is one.
        """
        claim = self.plan_claim(blog, blog.slug)
        held = self._store.run(patterns.slug, old)
        if held is not None and held.blog_id != blog.blog_id:
            held = None
        heir = blog.blog_id if blog.was_public else held.redirects_to if held else ""
        slugs = [slug for slug in blog.old_slugs if slug != blog.slug]
        if heir == blog.blog_id:
            slugs.append(old)
        if len(slugs) > MAX_OLD_SLUGS:
            raise InvalidInput({"slug": _TOO_MANY})

        def write(transaction: Transaction) -> None:
            claim(transaction)
            if held is not None:
                unchanged = _is_unchanged(held)
                if heir:
                    released = Slug(slug=old, blog_id=heir, is_current=False)
                    transaction.put(released, if_=unchanged)
                else:
                    transaction.delete(Slug.key(old), if_=unchanged)

        return evolve(blog, old_slugs=slugs, was_public=False), write

    def forget(self, blog: Blog) -> None:
        """Delete the slugs of a deleted post; those that a draft took from others go back."""
        for slug in (blog.slug, *blog.old_slugs):
            self._forget(blog, slug)

    @retry_conflicts(
        attempts=10,
        otherwise=lambda: Busy("Others keep changing the slugs of this post. Delete it again."),
    )
    def _forget(self, blog: Blog, slug: str) -> None:
        held = self._store.run(patterns.slug, slug)
        if held is None:
            return
        unchanged, heir = _is_unchanged(held), held.redirects_to
        if held.blog_id == blog.blog_id:
            if heir in ("", blog.blog_id) or (blog.was_public and slug == blog.slug):
                self._store.delete(Slug.key(slug), if_=unchanged)
            else:
                back = Slug(slug=slug, blog_id=heir, is_current=False)
                self._store.put(back, if_=unchanged)
        elif heir == blog.blog_id:
            self._store.put(evolve(held, redirects_to=""), if_=unchanged)


def _is_unchanged(held: Slug) -> Condition[Slug]:
    return (
        (Slug.blog_id == held.blog_id)
        & (Slug.is_current == held.is_current)
        & (Slug.redirects_to == held.redirects_to)
    )
