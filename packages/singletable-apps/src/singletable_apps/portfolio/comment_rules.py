"""What visitors may enter for a comment or a message, and how comments are named in URLs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from singletable_apps.portfolio.entities import Comment, PendingComment
from singletable_apps.shared.errors import NotFound
from singletable_apps.shared.text import InputChecks

MAX_AUTHOR_NAME, MAX_COMMENT, MAX_MESSAGE = 80, 5_000, 5_000
# In the moderation queue.
MAX_PENDING, MAX_PENDING_OF_VISITOR = 1_000, 20
_REF = re.compile(r"([A-Za-z0-9_-]{1,64})\.([0-9]{1,10})\.([0-9a-f]{1,64})")


@dataclass(frozen=True, slots=True)
class CommentDraft:
    """What a visitor enters. `website` is invisible in the form; only bots fill it in."""

    author_name: str
    content: str
    author_email: str = ""
    website: str = ""
    # The id of the comment that it answers.
    reply_to: str = ""


@dataclass(frozen=True, slots=True)
class ContactDraft:
    """A message to the owner. `website` is invisible in the form; only bots fill it in."""

    name: str
    email: str
    message: str
    website: str = ""


@dataclass(frozen=True, slots=True)
class CommentRef:
    """Names a comment, before and after it is approved. As text it fits into a URL."""

    blog_id: str
    created_at: datetime
    comment_id: str

    def __str__(self) -> str:
        return f"{self.blog_id}.{int(self.created_at.timestamp())}.{self.comment_id}"


def ref_of(comment: Comment | PendingComment) -> str:
    """Return the text that names a comment in a URL."""
    return str(CommentRef(comment.blog_id, comment.created_at, comment.comment_id))


def parse_ref(text: str) -> CommentRef:
    """Return what `ref_of` returned as text; raise NotFound for any other text."""
    match = _REF.fullmatch(text)
    if match is None:
        raise NotFound("There is no such comment.")
    blog_id, seconds, comment_id = match.groups()
    return CommentRef(blog_id, datetime.fromtimestamp(int(seconds), UTC), comment_id)


def threads(comments: Sequence[Comment]) -> list[tuple[Comment, list[Comment]]]:
    """Return the comments that answer none, each with all that answer it or its answers.

    What answers a deleted comment stands alone.
    """
    by_id = {comment.comment_id: comment for comment in comments}

    def first_of(comment: Comment) -> str:
        # An imported file may say that two comments answer each other.
        seen = {comment.comment_id}
        while comment.reply_to in by_id and comment.reply_to not in seen:
            comment = by_id[comment.reply_to]
            seen.add(comment.comment_id)
        return min(seen) if comment.reply_to in seen else comment.comment_id

    answers: dict[str, list[Comment]] = {}
    for comment in comments:
        answers.setdefault(first_of(comment), []).append(comment)
    return [
        (by_id[first], [each for each in thread if each.comment_id != first])
        for first, thread in answers.items()
    ]


def check_comment(draft: CommentDraft) -> CommentDraft:
    """Return the comment normalized, or raise InvalidInput with an error per invalid field."""
    checks = InputChecks()
    checked = CommentDraft(
        author_name=checks.line(
            "author_name", draft.author_name, longest=MAX_AUTHOR_NAME, required=True
        ),
        content=checks.text("content", draft.content, longest=MAX_COMMENT, required=True),
        author_email=checks.email("author_email", draft.author_email),
        reply_to=draft.reply_to,
    )
    checks.raise_errors()
    return checked


def check_contact(draft: ContactDraft) -> ContactDraft:
    """Return the message normalized, or raise InvalidInput with an error per invalid field."""
    checks = InputChecks()
    checked = ContactDraft(
        name=checks.line("name", draft.name, longest=MAX_AUTHOR_NAME, required=True),
        email=checks.email("email", draft.email, required=True, is_public=True),
        message=checks.text("message", draft.message, longest=MAX_MESSAGE, required=True),
    )
    checks.raise_errors()
    return checked
