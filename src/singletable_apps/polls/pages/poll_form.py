"""The form of a poll: what stands in it, and what was typed, as a draft."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Annotated, Literal

from pydantic import BaseModel, Field, ValidationInfo, field_validator

from singletable_apps.polls.entities import Protection, Results
from singletable_apps.polls.errors import Invalid
from singletable_apps.polls.rules import MOST_OPTIONS, Draft, checked
from singletable_apps.polls.text import tidy
from singletable_apps.shared.pages import Form

NEVER, AT = "never", "at"
CLOSINGS = (
    (NEVER, "When I close it"),
    ("hour", "In an hour"),
    ("day", "In a day"),
    ("week", "In a week"),
    (AT, "At a time I choose"),
)
_SOON = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(weeks=1)}


class TypedClosing(BaseModel):
    """What was chosen, and the time that was typed if it is one of one's own."""

    closing: Literal["never", "hour", "day", "week", "at"]
    expires_at: Annotated[datetime | None, Field(validate_default=True)] = None

    @field_validator("expires_at")
    @classmethod
    def _is_there(cls, at: datetime | None, info: ValidationInfo) -> datetime | None:
        if at is None and info.data.get("closing") == AT:
            raise ValueError("Choose a day and a time, or another answer above.")
        return at

    def moment(self, now: datetime) -> datetime | None:
        """When it closes."""
        if self.closing == AT:
            return self.expires_at
        return None if self.closing == NEVER else now + _SOON[self.closing]


def read_closing(form: Form) -> TypedClosing | Form:
    """What was chosen, or the form with what is wrong; a time counts only if it was asked for."""
    if form.value("closing") == AT:
        return form.validate(TypedClosing)
    plain = Form({name: value for name, value in form.values.items() if name != "expires_at"})
    typed = plain.validate(TypedClosing)
    return form.with_errors(**typed.errors) if isinstance(typed, Form) else typed


def lets_stand(form: Form, kept: datetime | None) -> bool:
    """Whether the form has the closing time that it was shown with."""
    if kept is None or form.value("closing") != AT:
        return False
    return form.still_shows("expires_at", kept)


def closing_values(expires_at: datetime | None) -> dict[str, str | datetime | None]:
    """What stands in the fields of a poll that closes then."""
    return {"closing": NEVER if expires_at is None else AT, "expires_at": expires_at}


# So many empty rows are there for who has no scripts, and come with each "More rows".
ROWS = 5


class TypedTerms(BaseModel):
    """How one votes, and who sees the results."""

    results: Results
    protection: Protection
    changeable: bool = False


def blank_form() -> Form:
    """The form of a poll that is to be made."""
    return form_of(Draft("", ()))


def form_of(draft: Draft, revision: int | None = None) -> Form:
    """The form of a poll that is there."""
    based = {} if revision is None else {"revision": str(revision)}
    return Form({**_values(draft), "changeable": draft.changeable, **based})


def _values(draft: Draft) -> dict[str, str | list[str] | datetime | None]:
    """What stands in the fields; but for a box to tick, which is not sent if it is empty."""
    return {
        "title": draft.title,
        "description": draft.description,
        "candidates": list(draft.candidates),
        "results": draft.results.value,
        "protection": draft.protection.value,
        **closing_values(draft.expires_at),
    }


def drafted(form: Form, now: datetime, base: Draft | None = None) -> Draft | Form:
    """What was typed, as a draft that can be kept; or the form, with all that is wrong at once.

    What the form does not ask for stays as it is in `base`.
    """
    kept = None if base is None else base.expires_at
    whole = form if base is None else replace(form, values={**_values(base), **form.values})
    draft = Draft(whole.value("title"), _options(whole), whole.value("description"), kept)
    faults: dict[str, str] = {}
    match whole.validate(TypedTerms):
        case Form() as refused:
            faults |= refused.errors
        case terms:
            draft = replace(draft, **terms.model_dump())
    if (base is None or "closing" in form.values) and not lets_stand(form, kept):
        match read_closing(form):
            case Form() as refused:
                faults |= refused.errors
            case closing:
                draft = replace(draft, expires_at=closing.moment(now))
    try:
        sound = checked(draft, now, kept=kept)
    except Invalid as refusal:
        return numbered(form).with_errors(**faults_in(refusal, draft, now), **faults)
    return numbered(form).with_errors(**faults) if faults else sound


def faults_in(refusal: Invalid, draft: Draft, now: datetime) -> dict[str, str]:
    """What is wrong, by the names of the fields; times are said without a zone."""
    faults = {name.replace("/", "-"): text for name, text in refusal.faults.items()}
    if "expiresAt" in faults:
        words = faults.pop("expiresAt")
        over = draft.expires_at is not None and draft.expires_at <= now
        faults["expires_at"] = "That time is over. Choose one that is to come." if over else words
    return faults


def numbered(form: Form) -> Form:
    """The form without empty rows between options, so that each has the number it is told by."""
    if "candidates" not in form.values:
        return form
    return replace(form, values={**form.values, "candidates": _options(form)})


def rows_of(form: Form, *, more: bool = False) -> list[str]:
    """What stands in the rows of options: what was typed, and empty ones to go on with."""
    typed = _options(form)
    sent = len(form.selected("candidates"))
    wanted = max(ROWS, sent + ROWS) if more else max(ROWS, len(typed) + 1)
    return typed + [""] * (min(wanted, MOST_OPTIONS) - len(typed))


def _options(form: Form) -> list[str]:
    return [one for one in form.selected("candidates") if tidy(one)]


# (value, name, what it means)
RESULTS = (
    (Results.ALWAYS, "Everybody, at any time", "Also before they vote; it changes live."),
    (
        Results.AFTER_VOTING,
        "Those who have voted",
        "So that nobody is led by the others. Everybody, once it has closed.",
    ),
    (
        Results.AFTER_CLOSING,
        "Everybody, once it has closed",
        "Until then you alone see how it stands.",
    ),
)
PROTECTIONS = (
    (
        Protection.BROWSER,
        "One vote a browser",
        "Keeps out double clicks and honest mistakes, not somebody who clears cookies. Right for "
        "friends and colleagues.",
    ),
    (
        Protection.CODES,
        "One vote a code",
        "You hand out one-time codes, on paper or as links. As strong as the way you hand them "
        "out: right when it matters.",
    ),
    (
        Protection.OPEN,
        "Anybody, as often as they like",
        "A straw poll: one shared tablet, a show of hands. It proves nothing.",
    ),
)
