"""A site: three old tables, and the single table that they are copied to."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from singletable import Attr, Entity, Index, Key, Table, Unique, attr, created, version
from singletable.migration import Copy, Migration, Part, each, leave_out, merge, unchanged

users = Table("users", pk="username", sk=None)
likes = Table("likes", pk="post", sk="visitor")
notes = Table("notes")
entities = Table(
    "entities",
    indexes=[Index("by_name", pk="type", sk="name", projection=["email"])],
    ttl="expires",
)


class OldUser(Entity, table=users):
    username: Attr[str] = attr()
    name: Attr[str] = attr(default="")
    email: Attr[str] = attr(default="")
    age: Attr[int] = attr(default=0)
    key = Key(pk=username)


class OldLike(Entity, table=likes):
    post: Attr[str] = attr()
    visitor: Attr[str] = attr()
    key = Key(pk=post, sk=visitor)


class OldText(Entity, table=notes, type_tag=("kind", "text")):
    note: Attr[str] = attr()
    text: Attr[str] = attr()
    key = Key(pk=("OLD", note), sk="TEXT")


class OldDraft(Entity, table=notes, type_tag=("kind", "draft")):
    note: Attr[str] = attr()
    key = Key(pk=("OLD", note), sk="DRAFT")


class User(Entity, table=entities):
    username: Attr[str] = attr()
    email: Attr[str] = attr()
    since: Attr[datetime] = created()
    revision: Attr[int] = version()
    key = Key(pk=("USER", username), sk="PROFILE")
    by_email = Unique(email)


class Name(Entity, table=entities):
    username: Attr[str] = attr()
    type: Attr[str] = attr(default="name")
    name: Attr[str] = attr()
    key = Key(pk=("USER", username), sk="NAME")


class Age(Entity, table=entities):
    username: Attr[str] = attr()
    age: Attr[int] = attr()
    key = Key(pk=("USER", username), sk="AGE")


class Likes(Entity, table=entities):
    post: Attr[str] = attr()
    visitors: Attr[list[str]] = attr()
    key = Key(pk=("POST", post), sk="LIKES")


class Text(Entity, table=entities):
    note: Attr[str] = attr()
    text: Attr[str] = attr()
    key = Key(pk=("TEXT", text), sk=("NOTE", note))


class Setting(Entity, table=entities):
    """An entity that was in the new table before."""

    name: Attr[str] = attr()
    key = Key(pk="SETTINGS", sk=("SETTING", name))


def split_user(old: OldUser) -> Iterator[User | Name | Age]:
    if not old.email:
        raise ValueError("has no e-mail address")
    yield User(username=old.username.lower(), email=old.email)
    if old.name:
        yield Name(username=old.username.lower(), name=old.name)
    if old.age:
        yield Age(username=old.username.lower(), age=old.age)


def merge_likes(found: list[OldLike]) -> Likes:
    return Likes(post=found[0].post, visitors=[like.visitor for like in found])


SPLIT = each(OldUser, split_user)
MERGE = merge(
    Part(OldLike, group=lambda like: like.post, read=OldLike.key.partition), into=merge_likes
)
NOTES = (
    each(OldText, lambda old: Text(note=old.note, text=old.text)),
    leave_out(OldDraft),
    unchanged(notes),
)
COPY = Migration(Copy(entities, SPLIT, MERGE, *NOTES), name="0001_one_table")
