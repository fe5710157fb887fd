"""Projects, experience and the menu: add, edit, reorder and delete entries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from functools import cached_property, partial
from typing import Annotated, Any, Literal, TypeAlias, cast
from uuid import uuid4

from fastapi import APIRouter, Depends, Response

from singletable_apps.portfolio import entities
from singletable_apps.portfolio.pages.admin.drafts import forget_draft, offer_draft
from singletable_apps.portfolio.pages.admin.editor import split_commas
from singletable_apps.portfolio.pages.admin.profile import portfolio_tabs
from singletable_apps.portfolio.pages.admin.trash import TRASHED, deleted
from singletable_apps.portfolio.pages.admin.views import own_posts
from singletable_apps.portfolio.pages.dependencies import OwnerPage, UserPageContext
from singletable_apps.portfolio.pages.public_page import PublicPageContext
from singletable_apps.portfolio.profile_rules import SECTIONS, format_period
from singletable_apps.portfolio.rules import slug_error
from singletable_apps.shared import pages
from singletable_apps.shared.errors import InvalidInput, NotFound
from singletable_apps.shared.languages import Phrase

router = APIRouter()
Entry: TypeAlias = entities.Project | entities.Experience | entities.MenuEntry
Stored: TypeAlias = entities.Portfolio | entities.SiteSettings
Change: TypeAlias = Callable[[list[Entry]], list[Entry]]
NEW = "new"
_LOSS = "The link disappears from the menu. What it leads to stays at its address."


@dataclass(frozen=True)
class EntryKind:
    """Projects, experience or the menu: the field, its type, and the word for an entry.

    The form has a field for each field of the type. The service checks the values.
    """

    field: Literal["projects", "experience", "menu"]
    noun: str
    type: type[Entry]

    def entries(self, stored: Stored) -> list[Entry]:
        """Return the entries in their order."""
        return list(getattr(stored, self.field))

    def find(self, entries: Sequence[Entry], entry_id: str) -> int:
        """Return the place of an entry, or raise NotFound."""
        for place, entry in enumerate(entries):
            if entry.id == entry_id:
                return place
        raise NotFound("There is no such entry. It may have been deleted.")

    def read(self, form: pages.Form, entry_id: str) -> Entry:
        """Return the entry in a form, or raise InvalidInput."""
        values: dict[str, Any] = {"id": entry_id}
        errors: dict[str, str] = {}
        for name in (each.name for each in fields(self.type) if each.name != "id"):
            try:
                values[name] = _PARSERS.get(name, str)(form.value(name))
            except ValueError as error:
                errors[name] = str(error)
        if errors:
            raise InvalidInput(errors)
        return self.type(**values)


def _parse_month(text: str) -> date | None:
    """Return the first day of a month such as 2021-03, or None for an empty text."""
    if not text.strip():
        return None
    try:
        return date.fromisoformat(f"{text.strip()}-01")
    except ValueError:
        raise ValueError("Enter a year and a month, such as 2021-03.") from None


# How fields that are not plain text are read, and written.
_PARSERS: Mapping[str, Callable[[str], object]] = {
    "technologies": split_commas,
    "start_date": _parse_month,
    "end_date": _parse_month,
}


def _shown(value: object) -> str:
    match value:
        case None:
            return ""
        case date():
            return f"{value:%Y-%m}"
        case list():
            return ", ".join(cast(list[str], value))
        case _:
            return str(value)


KINDS = {
    "projects": EntryKind("projects", "project", entities.Project),
    "experience": EntryKind("experience", "position", entities.Experience),
    "menu": EntryKind("menu", "link", entities.MenuEntry),
}


@dataclass(frozen=True)
class EntryPageContext(UserPageContext):
    """A request about the projects, the experience or the menu."""

    kind: EntryKind

    def url(self, *parts: str) -> str:
        """Return the URL of the list, of an entry, or of an action on it."""
        return self.urls.admin("portfolio", self.kind.field, *parts)

    @cached_property
    def site(self) -> PublicPageContext:
        """Return the public site, for its menu."""
        person = self.service.profile.get_portfolio()
        return PublicPageContext(self.request, self.settings, person)

    def read(self) -> Stored:
        """Return what has the entries, as it is now: the settings have the menu."""
        profile, is_menu = self.service.profile, self.kind.field == "menu"
        read = profile.get_settings if is_menu else profile.get_portfolio
        return read(consistent=True)

    def save(self, form: pages.Form, change: Change) -> None:
        """Change the entries, if nobody else has changed them since the form was shown."""
        changes: dict[str, object] = {self.kind.field: change(self.kind.entries(self.read()))}
        profile, is_menu = self.service.profile, self.kind.field == "menu"
        update = profile.update_settings if is_menu else profile.update_portfolio
        update(self.user, changes, form.revision_check())


def _entry_page(page: OwnerPage, kind: str) -> EntryPageContext:
    if kind not in KINDS:
        raise NotFound("There is no such page.")
    return EntryPageContext(page.request, page.user, KINDS[kind])


EntryPage = Annotated[EntryPageContext, Depends(_entry_page)]


@router.get("/admin/portfolio/{kind}")
def list_entries(page: EntryPage) -> Response:
    """List the projects, positions or links of the menu."""
    stored = page.read()
    entries = page.kind.entries(stored)
    return page.render(
        "admin/entries",
        heading=Phrase(page.kind.field.capitalize()),
        tabs=portfolio_tabs(page, page.kind.field),
        kind=page.kind,
        revision=stored.revision,
        add_url=page.url(NEW),
        entries=[
            {
                "id": entry.id,
                "title": title,
                "meta": meta,
                "image": entry.image_url if isinstance(entry, entities.Project) else "",
                "url": page.url(entry.id),
            }
            for entry in entries
            for title, meta in [_describe(page, entry)]
        ],
        others=_others(page, entries) if page.kind.field == "menu" else [],
    )


def _describe(page: EntryPageContext, entry: Entry) -> tuple[str, str]:
    """Return the title of an entry, and what is below it."""
    match entry:
        case entities.Project():
            return entry.title, ", ".join(entry.technologies)
        case entities.Experience():
            period = format_period(entry.start_date, entry.end_date, page.language)
            return entry.title, " · ".join(part for part in (entry.company, period) if part)
        case entities.MenuEntry():
            shown = page.site.menu_link(entry)
            name = entry.title or Phrase(SECTIONS.get(entry.link, entry.link))
            text = Phrase("Not shown now: it is empty, switched off, or not public.")
            return shown or (name, text)


def _others(page: EntryPageContext, entries: list[Entry]) -> list[tuple[str, str]]:
    """Return the name and the link of what the menu could have, too."""
    targets = SECTIONS | {blog.slug: blog.title for blog in own_posts(page, pages=True)}
    return [
        (name, link)
        for link, name in targets.items()
        if not any(
            isinstance(entry, entities.MenuEntry) and entry.link == link for entry in entries
        )
    ]


@router.api_route("/admin/portfolio/{kind}/{entry_id}", methods=pages.FORM_METHODS)
def edit_entry(page: EntryPage, entry_id: str, form: pages.PostedForm) -> Response:
    """Change an entry; `new` adds one at the top, or at the end of the menu."""
    is_new, place = entry_id == NEW, 0

    def save(_: pages.ConfirmForm) -> Response:
        entry = page.kind.read(form, uuid4().hex[:12] if is_new else entry_id)

        def change(entries: list[Entry]) -> list[Entry]:
            nonlocal place
            if is_new:
                place = len(entries) if page.kind.field == "menu" else 0
                return [*entries[:place], entry, *entries[place:]]
            place = page.kind.find(entries, entry_id)
            entries[place] = entry
            return entries

        try:
            page.save(form, change)
        except InvalidInput as error:
            # The form has the fields of one entry, so their names need no place.
            prefix = f"{page.kind.field}/{place}/"
            named = {name.removeprefix(prefix): text for name, text in error.errors.items()}
            raise InvalidInput(named) from None
        forget_draft(page, form)
        text = Phrase("Saved “%(title)s”.", title=_describe(page, entry)[0])
        return page.redirect(page.url(), text)

    def initial() -> pages.Form:
        stored = page.read()
        entries = page.kind.entries(stored)
        values = {} if is_new else vars(entries[page.kind.find(entries, entry_id)])
        shown = {name: _shown(value) for name, value in values.items()}
        return offer_draft(page, pages.Form({**shown, "revision": stored.revision}))

    return page.fill(form, initial, pages.ConfirmForm, save, partial(_show_entry, page, entry_id))


def _show_entry(
    page: EntryPageContext, entry_id: str, form: pages.Form, status: int = 200
) -> Response:
    noun, is_new = page.kind.noun, entry_id == NEW
    name = form.value("title") or Phrase(SECTIONS.get(form.value("link"), f"Edit {noun}"))
    return page.render(
        "admin/entry",
        status,
        heading=Phrase(f"New {noun}") if is_new else name,
        is_outside=slug_error(form.value("link")) != "",
        form=form,
        kind=page.kind,
        back=page.url(),
        action_url=page.url(entry_id),
        delete_url="" if is_new else page.url(entry_id, "delete"),
    )


@router.post("/admin/portfolio/{kind}/{entry_id}/move")
def move_entry(page: EntryPage, entry_id: str, form: pages.PostedForm) -> Response:
    """Move an entry one place up or down, or to the place where it was dropped."""
    url = f"{page.url()}#entry-{entry_id}"

    def change(entries: list[Entry]) -> list[Entry]:
        place, to = page.kind.find(entries, entry_id), form.value("to")
        dropped = int(to) if to.isascii() and to.isdecimal() else place
        target = {"up": place - 1, "down": place + 1}.get(form.value("step"), dropped)
        entries.insert(max(0, target), entries.pop(place))
        return entries

    try:
        page.save(form, change)
    except pages.RevisionConflict:
        text = "The list was changed meanwhile. This is the current order."
        return page.redirect(url, pages.Flash(text, "warning"))
    return page.redirect(url)


@pages.confirm(router, "/admin/portfolio/{kind}/{entry_id}/delete")
def delete_entry(page: EntryPage, entry_id: str) -> pages.ConfirmedAction:
    """Delete an entry."""
    stored = page.read()
    entries, noun = page.kind.entries(stored), page.kind.noun
    # A link of the menu is quickly made again.
    kind = None if page.kind.field == "menu" else entities.TrashKind(noun)
    place = page.kind.find(entries, entry_id)
    entry = entries.pop(place)

    def delete(form: pages.Form) -> None:
        form.revision_check()(stored.revision)
        if kind is not None:
            context, values = page.service.context, {"entry": entry, "place": place}
            context.store.put(context.trashed(kind, entry_id, entry.title, "", values))
        page.save(form, lambda _: entries)

    return pages.ConfirmedAction(
        page,
        title=Phrase("Delete “%(title)s”?", title=_describe(page, entry)[0]),
        text=TRASHED if kind else _LOSS,
        button=f"Delete the {noun}",
        back=page.url(entry_id),
        revision=stored.revision,
        do=delete,
        to=page.url(),
        done=deleted(page, kind, entry_id, Phrase(f"the {noun}")) if kind else "Deleted the link.",
    )
