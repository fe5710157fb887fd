"""Comments, which the author of a post approves before anyone sees them, and the contact form.

A new comment goes into the moderation queue, which is a partition of its own: pages of posts never
read it. Approving moves the comment to its post, and rejecting moves it to the trash, in one
transaction. Comments that nobody approves expire.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ParamSpec, TypeVar

from singletable import (
    AlreadyExists,
    Page,
    SingleTableError,
    TransactionConflict,
    key_of,
    retry_conflicts,
)
from singletable_apps.portfolio import comment_rules, patterns, rules
from singletable_apps.portfolio.entities import (
    Blog,
    Comment,
    Listing,
    PendingComment,
    Trashed,
    TrashKind,
    User,
)
from singletable_apps.portfolio.service.context import Context
from singletable_apps.portfolio.service.profile import ProfileService
from singletable_apps.portfolio.service.stats import StatsService
from singletable_apps.shared.errors import Busy, InvalidInput, NotFound
from singletable_apps.shared.languages import Phrase
from singletable_apps.shared.mail import Email, InvalidEmail
from singletable_apps.shared.outbox import MESSAGES
from singletable_apps.shared.permissions import is_permitted
from singletable_apps.shared.service import UNKNOWN_OUTCOME

PENDING_LIFETIME = timedelta(days=90)
NOTIFICATION_INTERVAL = timedelta(hours=1)
# For the whole site, because an attacker can send from many networks.
MESSAGES_PER_HOUR = 60
_log = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class QueuedComment:
    """A comment in the queue, and its post unless that was deleted since."""

    comment: PendingComment
    blog: Blog | None

    @property
    def ref(self) -> str:
        """The name of the comment for `approve` and `reject`."""
        return comment_rules.ref_of(self.comment)


def _retried(done: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    text = f"The comment could not be {done} right now. Try again."
    return retry_conflicts(
        also=[TransactionConflict], idempotent=True, otherwise=lambda: Busy(text)
    )


class CommentService:
    """Submit, moderate and list comments."""

    def __init__(self, context: Context, profile: ProfileService, stats: StatsService) -> None:
        self._context = context
        self._profile = profile
        self._stats = stats
        self._lock = threading.Lock()
        self._notified_at: datetime | None = None

    def submit(self, blog_id: str, draft: comment_rules.CommentDraft, visitor: str) -> None:
        """Put a comment into the queue. Bots get the same response, and nothing is stored for them.

        A comment that is submitted twice is in the queue once.
        """
        if draft.website:
            return
        if not self._profile.get_settings().comments:
            raise rules.SwitchedOff("Comments are switched off on this site.")
        blog = self._context.get_public_blog(blog_id)
        checked = comment_rules.check_comment(draft)
        author, now = self._context.keyed_hash("comment", visitor), self._context.clock()
        texts = (checked.author_name, checked.author_email, checked.content)
        pending = PendingComment(
            blog_id=blog_id,
            comment_id=self._context.keyed_hash("comment", author, blog_id, *texts)[:16],
            author_name=checked.author_name,
            author_email=checked.author_email,
            content=checked.content,
            created_at=now,
            visitor=author,
            reply_to=self._find_answered(blog_id, checked.reply_to),
            ends=now + PENDING_LIFETIME,
        )
        if self._is_new(pending) and self._create(pending):
            self._notify(blog, pending)

    def reply(self, actor: User, ref: str, content: str) -> Comment:
        """Answer an approved comment as an author; the answer is shown at once."""
        named = comment_rules.parse_ref(ref)
        blog, _ = self._load(actor, named)
        if blog is None or self._find_approved(named) is None:
            raise NotFound("There is no such comment. It may have been deleted.")
        checked = comment_rules.check_comment(comment_rules.CommentDraft(actor.name, content))
        now = self._context.clock()
        comment = Comment(
            blog_id=blog.blog_id,
            comment_id=self._context.keyed_hash("reply", ref, actor.email, checked.content)[:16],
            author_name=checked.author_name,
            content=checked.content,
            created_at=now,
            approved_by=actor.email,
            reply_to=named.comment_id,
            is_author=True,
        )
        self._context.store.put(comment)
        self._stats.record_comment(comment.blog_id)
        return comment

    def _find_answered(self, blog_id: str, comment_id: str) -> str:
        """Return the id, or an empty text if the comment was deleted."""
        ids = {comment.comment_id for comment in self.of_post(blog_id)} if comment_id else ()
        return comment_id if comment_id in ids else ""

    def of_post(self, blog_id: str) -> list[Comment]:
        """Return the approved comments of a post, oldest first."""
        if not rules.is_id(blog_id):
            return []
        return list(self._context.store.run(patterns.comments_of_blog, blog_id))

    def queue(self, actor: User, cursor: str | None = None, limit: int = 20) -> Page[QueuedComment]:
        """Return a page of the comments that the actor may moderate, oldest first."""
        rules.PERMISSIONS.check(actor.role, rules.Permission.WRITE)
        page = self._read_queue(actor, cursor, limit)
        previous = page.previous
        # An author sees the comments on their own posts only, so some pages are empty.
        while not page.items and page.cursor is not None:
            page = self._read_queue(actor, page.cursor, limit)
        return Page(page.items, page.cursor, previous)

    def count_pending(self) -> int:
        """Return how many comments wait in the queue."""
        return self._context.store.count(
            patterns.counted_comments(), limit=comment_rules.MAX_PENDING
        )

    @_retried("approved")
    def approve(self, actor: User, ref: str) -> Comment:
        """Publish a comment. Approving it again returns the same comment."""
        named = comment_rules.parse_ref(ref)
        blog, pending = self._load(actor, named)
        if blog is None:
            if pending is not None:
                self._context.store.delete(key_of(pending))
            raise NotFound("The post of this comment was deleted, and the comment with it.")
        if pending is None:
            approved = self._find_approved(named)
            if approved is None:
                raise NotFound("This comment is not in the queue. It may have been rejected.")
            return approved
        comment, is_unchanged = _approved(pending, actor), PendingComment.visitor == pending.visitor
        with self._context.store.transaction(pattern=patterns.approve_comment) as transaction:
            transaction.check(Blog.key(pending.blog_id), Blog.listing != Listing.DELETED)
            transaction.delete(key_of(pending), if_=is_unchanged)
            transaction.put(comment)
        self._stats.record_comment(comment.blog_id)
        return comment

    @_retried("rejected")
    def reject(self, actor: User, ref: str) -> None:
        """Move a comment from the queue to the trash. Rejecting it again changes nothing."""
        named = comment_rules.parse_ref(ref)
        blog, pending = self._load(actor, named)
        if pending is not None and blog is None:
            self._context.store.delete(key_of(pending))
        elif pending is not None and blog is not None:
            is_unchanged = PendingComment.visitor == pending.visitor
            with self._context.store.transaction(pattern=patterns.reject_comment) as transaction:
                transaction.delete(key_of(pending), if_=is_unchanged)
                transaction.put(self._trashed(blog, pending))
        # Asked last: another moderator may have been faster.
        if self._find_approved(named) is not None:
            raise NotFound("Someone has approved this comment. Delete it from its post instead.")

    def delete(self, actor: User, ref: str) -> None:
        """Move an approved comment to the trash. Doing so again changes nothing."""
        named = comment_rules.parse_ref(ref)
        blog, _ = self._load(actor, named)
        comment = self._find_approved(named)
        if comment is not None and blog is not None:
            with self._context.store.transaction(pattern=patterns.delete_comment) as transaction:
                transaction.delete(key_of(comment))
                transaction.put(self._trashed(blog, comment))

    def _trashed(self, blog: Blog, comment: Comment | PendingComment) -> Trashed:
        title, ref = f"{comment.author_name}: {comment.content}", comment_rules.ref_of(comment)
        return self._context.trashed(TrashKind.COMMENT, ref, title, blog.author, vars(comment))

    def _is_new(self, pending: PendingComment) -> bool:
        """Return False for a comment in the queue; raise if there are too many others."""
        store = self._context.store
        own = store.select(
            patterns.pending_of_visitor(pending.visitor),
            PendingComment.comment_id,
            limit=comment_rules.MAX_PENDING_OF_VISITOR,
        )
        waiting = [comment_id for (comment_id,) in own]
        if pending.comment_id in waiting:
            return False
        if len(waiting) >= comment_rules.MAX_PENDING_OF_VISITOR:
            text = Phrase(
                "%(count)s of your comments are waiting for approval. Try again later.",
                count=len(waiting),
            )
            raise InvalidInput({"content": text})
        if self.count_pending() >= comment_rules.MAX_PENDING:
            raise Busy("Too many comments are waiting for approval. Try again in a few days.")
        return True

    def _create(self, pending: PendingComment) -> bool:
        """Store a comment in the queue; return False if it was there already."""
        may_be_stored = False
        busy = Busy("Your comment could not be saved right now. Try again.")

        @retry_conflicts(idempotent=True, otherwise=lambda: busy)
        def write() -> bool:
            nonlocal may_be_stored
            try:
                self._context.store.create(pending)
            except AlreadyExists:
                return may_be_stored
            except UNKNOWN_OUTCOME:
                may_be_stored = True
                raise
            return True

        return write()

    def _load(
        self, actor: User, named: comment_rules.CommentRef
    ) -> tuple[Blog | None, PendingComment | None]:
        """Return the post and the comment in the queue, if the actor may moderate them."""
        rules.PERMISSIONS.check(actor.role, rules.Permission.WRITE)
        blog = self._context.find_blog(named.blog_id, consistent=True)
        if blog is not None and blog.listing is Listing.TRASH:
            raise NotFound("The post of this comment is in the trash. Restore the post first.")
        if blog is not None and blog.listing is Listing.DELETED:
            blog = None
        if blog is not None:
            rules.check_can_moderate(actor, blog)
        store = self._context.store
        pending = store.run(patterns.pending_comment, named.created_at, named.comment_id)
        is_same = pending is not None and pending.blog_id == named.blog_id
        return blog, pending if is_same else None

    def _find_approved(self, named: comment_rules.CommentRef) -> Comment | None:
        key = (named.blog_id, named.created_at, named.comment_id)
        return self._context.store.run(patterns.comment, *key)

    def _read_queue(self, actor: User, cursor: str | None, limit: int) -> Page[QueuedComment]:
        store, partition = self._context.store, patterns.pending_comments()
        # Consistent, so that a comment is gone right after it was approved.
        page = store.page(partition, limit, cursor=cursor, consistent=True)
        ids = list(dict.fromkeys(comment.blog_id for comment in page.items))
        found = store.get_many([patterns.blog_by_id(blog_id) for blog_id in ids])
        blogs = dict(zip(ids, found, strict=True))
        queued = [QueuedComment(comment, blogs[comment.blog_id]) for comment in page.items]
        visible = [
            each
            for each in queued
            # Of a post that was deleted, nobody knows the author any more.
            if (
                each.blog is None
                and rules.PERMISSIONS.allows(actor.role, rules.Permission.MODERATE_ANY)
            )
            or (
                each.blog is not None
                and each.blog.listing is not Listing.TRASH
                and is_permitted(rules.check_can_moderate, actor, each.blog)
            )
        ]
        return Page(visible, page.cursor, page.previous)

    def _notify(self, blog: Blog, pending: PendingComment) -> None:
        """Tell the owner of the site, at most once an hour and process."""
        now = self._context.clock()
        with self._lock:
            last = self._notified_at
            if last is not None and now - last < NOTIFICATION_INTERVAL:
                return
            self._notified_at = now
        urls = self._context.urls
        try:
            address = self._profile.owner_address()
            waiting = max(1, self.count_pending())
            if address is None:
                return
            texts = "%(count)s comment waits for approval", "%(count)s comments wait for approval"
            title = Phrase(*texts, count=waiting)
            text = Phrase(
                "%(name)s commented on “%(title)s”:\n\n%(content)s\n\n%(waiting)s: %(url)s\n\n"
                "You get this e-mail at most once an hour.\n",
                name=pending.author_name,
                title=blog.title,
                content=pending.content,
                waiting=title,
                url=urls.absolute(urls.admin("comments")),
            )
            self._context.mail.send(Email(address, title, text), now)
        except (InvalidEmail, SingleTableError) as error:
            # The comment is in the queue, and its author has nothing to do with our mail.
            _log.warning("The owner was not told about a new comment: %s", error)


class ContactService:
    """Send messages from visitors to the owner of the site. They are not stored after that."""

    def __init__(self, context: Context, profile: ProfileService) -> None:
        self._context = context
        self._profile = profile
        self._lock = threading.Lock()
        self._sent: deque[datetime] = deque(maxlen=MESSAGES_PER_HOUR)

    def send(self, draft: comment_rules.ContactDraft) -> None:
        """Send an e-mail to the owner; replies go to the visitor. Bots get the same response."""
        if draft.website:
            return
        settings = self._profile.get_settings()
        if not settings.contact:
            raise rules.SwitchedOff("The contact form is switched off on this site.")
        checked = comment_rules.check_contact(draft)
        address = self._profile.owner_address()
        if address is None:
            raise rules.SwitchedOff("This site has no address for messages yet.")
        text = Phrase(
            "%(message)s\n\n-- \n%(name)s <%(email)s> wrote this in the contact form of %(site)s. "
            "Your reply goes to this address.\n",
            message=checked.message,
            name=checked.name,
            email=checked.email,
            site=settings.title,
        )
        self._check_flood()
        title = Phrase("Message from %(name)s", name=checked.name)
        email = Email(address, title, text, reply_to=checked.email)
        self._context.mail.send(email, self._context.clock(), MESSAGES)

    def _check_flood(self) -> None:
        """Count a message, and raise Busy if too many were sent within an hour."""
        now = self._context.clock()
        with self._lock:
            is_full = len(self._sent) == MESSAGES_PER_HOUR
            if is_full and now - self._sent[0] < timedelta(hours=1):
                raise Busy(
                    "This site has received too many messages. Keep a copy of yours and try again "
                    "in an hour."
                )
            self._sent.append(now)


def _approved(pending: PendingComment, moderator: User) -> Comment:
    own = {"visitor", "ends"}
    values = {name: value for name, value in vars(pending).items() if name not in own}
    return Comment(**values, approved_by=moderator.email)
