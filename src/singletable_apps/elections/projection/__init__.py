"""The table follows the log: each event in order, exactly once, large ones in chunks."""

from __future__ import annotations

from singletable_apps.elections.projection.projector import (
    MOST_TOGETHER,
    advance,
    follow,
    head,
    is_behind,
)
from singletable_apps.elections.projection.rebuild import Progress, rebuild

__all__ = ["MOST_TOGETHER", "Progress", "advance", "follow", "head", "is_behind", "rebuild"]
