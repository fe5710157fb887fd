"""Forms say which revision of a poll they are based on, so that nobody writes over another."""

from __future__ import annotations

from dataclasses import replace

from singletable_apps.polls.service import Basis
from singletable_apps.shared.pages import Form

# Precondition Failed: what the form was based on is not so any more.
STATUS = 412
MEANWHILE = "Somebody changed the poll meanwhile, and nothing was done. "


class ChangedMeanwhile(Exception):
    """What was to be changed is another by now."""


def based_on(form: Form, field: str = "revision") -> Basis:
    """Raises ChangedMeanwhile unless the number is the one that the form carries."""
    shown = form.value(field)

    def check(number: int) -> None:
        if shown != str(number):
            raise ChangedMeanwhile

    return check


def on(form: Form, revision: int) -> Form:
    """The same form, based on another revision."""
    return replace(form, values={**form.values, "revision": str(revision)})
