"""Phase 1: copy the users to `glad-entities`. A table can neither be renamed nor get a sort key."""

from __future__ import annotations

from singletable.migration import Copy, CreateTable, Migration, each
from singletable_apps.skills.history import phase1, users
from singletable_apps.skills.history.conversions import to_old_user, to_phase1

migration = Migration(
    CreateTable(phase1.entities),
    Copy(
        phase1.entities,
        each(users.User, to_phase1),
        back=[each(phase1.User, to_old_user)],
        if_empty=True,
    ),
    schema="f8d8b305a733",
)
