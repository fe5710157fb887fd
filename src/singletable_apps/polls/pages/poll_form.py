"""The form of a poll: what stands in it, and what was typed, as a draft."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from pydantic import BaseModel

from singletable_apps.polls.entities import Protection, Results
from singletable_apps.polls.errors import Invalid
from singletable_apps.polls.pages.closing_times import closing_values, lets_stand, read_closing
from singletable_apps.polls.rules import MOST_OPTIONS, Draft, checked
from singletable_apps.polls.texts import tidy
from singletable_apps.shared.pages import Form

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
    match whole.read(TypedTerms):
        case Form() as refused:
            faults |= refused.faults
        case terms:
            draft = replace(draft, **terms.model_dump())
    if (base is None or "closing" in form.values) and not lets_stand(form, kept):
        match read_closing(form):
            case Form() as refused:
                faults |= refused.faults
            case closing:
                draft = replace(draft, expires_at=closing.moment(now))
    try:
        sound = checked(draft, now, kept=kept)
    except Invalid as refusal:
        return numbered(form).refused(**faults_in(refusal, draft, now), **faults)
    return numbered(form).refused(**faults) if faults else sound


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
    sent = len(form.chosen("candidates"))
    wanted = max(ROWS, sent + ROWS) if more else max(ROWS, len(typed) + 1)
    return typed + [""] * (min(wanted, MOST_OPTIONS) - len(typed))


def _options(form: Form) -> list[str]:
    return [one for one in form.chosen("candidates") if tidy(one)]
