"""The versions before this one, and the migrations between them.

    users     one table of users, with a scan to list them
    phase 1   `glad-entities` with a sort key and GSI1, still only users
    phase 2   skills of users, found by name and level, and a key for the list of users
    phase 3   GSI2, a catalog of skills with ids and aliases: `singletable_apps.skills.entities`

`migrations` goes through the phases one at a time, as the design document plans it. From the table
of users, the migration beside the current declaration does the same in one step.
"""

from __future__ import annotations

from singletable_apps.skills.entities import entities

__all__ = ["entities"]
