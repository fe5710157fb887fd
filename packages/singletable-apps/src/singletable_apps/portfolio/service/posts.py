"""Write, publish, find and delete posts.

A post in the trash keeps its slugs and all its items. When a post is deleted, readers and authors
lose it first. Its METADATA, which lists its slugs, is deleted last, so that everything else can
still be found, and an interrupted deletion is finished later.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import islice
from uuid import uuid4

from singletable import (
    ConditionFailed,
    InvalidCursor,
    Page,
    SingleTableError,
    TransactionConflict,
    evolve,
    key_of,
    retry_conflicts,
)
from singletable_apps.portfolio import entities, patterns, rules
from singletable_apps.portfolio.entities import Blog, BlogContent, Listing, Revision, User
from singletable_apps.portfolio.profile_rules import MAX_NAME
from singletable_apps.portfolio.service.context import Context
from singletable_apps.portfolio.service.likes import LikeService
from singletable_apps.portfolio.service.slugs import SlugRegistry
from singletable_apps.portfolio.site_files import PostFile
from singletable_apps.shared.errors import AlreadyExists, Busy, InvalidInput, NotFound
from singletable_apps.shared.languages import Phrase
from singletable_apps.shared.markdown import lead_text, plain_text, render_markdown
from singletable_apps.shared.sealed import InvalidSeal, Sealer
from singletable_apps.shared.service import UNKNOWN_OUTCOME, RevisionCheck, any_revision, is_uuid
from singletable_apps.shared.text import InputChecks

# How many old texts of a post are kept.
KEPT_REVISIONS = 50
PREVIEW_LIFETIME = timedelta(days=30)
_READABLE = (Listing.ALL, Listing.DRAFTS, Listing.PAGES)
_FAILED = (ConditionFailed, TransactionConflict, *UNKNOWN_OUTCOME)
_BATCH = 1_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_log = logging.getLogger(__name__)


class _SlugTaken(Exception):
    """Another post got the derived slug at this moment; the next attempt derives another one."""


_retried = retry_conflicts(
    attempts=10,
    also=[TransactionConflict, _SlugTaken],
    idempotent=True,
    otherwise=lambda: Busy("Someone else is changing this post right now. Try again."),
)


class Outcome(StrEnum):
    """What an import did with a file."""

    CREATED = "created"
    UPDATED = "updated"
    SKIPPED = "skipped"
    FAILED = "failed"
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class Moved:
    """The post has another slug now."""

    slug: str


class PostService:
    """Posts. `check` is called with the current revision; `on_change` after every write."""

    def __init__(self, context: Context, likes: LikeService, on_change: Callable[[], None]) -> None:
        self._context = context
        self._store = context.store
        self._slugs = SlugRegistry(context.store)
        self._likes = likes
        self._previews = Sealer(context.secret, tuple[str, int, int], "portfolio preview")
        self._on_change = on_change

    # Read posts.

    def find(self, id_or_slug: str) -> rules.Post | Moved | None:
        """Return the public post with this id or slug, its new slug if it has moved, or None.

        The index of slugs and cheap reads may be a moment behind the table. So a post that is not
        found there, or not public, is looked up in the table before a slug redirects.
        """
        if is_uuid(id_or_slug):
            return self._public_post(self._context.find_blog(id_or_slug)) or self._public_post(
                self._context.find_blog(id_or_slug, consistent=True), consistent=True
            )
        slug = rules.derive_slug(id_or_slug[:1000])
        if slug != id_or_slug:
            # Links are pasted with capitals, or with the punctuation after them.
            found = self._find_by_slug(slug)
            return Moved(found.blog.slug) if isinstance(found, rules.Post) else found
        return self._find_by_slug(slug)

    def get(self, blog_id: str) -> rules.Post:
        """Return the post, public or not, or raise NotFound."""
        if rules.is_id(blog_id):
            # One snapshot, so that an edit starts from a text and its own revision.
            blog, content = self._store.transact_get(Blog.key(blog_id), BlogContent.key(blog_id))
            if blog is not None and content is not None and blog.listing in _READABLE:
                return rules.Post(blog, content)
        raise NotFound("There is no such post. It may have been deleted.")

    def list_published(
        self, limit: int, cursor: str | None = None, *, until: datetime | None = None
    ) -> Page[Blog]:
        """Return a page of the public posts, newest first, up to a time that is not in the future.

        A cursor keeps the time of its list.
        """
        now = self._context.clock()
        until, cursor = _open_cursor(cursor, min(until or now, now))
        page = self._store.page(patterns.published_until(until), limit, cursor=cursor, reverse=True)
        return Page(
            page.items, _make_cursor(until, page.cursor), _make_cursor(until, page.previous)
        )

    def list_all(self) -> list[Blog]:
        """Return all posts: drafts first, then by date, newest first."""
        return [*self.list_in(Listing.DRAFTS), *self.list_in(Listing.ALL)]

    def list_in(self, listing: Listing) -> list[Blog]:
        """Return all posts or pages of a list, newest first."""
        return list(self._store.query(patterns.posts_in_list(listing), reverse=True))

    def contents(self, blog_ids: Iterable[str]) -> dict[str, BlogContent]:
        """Return the texts of posts by id."""
        ids = dict.fromkeys(filter(rules.is_id, blog_ids))
        keys = [patterns.text_of_blog(blog_id) for blog_id in ids]
        return {text.blog_id: text for text in self._store.get_many(keys) if text is not None}

    def history(self, blog_id: str) -> list[Revision]:
        """Return the old titles and texts of a post, latest first."""
        if not rules.is_id(blog_id):
            return []
        return list(self._store.query(patterns.revisions_of_blog(blog_id), reverse=True))

    def preview_token(self, blog: Blog) -> str:
        """Return a token with which anyone can read the post before it is public, for a month."""
        expires = self._context.clock() + PREVIEW_LIFETIME
        return self._previews.seal((blog.blog_id, int(expires.timestamp()), blog.replaced_previews))

    def open_preview(self, token: str) -> rules.Post:
        """Return the post of a preview token, or raise NotFound."""
        try:
            blog_id, expires, replaced = self._previews.open(token)
        except InvalidSeal:
            raise NotFound("This preview link is not complete. Copy it again.") from None
        post = self.get(blog_id)
        is_current = replaced == post.blog.replaced_previews
        if not is_current or expires < self._context.clock().timestamp():
            raise NotFound("This preview link has expired. Ask for a new one.")
        return post

    # Write posts.

    def create(
        self, actor: User, draft: rules.PostDraft, publication: rules.Publication | None = None
    ) -> Blog:
        """Create a post; a draft unless there is a publication."""
        needed = rules.Permission.EDIT_SITE if draft.is_page else rules.Permission.WRITE
        rules.PERMISSIONS.check(actor.role, needed)
        draft = rules.check_draft(draft)
        post = self._published(self.preview(actor, draft), publication)

        @_retried
        def insert() -> Blog:
            slug = draft.slug or self._slugs.find_free(draft.title, post.blog)
            blog = evolve(post.blog, slug=slug)
            try:
                self._insert(rules.Post(blog, post.content))
            except _FAILED:
                # The id is random: if the post exists, this call has created it.
                stored = self._context.find_blog(blog.blog_id, consistent=True)
                if stored is None:
                    raise
                blog = stored
            except AlreadyExists as error:
                if draft.slug:
                    raise
                raise _SlugTaken from error
            self._on_change()
            return blog

        return insert()

    def preview(
        self, actor: User, draft: rules.PostDraft, stored: Blog | None = None
    ) -> rules.Post:
        """Return a new post that is not stored, with the author and the date of a stored one."""
        blank = _blank_post(actor, self._context.clock())
        author = stored.author_name if stored else actor.name
        dated = evolve(blank, author_name=author, published_at=stored and stored.published_at)
        return self._apply(dated, draft)

    def edit(
        self,
        actor: User,
        blog_id: str,
        draft: rules.PostDraft | Callable[[rules.PostDraft], rules.PostDraft],
        check: RevisionCheck = any_revision,
        publication: rules.Publication | None = None,
    ) -> Blog:
        """Replace the title, the text and the rest of what an author enters.

        `draft` may be a function of the current draft. Without a slug, a post that was public keeps
        its own; another gets one from its title. `publication` publishes or withdraws the post.
        """
        entered_slug = ""

        def change(post: rules.Post) -> rules.Post:
            nonlocal entered_slug
            entered = draft(post.draft) if callable(draft) else draft
            checked = rules.check_draft(replace(entered, is_page=post.blog.is_page))
            slug = entered_slug = checked.slug
            if not slug:
                is_known = post.blog.was_public or rules.is_public(post.blog, self._context.clock())
                slug = (
                    post.blog.slug if is_known else self._slugs.find_free(checked.title, post.blog)
                )
            changed = self._published(
                self._apply(post.blog, replace(checked, slug=slug)), publication
            )
            if changed.blog.published_at is not None:
                rules.check_publishable(checked.markdown)
            return changed

        @_retried
        def write() -> Blog:
            try:
                return self._change(actor, blog_id, change, check)
            except AlreadyExists as error:
                if entered_slug:
                    raise
                raise _SlugTaken from error

        return write()

    def import_post(
        self, actor: User, file: PostFile, *, revisions: int = 0, dry_run: bool = False
    ) -> tuple[Outcome, Blog]:
        """Create a post that was written elsewhere, or update the post that has its slug.

        It keeps its dates, its author and its old slugs. A new post has had so many `revisions`
        elsewhere. `dry_run` checks it and writes nothing.
        Return the post as well; without its new revision if it was updated.
        """
        rules.PERMISSIONS.check(actor.role, rules.Permission.EDIT_ANY)
        draft, unchanged = rules.check_draft(file.draft), Outcome.SKIPPED

        @_retried
        def write() -> tuple[Outcome, Blog]:
            nonlocal unchanged
            old = self._slugs.find_current(draft.slug)
            try:
                post = self.get(old.blog_id) if old else None
            except NotFound:
                text = "A post in the trash has this slug. Restore it, or delete it forever."
                raise InvalidInput({"slug": text}) from None
            if post and post.blog.is_page != draft.is_page:
                text = "Of a post and a page, only one can have the slug “%(slug)s”."
                raise InvalidInput({"slug": Phrase(text, slug=draft.slug)})
            changed = self._imported(actor, file, draft, post, revisions)
            if changed == post:
                return unchanged, changed.blog
            outcome = Outcome.UPDATED if post else Outcome.CREATED
            try:
                if dry_run:
                    self._slugs.plan_redirects(changed.blog, post.blog.old_slugs if post else [])
                elif post is None:
                    self._insert(changed)
                else:
                    self._write(actor, post, changed)
            except _FAILED as error:
                if isinstance(error, UNKNOWN_OUTCOME):
                    unchanged = outcome  # if the next attempt finds that it was written
                    self._on_change()
                raise
            self._on_change()
            return outcome, changed.blog

        return write()

    def restore(
        self, actor: User, blog_id: str, number: int, check: RevisionCheck = any_revision
    ) -> Blog:
        """Bring back an old title and text, as a new edit."""
        is_possible = rules.is_id(blog_id) and 0 < number < 10**6
        old = self._store.run(patterns.revision_by_number, blog_id, number) if is_possible else None
        if old is None:
            raise NotFound(Phrase("There is no version %(number)s of this post.", number=number))

        def change(post: rules.Post) -> rules.Post:
            draft = replace(post.draft, title=old.title, markdown=old.markdown)
            return self._apply(post.blog, rules.check_draft(draft))

        return self._change(actor, blog_id, change, check)

    def publish(self, actor: User, blog_id: str, at: datetime | None = None) -> Blog:
        """Publish the post now or at a time; a time in the past is its date.

        Without a time, a post that is public keeps its date.
        """
        publication = rules.Publication(rules.PostStatus.PUBLISHED, at)
        return self._change(actor, blog_id, lambda post: self._published(post, publication))

    def unpublish(self, actor: User, blog_id: str) -> Blog:
        """Make the post a draft again."""
        publication = rules.Publication(rules.PostStatus.DRAFT)
        return self._change(actor, blog_id, lambda post: self._published(post, publication))

    def replace_preview(self, actor: User, blog_id: str) -> Blog:
        """Invalidate all earlier preview tokens of the post."""

        def change(post: rules.Post) -> rules.Post:
            number = post.blog.replaced_previews + 1
            return rules.Post(evolve(post.blog, replaced_previews=number), post.content)

        return self._change(actor, blog_id, change)

    def move(
        self, actor: User, blog_id: str, to: Listing, check: RevisionCheck = any_revision
    ) -> None:
        """Move the post with its comments and likes to the trash (TRASH), or back (ALL)."""
        self._move(actor, blog_id, to, check)
        self._on_change()

    def delete(self, actor: User | None, blog_id: str, check: RevisionCheck = any_revision) -> None:
        """Delete the post with its slugs, likes and comments. If it is interrupted, call it again.

        Without an actor, the time of the post in the trash is over. Readers lose the post at once.
        Deletions that were interrupted before are finished, too.
        """
        hidden = self._move(actor, blog_id, Listing.DELETED, check)
        self._on_change()
        self._delete_items(hidden)
        self.resume_deletions()

    def resume_deletions(self) -> None:
        """Finish the deletions that were interrupted."""
        for blog in self._store.run(patterns.posts_in_list, Listing.DELETED):
            try:
                self._delete_items(blog)
            except SingleTableError as error:
                _log.warning("The post %s is hidden, but not deleted: %s", blog.blog_id, error)

    @_retried
    def _move(self, actor: User | None, blog_id: str, to: Listing, check: RevisionCheck) -> Blog:
        """Move the post as `rules.move_post` does, unless an interrupted call has done so."""
        blog = self._context.find_blog(blog_id, consistent=True)
        if blog is None or Listing.DELETED is blog.listing is not to:
            raise NotFound("There is no such post. It may have been deleted.")
        if actor is not None:
            rules.check_can_edit(actor, blog)
        if blog.listing is to or (to is Listing.ALL and blog.listing is not Listing.TRASH):
            return blog
        check(blog.revision)
        return self._store.replace(rules.move_post(blog, to, self._context.clock()))

    def _delete_items(self, blog: Blog) -> None:
        """Delete all items of a hidden post."""
        store, blog_id = self._store, blog.blog_id
        self._slugs.forget(blog)
        is_own = entities.PendingComment.blog_id == blog_id
        waiting = store.query(patterns.waiting_comments(), where=is_own, consistent=True)
        while batch := list(islice(waiting, _BATCH)):
            store.delete_many(map(key_of, batch))
        trashed = entities.Trashed.name.begins_with(blog_id)
        for item in store.query(patterns.trash(), where=trashed):
            store.delete(key_of(item))
        store.delete(entities.EditorDraft.key(f"posts/{blog_id}"))
        store.delete_partition(entities.DayStats.key.partition(blog_id))
        store.delete_partition(Revision.key.partition(blog_id).ge(0))
        store.delete_partition(entities.Comment.key.partition(blog_id).ge(_EPOCH))
        self._likes.delete(blog_id)
        store.delete_many([BlogContent.key(blog_id)])
        store.delete_partition(Blog.key.partition(blog_id))

    # The parts of the above.

    def _public_post(self, blog: Blog | None, *, consistent: bool = False) -> rules.Post | None:
        if blog is None or not rules.is_public(blog, self._context.clock()):
            return None
        content = self._store.get(patterns.text_of_blog(blog.blog_id), consistent=consistent)
        return None if content is None else rules.Post(blog, content)

    def _find_by_slug(self, slug: str) -> rules.Post | Moved | None:
        if not slug:
            return None
        indexed = list(self._store.run(patterns.blog_by_slug, slug))
        if len(indexed) == 1 and (post := self._public_post(indexed[0])):
            return post
        now = self._context.clock()
        blog = self._slugs.find_post(slug, now)
        if blog is None or not rules.is_public(blog, now):
            return None
        return self._public_post(blog, consistent=True) if blog.slug == slug else Moved(blog.slug)

    def _published(self, post: rules.Post, publication: rules.Publication | None) -> rules.Post:
        if publication is None:
            return post
        now = self._context.clock()
        blog = rules.apply_publication(post.blog, post.content.markdown, publication, now)
        return rules.Post(blog, post.content)

    def _apply(self, blog: Blog, draft: rules.PostDraft) -> rules.Post:
        return apply_draft(blog, draft, media_prefix=self._context.urls.prefix)

    def _imported(
        self,
        actor: User,
        file: PostFile,
        draft: rules.PostDraft,
        post: rules.Post | None,
        revisions: int,
    ) -> rules.Post:
        """Return the post of a file, based on the stored one if there is one."""
        now = self._context.clock()
        date = rules.check_publish_time(file.date or now, now)
        blank = evolve(_blank_post(actor, min(date, now)), revisions=revisions)
        blog = post.blog if post else blank
        checks = InputChecks()
        author = (
            checks.line("author", file.author, longest=rules.MAX_DESCRIPTION).lower() or blog.author
        )
        author_name = checks.line("author_name", file.author_name, longest=MAX_NAME)
        checks.raise_errors()
        account = self._store.run(patterns.user_by_email, author)
        names = (author_name, blog.author_name, account.name if account else "")
        slug = draft.slug or self._slugs.find_free(draft.title, blog)
        aliases = dict.fromkeys([*blog.old_slugs, *file.aliases])
        blog = evolve(
            blog,
            slug=slug,
            author=author,
            author_name=next(filter(None, names), author.partition("@")[0]),
            updated_at=min(file.updated.replace(microsecond=0), now)
            if file.updated
            else blog.updated_at,
            old_slugs=[alias for alias in aliases if alias != slug],
        )
        status = rules.PostStatus.DRAFT if file.is_draft else rules.PostStatus.PUBLISHED
        publication = rules.Publication(status, file.date or blog.published_at)
        return self._published(self._apply(blog, draft), publication)

    def _insert(self, post: rules.Post) -> None:
        """Store a new post with its text and its slugs."""
        claim = self._slugs.plan_claim(post.blog, post.blog.slug)
        redirect = self._slugs.plan_redirects(post.blog, [])
        with self._store.transaction(pattern=patterns.create_post) as transaction:
            transaction.create(post.blog)
            transaction.create(post.content)
            claim(transaction)
            redirect(transaction)

    def _change(
        self,
        actor: User,
        blog_id: str,
        change: Callable[[rules.Post], rules.Post],
        check: RevisionCheck = any_revision,
    ) -> Blog:
        """Apply `change` to the post, again if someone else writes it meanwhile."""
        is_first = True

        @_retried
        def write() -> Blog:
            nonlocal is_first
            post = self.get(blog_id)
            rules.check_can_edit(actor, post.blog)
            changed = change(post)
            # From the second attempt on, this call itself may have made the change.
            if changed != post or is_first:
                check(post.blog.revision)
            is_first = False
            if changed == post:
                return post.blog
            try:
                return self._write(actor, post, changed)
            finally:
                self._on_change()  # also after an error: the change may have been made

        return write()

    def _write(self, actor: User, post: rules.Post, changed: rules.Post) -> Blog:
        old, now = post.blog, self._context.clock()
        is_other_text = (old.title, post.content.markdown) != (
            changed.blog.title,
            changed.content.markdown,
        )
        blog = evolve(
            changed.blog,
            # An import has a time of its own.
            updated_at=now
            if changed.blog.updated_at == old.updated_at
            else changed.blog.updated_at,
            was_public=old.was_public or rules.is_public(old, now),
            revisions=old.revisions + is_other_text,
        )
        redirect = self._slugs.plan_redirects(blog, old.old_slugs)
        rename = None
        if blog.slug != old.slug:
            blog, rename = self._slugs.plan_rename(blog, old.slug)
        with self._store.transaction(pattern=patterns.edit_post) as transaction:
            if is_other_text:
                transaction.create(
                    Revision(
                        blog_id=old.blog_id,
                        number=blog.revisions,
                        title=old.title,
                        markdown=post.content.markdown,
                        edited_by=actor.email,
                        edited_at=blog.updated_at,
                    )
                )
                if blog.revisions > KEPT_REVISIONS:
                    transaction.delete(Revision.key(old.blog_id, blog.revisions - KEPT_REVISIONS))
            if changed.content != post.content:
                transaction.put(changed.content)
            if rename is not None:
                rename(transaction)
            redirect(transaction)
            # The revision makes sure that nobody has written the post since it was read.
            transaction.replace(blog)
        return blog


def _blank_post(actor: User, at: datetime) -> Blog:
    return Blog(
        blog_id=str(uuid4()),
        title="",
        slug="",
        author=actor.email,
        created_at=at,
        updated_at=at,
        listed_at=at,
    )


def apply_draft(blog: Blog, draft: rules.PostDraft, *, media_prefix: str) -> rules.Post:
    """Return the post with what an author entered, rendered."""
    html = render_markdown(draft.markdown, media_prefix=media_prefix)
    rules.check_content(html)
    text = plain_text(html)
    # The names of the others are those of the post.
    own = {"markdown", "slug", "tags"}
    changed = evolve(
        blog,
        **{name: value for name, value in vars(draft).items() if name not in own},
        slug=draft.slug or blog.slug,
        tags=list(draft.tags),
        listing=Listing.PAGES if draft.is_page else blog.listing,
        excerpt=rules.make_excerpt(lead_text(html)),
        reading_time=rules.reading_time(text),
    )
    content = BlogContent(blog_id=blog.blog_id, markdown=draft.markdown, content=html)
    return rules.Post(changed, content)


def _make_cursor(until: datetime, cursor: str | None) -> str | None:
    return None if cursor is None else f"{int(until.timestamp())}.{cursor}"


def _open_cursor(cursor: str | None, now: datetime) -> tuple[datetime, str | None]:
    """Return the time up to which a list shows posts, and the cursor in it.

    The store accepts a cursor with its own time only, so nobody can read the future.
    """
    if cursor is None:
        return now.replace(microsecond=0), None
    time, _, rest = cursor.partition(".")
    if not (time.isascii() and time.isdigit() and len(time) < 12 and rest):
        raise InvalidCursor("This is not a cursor of this list. Start without one.")
    return datetime.fromtimestamp(int(time), UTC), rest
