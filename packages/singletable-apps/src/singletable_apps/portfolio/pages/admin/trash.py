"""The trash: restore what was deleted lately, or delete it for good."""

from __future__ import annotations

from fastapi import APIRouter, Response

from singletable_apps.portfolio.entities import TrashKind
from singletable_apps.portfolio.pages.dependencies import AuthorPage, UserPageContext
from singletable_apps.shared.languages import Phrase
from singletable_apps.shared.pages import ConfirmedAction, Flash, ListQueryParameters, confirm

router = APIRouter()
# What a question says before something is deleted.
TRASHED = Phrase("It moves to the trash. You can restore it there for 30 days.")
# Where a kind is listed.
_LISTS = {
    TrashKind.POST: ("posts",),
    TrashKind.COMMENT: ("comments", "approved"),
    TrashKind.IMAGE: ("media",),
    TrashKind.PROJECT: ("portfolio", "projects"),
    TrashKind.POSITION: ("portfolio", "experience"),
}


def deleted(page: UserPageContext, kind: TrashKind, name: str, title: str) -> Flash:
    """Return the message after something was deleted, which offers to undo it."""
    url = page.urls.admin("trash", kind, name, "restore")
    return Flash(Phrase("Moved %(title)s to the trash.", title=title), undo=url)


@router.get("/admin/trash")
def show_trash(page: AuthorPage, query: ListQueryParameters) -> Response:
    """List what the author may restore."""
    items = query.apply(
        page.service.trash.list(page.user), text=lambda each: each.title, columns={}
    )
    return page.render("admin/trash", items=items)


@router.post("/admin/trash/{what}/{trashed}/restore")
def restore(page: AuthorPage, what: TrashKind, trashed: str) -> Response:
    """Bring something back."""
    item = page.service.trash.restore(page.user, what, trashed)
    text = Phrase("Restored “%(title)s”.", title=item.title)
    # A comment that was rejected waits again.
    parts = ("comments",) if "visitor" in item.values else _LISTS[what]
    return page.redirect(page.urls.admin(*parts), text)


@confirm(router, "/admin/trash/{what}/{trashed}/delete")
def delete_forever(page: AuthorPage, what: TrashKind, trashed: str) -> ConfirmedAction:
    """Delete something in the trash for good."""
    item = page.service.trash.get(page.user, what, trashed)
    return ConfirmedAction(
        page,
        title=Phrase("Delete “%(title)s” forever?", title=item.title),
        text="You can’t undo this.",
        button="Delete forever",
        back=page.urls.admin("trash"),
        do=lambda _: page.service.trash.delete(item),
        done=Phrase("Deleted “%(title)s” forever.", title=item.title),
    )
