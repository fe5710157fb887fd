"""The table: people, and the notes of each person."""

from __future__ import annotations

from datetime import datetime

from singletable import Attr, Entity, Index, Key, Table, attr, casefold, created, updated, version
from singletable_apps.shared.accounts import UserFields

listing = Index("listing", pk="listing_pk", sk="listing_sk")
table = Table("mysite", indexes=[listing])


class User(UserFields, table=table):
    """A person with an account. Administrators list them by name."""

    listed = Key(pk="USERS", sk=(casefold(UserFields.name), UserFields.user_id)).on(listing)


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
