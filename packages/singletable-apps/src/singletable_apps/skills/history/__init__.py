"""The versions before this one (see "The way here" in the README), and the migrations between them.

`migrations` goes through the phases one at a time, as the design document plans it. From the table
of users, the migration beside the current declaration does the same in one step.
"""

from __future__ import annotations

from singletable_apps.skills.entities import entities

__all__ = ["entities"]
