# migrations/0001_glad_entities.py
"""Glad entities.

- table name: needs a new table
- key: needs a new table
- index 'GSI1': needs a new table
- index 'GSI2': needs a new table
- User type tag: needs a new table
- User.username: needs a new table
- User.name: needs a new table
- User.password_hash: needs a new table
- User.created_at: needs a new table
- User.updated_at: needs a new table
- entity UserSkill: needs no migration
"""

from __future__ import annotations

from datetime import datetime

from singletable import Attr, Entity, Key, Table, attr
from singletable.migration import Copy, CreateTable, Migration, each, leave_out

from directory import User, UserSkill, entities

old_users = Table("users", pk="username", sk=None)


class OldUser(Entity, table=old_users):
    """User before this migration."""

    created_at: Attr[datetime] = attr()
    name: Attr[str] = attr()
    password_hash: Attr[str] = attr()
    updated_at: Attr[datetime] = attr()
    username: Attr[str] = attr()

    key = Key(pk=username)


def to_user(old: OldUser) -> User:
    item = User(username=old.username, name=old.name, password_hash=old.password_hash)
    item.created_at = old.created_at
    item.updated_at = old.updated_at
    return item


def to_old_user(new: User) -> OldUser:
    return OldUser(
        created_at=new.created_at,
        name=new.name,
        password_hash=new.password_hash,
        updated_at=new.updated_at,
        username=new.username,
    )


migration = Migration(
    CreateTable(entities),
    Copy(
        entities,
        each(OldUser, to_user),
        # The old table has no place for skills.
        back=[each(User, to_old_user), leave_out(UserSkill)],
    ),
    schema="0c07343aedcf",
)
