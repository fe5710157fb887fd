"""Create a poll: the page, and the poll form that editing uses as well."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field, ValidationInfo, field_validator

from singletable_apps.polls.entities import PollKind, PollSettings, Protection, ResultsVisibility
from singletable_apps.polls.errors import InvalidInput
from singletable_apps.polls.pages.dependencies import AnyPage, PageContext
from singletable_apps.polls.rules import MAX_OPTIONS, PollDraft, check_draft, draft_copy
from singletable_apps.shared.frame import count_request
from singletable_apps.shared.pages import Form, PostedForm, request_time_zone, submit_values
from singletable_apps.shared.text import normalize_line

router = APIRouter()

# (value, label) or (value, label, hint)
KIND_CHOICES = (
    (PollKind.RANK, "Rank the options", "Finds the one that most people can live with."),
    (PollKind.ONE, "Pick one", "The most picks win."),
    (PollKind.SEVERAL, "Pick several", "Everything that people like."),
    (PollKind.DATES, "Find a date", "Yes, maybe or no to each date."),
)
CLOSING_CHOICES = (
    ("never", "When I close it"),
    ("hour", "In an hour"),
    ("day", "In a day"),
    ("week", "In a week"),
    ("at", "At a time I choose"),
)
RESULTS_CHOICES = (
    (ResultsVisibility.ALWAYS, "Anyone, at any time", "Results update live as votes come in."),
    (
        ResultsVisibility.AFTER_VOTING,
        "People who have voted",
        "So that no one is influenced by the results. Everyone, once the poll is closed.",
    ),
    (
        ResultsVisibility.AFTER_CLOSING,
        "Everyone, once the poll is closed",
        "Until then only you can see them.",
    ),
)
PROTECTION_CHOICES = (
    (
        Protection.BROWSER,
        "One vote per browser",
        "Anyone with the link can vote. Good for friends and colleagues: it prevents double votes "
        "by mistake, but not by someone who clears their cookies.",
    ),
    (
        Protection.CODES,
        "One vote per voting code",
        "You hand out codes on paper or as links, and each code is good for one vote. Best when "
        "the result matters: no one, not even you, sees results before the poll is closed.",
    ),
    (
        Protection.OPEN,
        "No limit",
        "Anyone can vote as often as they like. For a shared tablet or a quick show of hands.",
    ),
)
# Empty rows for browsers without scripts, and the number that "More rows" adds.
EXTRA_ROWS = 5
_DURATIONS = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(weeks=1)}


class ClosingFields(BaseModel):
    """When the poll closes: a choice, and the time for the choice "at"."""

    closing: Literal["never", "hour", "day", "week", "at"]
    expires_at: Annotated[datetime | None, Field(validate_default=True)] = None

    @field_validator("expires_at")
    @classmethod
    def _is_given(cls, expires_at: datetime | None, info: ValidationInfo) -> datetime | None:
        if expires_at is None and info.data.get("closing") == "at":
            raise ValueError("Choose a day and time, or another answer above.")
        return expires_at

    def closes_at(self, now: datetime) -> datetime | None:
        """Return the closing time, or None if the poll stays open."""
        if self.closing == "at":
            return self.expires_at
        return None if self.closing == "never" else now + _DURATIONS[self.closing]


def poll_form(draft: PollDraft, revision: int | None = None) -> Form:
    """Return the form for a poll; `revision` if the poll exists already."""
    hidden = {} if revision is None else {"revision": str(revision)}
    return Form({**_field_values(draft), **draft.settings.model_dump(), **hidden})


def _field_values(draft: PollDraft) -> dict[str, Any]:
    """Return the fields without the checkboxes, which browsers do not send if they are off."""
    values = draft.settings.model_dump()
    settings = {name: value for name, value in values.items() if not isinstance(value, bool)}
    return {
        "title": draft.title,
        "description": draft.description,
        "expires_at": draft.expires_at,
        **settings,
        "candidates": [_typed_option(draft, option) for option in draft.candidates],
        "closing": "never" if draft.expires_at is None else "at",
    }


def _typed_option(draft: PollDraft, option: str) -> str:
    """Return an option as it is typed: the time of a date in the time zone of the poll."""
    if draft.settings.kind is not PollKind.DATES or len(option) <= len("2026-11-20"):
        return option
    local = datetime.fromisoformat(option).astimezone(ZoneInfo(draft.settings.zone))
    return f"{local:%Y-%m-%d %H:%M}"


def parse_closing(form: Form) -> ClosingFields | Form:
    """Return the closing time, or the form with errors. The time matters only for "at"."""
    if form.value("closing") == "at":
        return form.validate(ClosingFields)
    others = Form({name: value for name, value in form.values.items() if name != "expires_at"})
    fields = others.validate(ClosingFields)
    return form.with_errors(**fields.errors) if isinstance(fields, Form) else fields


def parse_poll_form(form: Form, now: datetime, base: PollDraft | None = None) -> PollDraft | Form:
    """Return a valid draft, or the form with all its errors.

    Fields that are not in the form keep their values in `base`.
    """
    kept = None if base is None else base.expires_at
    full = form if base is None else replace(form, values={**_field_values(base), **form.values})
    if full.value("kind") != PollKind.SEVERAL or not full.value("max_picks"):
        full = replace(full, values={**full.values, "max_picks": "0"})
    draft = PollDraft(full.value("title"), _entered_options(full), full.value("description"), kept)
    errors: dict[str, str] = {}
    match full.validate(PollSettings):
        case Form() as invalid:
            errors |= invalid.errors
        case settings:
            draft = replace(draft, settings=settings)
    has_closing = base is None or "closing" in form.values
    is_kept = kept and form.value("closing") == "at" and form.still_shows("expires_at", kept)
    if has_closing and not is_kept:
        match parse_closing(form):
            case Form() as invalid:
                errors |= invalid.errors
            case closing:
                draft = replace(draft, expires_at=closing.closes_at(now))
    try:
        draft = check_draft(draft, now, unchanged_time=kept)
    except InvalidInput as error:
        errors = {name.replace("/", "-"): text for name, text in error.errors.items()} | errors
    return _without_gaps(form).with_errors(**errors) if errors else draft


def _without_gaps(form: Form) -> Form:
    """Return the form without empty rows between options, so that error numbers fit."""
    if "candidates" not in form.values:
        return form
    return replace(form, values={**form.values, "candidates": _entered_options(form)})


def option_rows(form: Form, *, more: bool = False) -> list[str]:
    """Return the text of each option row: the entered options and some empty rows."""
    entered = _entered_options(form)
    sent = len(form.selected("candidates"))
    wanted = max(EXTRA_ROWS, sent + EXTRA_ROWS) if more else max(EXTRA_ROWS, len(entered) + 1)
    return entered + [""] * (min(wanted, MAX_OPTIONS) - len(entered))


def _entered_options(form: Form) -> list[str]:
    return [option for option in form.selected("candidates") if normalize_line(option)]


def form_choices() -> dict[str, object]:
    """Return the choices that the poll form offers, for its templates."""
    return {
        "kinds": KIND_CHOICES,
        "results": RESULTS_CHOICES,
        "protections": PROTECTION_CHOICES,
        "closings": CLOSING_CHOICES,
    }


@router.get("/new")
def show_new_poll(
    page: AnyPage, source: Annotated[str, Query(alias="from", max_length=100)] = ""
) -> Response:
    """Show the form, empty or filled in from another poll."""
    if not source:
        zone = request_time_zone(page.request).key
        return _show_form(page, poll_form(PollDraft("", (), settings=PollSettings(zone=zone))))
    context = page.service.context
    draft = draft_copy(context.get_poll(source), context.clock())
    values = {**poll_form(draft).values, "source": source}
    return _show_form(page, Form(values), copied=draft.title)


@router.post("/new")
def create_poll(page: AnyPage, form: PostedForm) -> Response:
    """Create the poll, or show the form again with all its errors."""
    if form.value("more"):
        return _show_form(page, form, more=True)
    count_request(page.request, "create")

    def create(draft: PollDraft) -> Response:
        if form.value("email"):
            count_request(page.request, "notice")
        managed = page.service.lifecycle.create(
            draft,
            page.get_browser_token(),
            email=form.value("email").strip(),
            source=form.value("source"),
        )
        return page.redirect(page.urls.poll(managed.poll.id, "made"))

    draft = parse_poll_form(form, page.service.context.clock())
    # The closing time can pass between both checks.
    return submit_values(form, draft, create, partial(_show_form, page), rejects=page.rejects)


def _show_form(
    page: PageContext, form: Form, status: int = 200, *, more: bool = False, copied: str = ""
) -> Response:
    rows = option_rows(form, more=more)
    return page.render("new", status, form=form, rows=rows, copied=copied, **form_choices())
