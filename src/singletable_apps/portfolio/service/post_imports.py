"""Save posts that were written elsewhere, with their dates, their author and their old slugs."""

from __future__ import annotations

from enum import StrEnum
from uuid import uuid4

from singletable import ConditionFailed, Transaction, TransactionConflict, evolve
from singletable_apps.portfolio import patterns
from singletable_apps.portfolio.entities import Blog, Listing, Revision, Slug, User
from singletable_apps.portfolio.errors import InvalidInput, SiteBusy
from singletable_apps.portfolio.rules import (
    PERMISSIONS,
    Permission,
    Post,
    check_draft,
    check_publish_time,
    check_publishable,
)
from singletable_apps.portfolio.service.context import UNKNOWN_OUTCOME, Context
from singletable_apps.portfolio.service.posts import PostService, apply_draft
from singletable_apps.portfolio.service.slugs import SlugRegistry
from singletable_apps.portfolio.site_files import PostFile

_ATTEMPTS = 5
_FAILED = (ConditionFailed, TransactionConflict, *UNKNOWN_OUTCOME)


class Outcome(StrEnum):
    """What an import did with a file."""

    CREATED = "created"
    UPDATED = "updated"
    SKIPPED = "skipped"
    FAILED = "failed"


class PostImporter:
    """Creates posts, or updates the posts that have their slugs."""

    def __init__(self, context: Context, posts: PostService) -> None:
        self._context = context
        self._store = context.store
        self._posts = posts
        self._slugs = SlugRegistry(context.store)

    def save(self, actor: User, file: PostFile, *, dry_run: bool = False) -> tuple[Outcome, str]:
        """Save a post in one transaction, unless it is there already; return its slug, too."""
        PERMISSIONS.check(actor.role, Permission.EDIT_ANY)
        for _ in range(_ATTEMPTS):
            old = self._find(file)
            new, aliases = self._build(actor, file, old)
            if old == new:
                return Outcome.SKIPPED, new.blog.slug
            redirects = [self._check_alias(new.blog, alias) for alias in aliases]
            if not dry_run:
                try:
                    self._write(actor, old, new, redirects)
                except _FAILED:
                    continue  # the next attempt sees what was written
            return (Outcome.CREATED if old is None else Outcome.UPDATED), new.blog.slug
        raise SiteBusy("Someone else is changing this post right now. Try again.")

    def _find(self, file: PostFile) -> Post | None:
        """Return the post that has the slug now; old slugs do not count."""
        slug = file.draft.slug
        held = self._store.get(Slug.key(slug), consistent=True) if slug else None
        return self._posts.get(held.blog_id) if held is not None and held.is_current else None

    def _build(self, actor: User, file: PostFile, old: Post | None) -> tuple[Post, list[str]]:
        """Return the post as it is to be stored, and its old slugs that are new here."""
        now = self._context.clock()
        draft = check_draft(file.draft)
        if not file.is_draft:
            check_publishable(draft.markdown)
        at = check_publish_time(file.date or (old.blog.listed_at if old else now), now)
        author = file.author.lower() or (old.blog.author if old else actor.email)
        name = file.author_name or (old.blog.author_name if old else self._name_of(author))
        blank = Blog(
            blog_id=str(uuid4()),
            title="",
            slug="",
            author="",
            created_at=at,
            updated_at=at,
            listed_at=at,
        )
        start = blank if old is None else old.blog
        slug = draft.slug or self._slugs.find_free(draft.title, start)
        aliases = [each for each in file.old_slugs if each not in (slug, *start.old_slugs)]
        blog = evolve(
            start,
            slug=slug,
            listing=Listing.DRAFTS if file.is_draft else Listing.ALL,
            author=author,
            author_name=name,
            published_at=None if file.is_draft else at,
            listed_at=at,
            updated_at=file.updated or start.updated_at,
            was_public=start.was_public or (not file.is_draft and at <= now),
            old_slugs=[*(each for each in start.old_slugs if each != slug), *aliases],
        )
        post = apply_draft(blog, draft, media_prefix=self._context.urls.prefix)
        if old is not None and old != post and file.updated is None:
            post = Post(evolve(post.blog, updated_at=now.replace(microsecond=0)), post.content)
        return post, aliases

    def _name_of(self, email: str) -> str:
        account = self._store.get(User.key(email))
        return account.name if account is not None else email.partition("@")[0]

    def _write(self, actor: User, old: Post | None, new: Post, redirects: list[Slug]) -> None:
        if old is None:
            claim = self._slugs.plan_claim(new.blog, new.blog.slug)
            with self._store.transaction(pattern=patterns.create_post) as transaction:
                transaction.create(new.blog)
                transaction.create(new.content)
                claim(transaction)
                _create_all(transaction, redirects)
            return
        is_other_text = old.draft.markdown != new.draft.markdown or old.blog.title != new.blog.title
        blog = evolve(new.blog, revisions=old.blog.revisions + is_other_text)
        with self._store.transaction(pattern=patterns.edit_post) as transaction:
            if is_other_text:
                transaction.create(
                    Revision(
                        blog_id=blog.blog_id,
                        number=blog.revisions,
                        title=old.blog.title,
                        markdown=old.content.markdown,
                        edited_by=actor.email,
                        edited_at=blog.updated_at,
                    )
                )
            if old.content != new.content:
                transaction.put(new.content)
            _create_all(transaction, redirects)
            transaction.replace(blog)

    def _check_alias(self, blog: Blog, alias: str) -> Slug:
        if self._store.get(Slug.key(alias), consistent=True) is not None:
            raise InvalidInput({"aliases": f"Another post has or had the slug “{alias}”."})
        return Slug(slug=alias, blog_id=blog.blog_id, is_current=False)


def _create_all(transaction: Transaction, slugs: list[Slug]) -> None:
    for slug in slugs:
        transaction.create(slug)
