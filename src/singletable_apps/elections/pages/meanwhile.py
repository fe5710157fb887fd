"""A form that came too late is shown again as it was typed, based on what there is now."""

from __future__ import annotations

from dataclasses import replace

from singletable_apps.shared.pages import Form

# Precondition Failed: what the form was based on is not so any more.
STATUS = 412


def on(form: Form, revision: int) -> Form:
    """The same form, based on another revision."""
    return replace(form, values={**form.values, "revision": str(revision)})
