"""The table follows the log: each event in order, exactly once, large ones in chunks."""

from __future__ import annotations

from singletable_apps.elections.projection.following import advance, follow, head, is_behind
from singletable_apps.elections.projection.rebuilding import Progress, rebuild
from singletable_apps.elections.projection.runs import MOST_TOGETHER

__all__ = ["MOST_TOGETHER", "Progress", "advance", "follow", "head", "is_behind", "rebuild"]
