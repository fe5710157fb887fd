"""Forms that say which revision they were filled in on, so that nobody writes over another."""

from __future__ import annotations

from dataclasses import replace

from singletable_apps.elections.service import RevisionCheck
from singletable_apps.shared.pages import Form

MEANWHILE = "Somebody changed this meanwhile, and nothing was saved."


class RevisionConflict(Exception):
    """What was to be changed is another by now."""


def based_on(form: Form) -> RevisionCheck:
    """Raises ChangedMeanwhile unless the revision is the one that the form carries."""
    shown = form.value("revision")

    def check(revision: int) -> None:
        if shown != str(revision):
            raise RevisionConflict(MEANWHILE)

    return check


# Precondition Failed: what the form was based on is not so any more.
STATUS = 412


def on(form: Form, revision: int) -> Form:
    """The same form, based on another revision."""
    return replace(form, values={**form.values, "revision": str(revision)})
