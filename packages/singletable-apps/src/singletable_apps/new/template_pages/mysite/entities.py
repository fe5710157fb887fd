"""The table: people, and the notes of each person."""

from __future__ import annotations

from datetime import datetime

from singletable import Attr, Entity, Key, Table, attr, created, updated, version
from singletable_apps.shared import accounts

# It lists people by name; other entities may have keys in it, too.
people_index = accounts.people_index
table = Table("mysite", indexes=[people_index])


class User(accounts.UserFields, table=table):
    """A person with an account."""


class Note(Entity, table=table):
    """A note, which only its owner sees. Its ID begins with the time."""

    user_id: Attr[int] = attr()
    note_id: Attr[str] = attr()
    title: Attr[str] = attr()
    text: Attr[str] = attr(default="")
    created_at: Attr[datetime] = created()
    updated_at: Attr[datetime] = updated()
    revision: Attr[int] = version()

    key = Key(pk=("NOTES", user_id), sk=("NOTE", note_id))
