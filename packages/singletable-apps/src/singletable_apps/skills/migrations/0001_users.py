"""Copy the old table of users, through all three phases at once."""

from __future__ import annotations

from singletable.migration import Copy, CreateTable, Migration, each, leave_out
from singletable_apps.skills.entities import User, entities
from singletable_apps.skills.history import users
from singletable_apps.skills.history.conversions import to_old_user, to_phase1, to_user


def to_current(old: users.User) -> User:
    """Return the user of the current version."""
    return to_user(to_phase1(old))


migration = Migration(
    CreateTable(entities),
    Copy(
        entities,
        each(users.User, to_current),
        back=[
            each(User, to_old_user),
            # The old table has no place for anything but users.
            *(leave_out(entity) for entity in entities.entities if entity is not User),
        ],
        if_empty=True,
    ),
    schema="6b3289806532",
)
