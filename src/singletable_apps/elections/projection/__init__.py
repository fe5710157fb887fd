"""The table follows the log: each event in order, exactly once, large ones in chunks."""

from __future__ import annotations

from singletable_apps.elections.projection.projector import (
    MAX_BATCH,
    apply_events,
    catch_up,
    get_last_event,
    is_behind,
)
from singletable_apps.elections.projection.rebuild import Progress, rebuild

__all__ = [
    "MAX_BATCH",
    "Progress",
    "apply_events",
    "catch_up",
    "get_last_event",
    "is_behind",
    "rebuild",
]
