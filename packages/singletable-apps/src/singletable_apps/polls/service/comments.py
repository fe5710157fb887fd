"""Comments on polls: anyone with the link writes them, and the organizer can delete them."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import uuid4

from singletable_apps.polls import patterns
from singletable_apps.polls.entities import Comment, Poll
from singletable_apps.polls.errors import InvalidInput
from singletable_apps.polls.rules import check_comment
from singletable_apps.polls.service.context import Context

MAX_COMMENTS = 500


@dataclass(frozen=True, slots=True)
class Comments:
    """List, write and delete comments."""

    context: Context

    def list_all(self, poll: Poll) -> list[Comment]:
        """Return the comments, oldest first; none if they are switched off."""
        if not poll.settings.comments:
            return []
        return list(self.context.store.run(patterns.comments_of_poll, poll.id))

    def add(self, poll_id: str, name: str, text: str) -> Comment:
        """Add a comment."""
        poll = self.context.get_poll(poll_id)
        name, text = check_comment(poll, name, text)
        if len(self.list_all(poll)) >= MAX_COMMENTS:
            raise InvalidInput({"text": f"This poll has {MAX_COMMENTS} comments, which is enough."})
        comment = Comment(
            poll_id=poll_id, id=uuid4().hex, name=name, text=text, created_at=self.context.clock()
        )
        self.context.store.create(comment)
        return comment

    def delete(self, poll_id: str, admin_key: str, comment_id: str) -> None:
        """Delete a comment; one that does not exist is ignored."""
        poll = self.context.get_managed_poll(poll_id, admin_key)
        self.context.store.delete_many(
            Comment.key(poll.id, comment.created_at, comment.id)
            for comment in self.context.store.run(patterns.comments_of_poll, poll_id)
            if comment.id == comment_id
        )
