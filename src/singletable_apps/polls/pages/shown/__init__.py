"""A result as people read it: one file a part of the page."""

from __future__ import annotations

from singletable_apps.polls.pages.shown.whole import Shown, shown_of

__all__ = ["Shown", "shown_of"]
