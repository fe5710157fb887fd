"""The trash: what was deleted within 30 days can be restored, or be deleted for good."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from pydantic import TypeAdapter

from singletable import key_of
from singletable_apps.portfolio import entities, patterns
from singletable_apps.portfolio.rules import PERMISSIONS, Permission
from singletable_apps.portfolio.service.comments import PENDING_LIFETIME
from singletable_apps.portfolio.service.context import Context
from singletable_apps.portfolio.service.media import MediaService
from singletable_apps.portfolio.service.posts import PostService
from singletable_apps.portfolio.service.profile import ProfileService
from singletable_apps.shared.service import check_found

KEPT = timedelta(days=30)
_ENTRIES: dict[entities.TrashKind, tuple[str, TypeAdapter[Any]]] = {
    entities.TrashKind.PROJECT: ("projects", TypeAdapter(entities.Project)),
    entities.TrashKind.POSITION: ("experience", TypeAdapter(entities.Experience)),
}


class Trash:
    """Lists the trash, restores from it, and empties it."""

    def __init__(
        self, context: Context, posts: PostService, media: MediaService, profile: ProfileService
    ) -> None:
        self._context, self._posts, self._media = context, posts, media
        self._profile = profile

    def list(self, actor: entities.User) -> list[entities.Trashed]:
        """Return what the actor may restore, latest first."""
        sees_all = PERMISSIONS.allows(actor.role, Permission.EDIT_ANY)
        found = (each for each in self._all() if sees_all or each.author == actor.email)
        return sorted(found, key=lambda each: each.deleted_at, reverse=True)

    def get(self, actor: entities.User, kind: entities.TrashKind, name: str) -> entities.Trashed:
        """Return something that the actor may restore, or raise NotFound."""
        found = (each for each in self.list(actor) if (each.kind, each.name) == (kind, name))
        return check_found(next(found, None), "This is not in the trash any more.")

    def restore(
        self, actor: entities.User, kind: entities.TrashKind, name: str
    ) -> entities.Trashed:
        """Bring something back. If it is interrupted, call it again."""
        item = self.get(actor, kind, name)
        match kind:
            case entities.TrashKind.POST:
                self._posts.move(actor, name, entities.Listing.ALL)
            case entities.TrashKind.COMMENT:
                self._context.store.put(self._comment(item))
            case entities.TrashKind.IMAGE:
                self._media.put_back(entities.Media(**_with_time(item, "uploaded_at")))
            case _:
                self._restore_entry(actor, item)
        self._context.store.delete(key_of(item))
        return item

    def delete(self, item: entities.Trashed) -> None:
        """Delete something in the trash for good."""
        if item.kind is entities.TrashKind.POST:
            self._posts.delete(None, item.name)
        if item.kind is entities.TrashKind.IMAGE:
            self._media.delete_trashed(item.name)
        self._context.store.delete(key_of(item))

    def empty(self) -> None:
        """Delete what has been in the trash for 30 days; a job calls it."""
        oldest = self._context.clock() - KEPT
        for item in list(self._all()):
            if item.deleted_at <= oldest:
                self.delete(item)

    def _all(self) -> Iterator[entities.Trashed]:
        for blog in self._posts.list_in(entities.Listing.TRASH):
            yield entities.Trashed(
                kind=entities.TrashKind.POST,
                name=blog.blog_id,
                title=blog.title,
                author=blog.author,
                deleted_at=blog.listed_at,
            )
        yield from self._context.store.run(patterns.trash)

    def _comment(self, item: entities.Trashed) -> entities.Comment | entities.PendingComment:
        """Return a comment that was approved; or one that was rejected, which waits again."""
        values = _with_time(item, "created_at")
        # The comments in the trash are deleted with their post.
        check_found(self._context.find_blog(values["blog_id"]), "The post was deleted.")
        if "approved_by" in values:
            return entities.Comment(**values)
        return entities.PendingComment(
            **{**values, "ends": self._context.clock() + PENDING_LIFETIME}
        )

    def _restore_entry(self, actor: entities.User, item: entities.Trashed) -> None:
        """Put a project or position into its old place."""
        field, adapter = _ENTRIES[item.kind]
        stored = self._profile.get_portfolio(consistent=True)
        entries = [*getattr(stored, field)]
        entry = adapter.validate_python(item.values["entry"])
        if all(each.id != entry.id for each in entries):
            entries.insert(item.values["place"], entry)
            edits: dict[str, Any] = {field: entries}
            self._profile.update_portfolio(actor, edits)


def _with_time(item: entities.Trashed, name: str) -> dict[str, Any]:
    return {**item.values, name: datetime.fromisoformat(item.values[name])}
