"""A count as people read it: one file a part of the page."""

from __future__ import annotations

from singletable_apps.elections.pages.counted.model import Count, count_of

__all__ = ["Count", "count_of"]
