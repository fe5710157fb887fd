"""Forms that say which revision they were filled in on, so that nobody writes over another."""

from __future__ import annotations

from singletable_apps.elections.service import Basis
from singletable_apps.shared.pages import Form

MEANWHILE = "Somebody changed this meanwhile, and nothing was saved."


class ChangedMeanwhile(Exception):
    """What was to be changed is another by now."""


def based_on(form: Form) -> Basis:
    """Raises ChangedMeanwhile unless the revision is the one that the form carries."""
    shown = form.value("revision")

    def check(revision: int) -> None:
        if shown != str(revision):
            raise ChangedMeanwhile(MEANWHILE)

    return check
