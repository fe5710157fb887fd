"""The person: profile, about page, projects and experience."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Annotated, Any, Literal
from uuid import uuid4

from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel, Field, field_validator
from starlette.responses import JSONResponse

from singletable_apps.portfolio.entities import Experience, Portfolio, Project
from singletable_apps.portfolio.errors import InvalidInput
from singletable_apps.portfolio.pages.admin.editor import (
    render_preview,
    split_commas,
    wants_json,
)
from singletable_apps.portfolio.pages.admin.views import site_zone
from singletable_apps.portfolio.pages.dependencies import OwnerPage, UserPageContext
from singletable_apps.portfolio.profile_rules import (
    SOCIAL_NETWORKS,
    PortfolioEdits,
    format_period,
)
from singletable_apps.shared.pages import (
    Confirmation,
    ConfirmForm,
    Flash,
    Form,
    Link,
    PostedForm,
    RevisionCheck,
    submit_form,
)
from singletable_apps.shared.web import NOT_FOUND, Problem

router = APIRouter()
Entry = Project | Experience
_NETWORK_NAMES = {"github": "GitHub", "linkedin": "LinkedIn", "twitter": "X (Twitter)"}
_MONTH = re.compile(r"(\d{4})-(\d{2})(-\d{2})?")


def _tabs(page: UserPageContext, current: str) -> list[Link]:
    parts = ("profile", "about", "projects", "experience")
    return [
        Link(
            part.capitalize(),
            page.urls.admin("portfolio", *([part] if part != "profile" else [])),
            part == current,
        )
        for part in parts
    ]


# ------------------------------------------------------------------------ profile and about


class ProfileForm(BaseModel):
    """The fields of the profile; links are in fields named `social_links-{network}`."""

    name: str
    headline: str
    profile_pic_url: str
    bio: str
    email: str


@router.get("/admin/portfolio")
def show_profile(page: OwnerPage) -> Response:
    """Show the profile in a form."""
    stored = page.service.profile.get_portfolio(consistent=True)
    values = {name: str(getattr(stored, name)) for name in ProfileForm.model_fields}
    links = {f"social_links-{name}": url for name, url in stored.social_links.items()}
    return _show_profile(page, Form({**values, **links, "revision": stored.revision}), 200)


@router.post("/admin/portfolio")
def edit_profile(page: OwnerPage, form: PostedForm) -> Response:
    """Save the profile."""

    def save(values: ProfileForm) -> Response:
        links = {name: form.value(f"social_links-{name}") for name in SOCIAL_NETWORKS}
        edits = PortfolioEdits(**values.model_dump(), social_links=links)
        page.service.profile.update_portfolio(page.user, edits, form.revision_check())
        return page.redirect(page.urls.admin("portfolio"), "Profile saved.")

    return submit_form(
        form, ProfileForm, save, partial(_show_profile, page), rejects=(InvalidInput,)
    )


def _show_profile(page: UserPageContext, form: Form, status: int) -> Response:
    networks = [(name, _NETWORK_NAMES.get(name, name.capitalize())) for name in SOCIAL_NETWORKS]
    return page.render(
        "admin/profile",
        status,
        heading="Profile",
        form=form,
        tabs=_tabs(page, "profile"),
        networks=networks,
    )


class AboutForm(BaseModel):
    """The text of the about page, and the button that was pressed."""

    markdown: str
    action: Literal["save", "preview"] = "save"


@router.get("/admin/portfolio/about")
def show_about(page: OwnerPage) -> Response:
    """Show the about page in an editor."""
    stored = page.service.profile.get_portfolio(consistent=True)
    form = Form({"markdown": stored.about_markdown, "revision": stored.revision})
    return _show_about(page, form, 200, mode="saved")


@router.post("/admin/portfolio/about")
def edit_about(page: OwnerPage, form: PostedForm) -> Response:
    """Save the about page, or show its preview."""

    def save(values: AboutForm) -> Response:
        if values.action == "preview":
            return _show_about(page, form, 200)
        edits = PortfolioEdits(about_markdown=values.markdown)
        saved = page.service.profile.update_portfolio(page.user, edits, form.revision_check())
        if wants_json(page.request):
            time = saved.updated_at.astimezone(site_zone(page))
            return JSONResponse({"revision": saved.revision, "text": f"Saved at {time:%H:%M}"})
        return page.redirect(page.urls.admin("portfolio", "about"), "About page saved.")

    return submit_form(
        form,
        AboutForm,
        save,
        partial(_show_about, page),
        rejects=(InvalidInput,),
        field="markdown",
    )


def _show_about(
    page: UserPageContext, form: Form, status: int, mode: str = "shown-again"
) -> Response:
    return page.render(
        "admin/about",
        status,
        heading="About",
        form=form,
        tabs=_tabs(page, "about"),
        preview=render_preview(page, form.value("markdown")),
        mode=mode,
    )


# ------------------------------------------------------------------------ projects and experience


class ProjectForm(BaseModel):
    """The fields of a project."""

    title: Annotated[str, Field(min_length=1)]
    description: str = ""
    image_url: str = ""
    image_alt: str = ""
    technologies: str = ""
    link: str = ""

    def entry(self, entry_id: str) -> Project:
        """Return the project."""
        values = self.model_dump(exclude={"technologies"})
        return Project(id=entry_id, technologies=split_commas(self.technologies), **values)


class ExperienceForm(BaseModel):
    """The fields of a position; dates are months such as 2021-03."""

    title: Annotated[str, Field(min_length=1)]
    company: Annotated[str, Field(min_length=1)]
    start_date: str = ""
    end_date: str = ""
    description: str = ""
    technologies: str = ""

    @field_validator("start_date", "end_date")
    @classmethod
    def _check_month(cls, text: str) -> str:
        parse_month(text)
        return text

    def entry(self, entry_id: str) -> Experience:
        """Return the position."""
        return Experience(
            id=entry_id,
            title=self.title,
            company=self.company,
            description=self.description,
            start_date=parse_month(self.start_date),
            end_date=parse_month(self.end_date),
            technologies=split_commas(self.technologies),
        )


def parse_month(text: str) -> date | None:
    """Return the first day of a month such as 2021-03, or None for an empty text."""
    if not text.strip():
        return None
    match = _MONTH.fullmatch(text.strip())
    try:
        return date(int(match[1]), int(match[2]), 1) if match else date.fromisoformat("")
    except ValueError:
        raise ValueError("Enter a year and a month, such as 2021-03.") from None


@dataclass(frozen=True)
class EntryKind:
    """Projects or experience: the field of the portfolio, and the words for it."""

    field: Literal["projects", "experience"]
    noun: str
    form: type[ProjectForm] | type[ExperienceForm]
    empty: tuple[str, str]

    def entries(self, portfolio: Portfolio) -> list[Entry]:
        """Return the entries in their order."""
        return [*(portfolio.projects if self.field == "projects" else portfolio.experience)]

    def save(
        self,
        page: UserPageContext,
        change: Callable[[list[Entry]], Sequence[Any]],
        check: RevisionCheck,
    ) -> None:
        """Replace the entries by changed ones, if the revision is the one that was shown."""
        stored = page.service.profile.get_portfolio(consistent=True)
        changes: dict[str, Any] = {self.field: change(self.entries(stored))}
        page.service.profile.update_portfolio(page.user, PortfolioEdits(**changes), check)


KINDS = {
    "projects": EntryKind(
        "projects",
        "project",
        ProjectForm,
        ("Show what you made", "Each project can have a picture, a link and its technologies."),
    ),
    "experience": EntryKind(
        "experience",
        "position",
        ExperienceForm,
        ("Where have you worked?", "Positions are shown as a timeline, in your order."),
    ),
}


def _kind(kind: Literal["projects", "experience"]) -> EntryKind:
    return KINDS[kind]


Kind = Annotated[EntryKind, Depends(_kind)]


def _find(kind: EntryKind, entries: Sequence[Entry], entry_id: str) -> int:
    for number, entry in enumerate(entries):
        if entry.id == entry_id:
            return number
    raise Problem(NOT_FOUND, f"There is no such {kind.noun}. It may have been deleted.")


@router.get("/admin/portfolio/{kind}")
def list_entries(page: OwnerPage, kind: Kind) -> Response:
    """List the projects or positions."""
    stored = page.service.profile.get_portfolio(consistent=True)
    return page.render(
        "admin/entries",
        heading=kind.field.capitalize(),
        tabs=_tabs(page, kind.field),
        kind=kind.noun,
        revision=stored.revision,
        add_url=page.urls.admin("portfolio", kind.field, "new"),
        empty_title=kind.empty[0],
        empty_text=kind.empty[1],
        entries=[
            {
                "id": entry.id,
                "title": entry.title,
                "meta": _describe(entry),
                "image": entry.image_url if isinstance(entry, Project) else "",
                "url": page.urls.admin("portfolio", kind.field, entry.id),
            }
            for entry in kind.entries(stored)
        ],
    )


def _describe(entry: Entry) -> str:
    if isinstance(entry, Project):
        return ", ".join(entry.technologies)
    period = format_period(entry.start_date, entry.end_date)
    return " · ".join(part for part in (entry.company, period) if part)


@router.get("/admin/portfolio/{kind}/{entry_id}")
def show_entry(page: OwnerPage, kind: Kind, entry_id: str) -> Response:
    """Show a project or position in a form; `new` is an empty one."""
    stored = page.service.profile.get_portfolio(consistent=True)
    values: dict[str, str | int] = {"revision": stored.revision}
    if entry_id != "new":
        entries = kind.entries(stored)
        entry = entries[_find(kind, entries, entry_id)]
        values |= {name: _shown(getattr(entry, name)) for name in kind.form.model_fields}
    return _show_entry(page, kind, entry_id, Form(values), 200)


def _shown(value: object) -> str:
    match value:
        case None:
            return ""
        case date():
            return f"{value:%Y-%m}"
        case list():
            return ", ".join(str(each) for each in value)
        case _:
            return str(value)


@router.post("/admin/portfolio/{kind}/{entry_id}")
def edit_entry(page: OwnerPage, kind: Kind, entry_id: str, form: PostedForm) -> Response:
    """Save a project or position; `new` adds one at the top."""

    def save(values: ProjectForm | ExperienceForm) -> Response:
        position = 0

        def change(entries: list[Entry]) -> list[Entry]:
            nonlocal position
            if entry_id == "new":
                return [values.entry(uuid4().hex[:12]), *entries]
            position = _find(kind, entries, entry_id)
            entries[position] = values.entry(entry_id)
            return entries

        try:
            kind.save(page, change, form.revision_check())
        except InvalidInput as error:
            prefix = f"{kind.field}/{position}/"
            raise InvalidInput(
                {name.removeprefix(prefix): text for name, text in error.errors.items()}
            ) from None
        return page.redirect(page.urls.admin("portfolio", kind.field), f"Saved “{values.title}”.")

    show = partial(_show_entry, page, kind, entry_id)
    return submit_form(form, kind.form, save, show, rejects=(InvalidInput,))


def _show_entry(
    page: UserPageContext, kind: EntryKind, entry_id: str, form: Form, status: int
) -> Response:
    back = page.urls.admin("portfolio", kind.field)
    is_new = entry_id == "new"
    return page.render(
        "admin/entry",
        status,
        heading=f"New {kind.noun}" if is_new else form.value("title") or f"Edit {kind.noun}",
        form=form,
        kind=kind.noun,
        back=back,
        action_url=f"{back}/{entry_id}",
        back_text=kind.field.capitalize(),
        delete_url="" if is_new else f"{back}/{entry_id}/delete",
    )


@router.post("/admin/portfolio/{kind}/{entry_id}/move")
def move_entry(page: OwnerPage, kind: Kind, entry_id: str, form: PostedForm) -> Response:
    """Move an entry one place up or down, or to the place where it was dropped."""

    def change(entries: list[Entry]) -> list[Entry]:
        place = _find(kind, entries, entry_id)
        to = form.value("to")
        steps = {"up": place - 1, "down": place + 1}
        target = steps.get(
            form.value("step"), int(to) if to.isascii() and to.isdecimal() else place
        )
        entries.insert(max(0, target), entries.pop(place))
        return entries

    url = f"{page.urls.admin('portfolio', kind.field)}#entry-{entry_id}"

    def move(_: ConfirmForm) -> Response:
        kind.save(page, change, form.revision_check())
        return page.redirect(url)

    def reject(shown: Form, status: int) -> Response:
        flash = Flash("The list was changed meanwhile. This is the current order.", "warning")
        return page.redirect(url, flash)

    return submit_form(form, ConfirmForm, move, reject)


@router.get("/admin/portfolio/{kind}/{entry_id}/delete")
def ask_to_delete(page: OwnerPage, kind: Kind, entry_id: str) -> Response:
    """Ask before an entry is deleted."""
    revision = page.service.profile.get_portfolio(consistent=True).revision
    return _ask_to_delete(page, kind, entry_id, Form({"revision": revision}), 200)


@router.post("/admin/portfolio/{kind}/{entry_id}/delete")
def delete_entry(page: OwnerPage, kind: Kind, entry_id: str, form: PostedForm) -> Response:
    """Delete an entry."""

    def change(entries: list[Entry]) -> list[Entry]:
        del entries[_find(kind, entries, entry_id)]
        return entries

    def delete(_: ConfirmForm) -> Response:
        kind.save(page, change, form.revision_check())
        return page.redirect(page.urls.admin("portfolio", kind.field), f"Deleted the {kind.noun}.")

    return submit_form(form, ConfirmForm, delete, partial(_ask_to_delete, page, kind, entry_id))


def _ask_to_delete(
    page: UserPageContext, kind: EntryKind, entry_id: str, form: Form, status: int
) -> Response:
    entries = kind.entries(page.service.profile.get_portfolio(consistent=True))
    entry = entries[_find(kind, entries, entry_id)]
    url = page.urls.admin("portfolio", kind.field, entry_id)
    confirmation = Confirmation(
        title=f"Delete “{entry.title}”?",
        text=f"The {kind.noun} disappears from your site. You can’t undo this.",
        button=f"Delete the {kind.noun}",
        url=f"{url}/delete",
        back=url,
    )
    return page.render("confirm", status, confirmation=confirmation, form=form)
