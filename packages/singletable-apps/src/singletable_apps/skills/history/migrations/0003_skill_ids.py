"""Phase 3: users get numbers, skills get ids, and everything is copied to a table with GSI2.

The key of every skill changes, and users cannot be read without their number. In place, neither
version could use the table meanwhile. Both tables have the same name, so the new one is at another
address. After the cut-over, `create_catalog` derives the catalog from the skills of all people.
"""

from __future__ import annotations

from singletable.migration import Copy, CreateTable, Migration, each, leave_out
from singletable_apps.skills.entities import User, UserSkill, entities
from singletable_apps.skills.history import phase2
from singletable_apps.skills.history.conversions import (
    to_phase2_skill,
    to_phase2_user,
    to_user,
    to_user_skill,
)

migration = Migration(
    CreateTable(entities),
    Copy(
        entities,
        each(phase2.User, to_user),
        each(phase2.UserSkill, to_user_skill),
        back=[
            each(User, to_phase2_user),
            each(UserSkill, to_phase2_skill),
            # Phase 2 has no place for the catalog, endorsements, jobs and teams.
            *(leave_out(entity) for entity in entities.entities if entity not in (User, UserSkill)),
        ],
        if_empty=True,
    ),
    schema="6b3289806532",
)
