"""One table of people as three programs declare it: version 1, version 2, and both at a time."""

from __future__ import annotations

from dynamodb_engine.values import Item
from singletable.schema import Attr, Count, Entity, Index, Key, Table, Unique, attr, version


def _table() -> tuple[Table, Index, Index]:
    by_name = Index("by_name", pk="GSI1PK", sk="GSI1SK")
    partial = Index("partial", pk="GSI2PK", sk="GSI2SK", projection=("last", "schema_version"))
    return Table("people", indexes=[by_name, partial]), by_name, partial


former_table, former_by_name, _ = _table()
table, by_name, partial = _table()
mixed_table, mixed_by_name, _ = _table()


class Former(Entity, table=former_table):
    """A person as the first program stored one."""

    slug: Attr[str] = attr(key_only=True)
    team: Attr[str] = attr()
    name: Attr[str] = attr()
    points: Attr[int] = attr(default=0)
    key = Key(pk=("PERSON", slug), sk="PERSON")
    # The second program writes other keys into this index, also into items of version 1.
    in_team = Key(pk=("TEAM", team), sk=name).on(former_by_name, checked=False)


class FormerFields(Entity):
    """The fields of version 1."""

    slug: Attr[str] = attr(key_only=True)
    team: Attr[str] = attr()
    name: Attr[str] = attr()
    points: Attr[int] = attr(default=0)


class Person(Entity, table=table, schema_version=2):
    """A person as the second program stores one."""

    slug: Attr[str] = attr(key_only=True)
    team: Attr[str] = attr()
    first: Attr[str] = attr()
    last: Attr[str] = attr()
    points: Attr[int] = attr(default=0)
    nickname: Attr[str | None] = attr(default=None)
    key = Key(pk=("PERSON", slug), sk="PERSON")
    in_team = Key(pk=("TEAM", team), sk=(last, first)).on(by_name)
    partial = Key(pk=("TEAM", team), sk=(last, first)).on(partial)


@Person.upgrade(from_=1)
def split_name(old: FormerFields) -> Person:
    """Split the name at the last space."""
    first, _, last = old.name.rpartition(" ")
    return Person(slug=old.slug, team=old.team, first=first, last=last, points=old.points)


class Mixed(Entity, table=mixed_table, schema_version=2, write_version=1):
    """A person as the second program stores one while the first is still running."""

    slug: Attr[str] = attr(key_only=True)
    team: Attr[str] = attr()
    first: Attr[str] = attr()
    last: Attr[str] = attr()
    points: Attr[int] = attr(default=0)
    nickname: Attr[str | None] = attr(default=None)
    key = Key(pk=("PERSON", slug), sk="PERSON")
    in_team = Key(pk=("TEAM", team), sk=(last, first)).on(mixed_by_name)


@Mixed.upgrade(from_=1)
def split_mixed(old: FormerFields) -> Mixed:
    """Split the name at the last space."""
    first, _, last = old.name.rpartition(" ")
    return Mixed(slug=old.slug, team=old.team, first=first, last=last, points=old.points)


@Mixed.downgrade(to=1)
def join_name(new: Mixed) -> FormerFields:
    """Join the names with a space."""
    name = f"{new.first} {new.last}"
    return FormerFields(slug=new.slug, team=new.team, name=name, points=new.points)


club_table = Table("clubs")


class Club(Entity, table=club_table, schema_version=("v", 3)):
    """A club, which counts its members."""

    name: Attr[str] = attr()
    motto: Attr[str] = attr(default="none")
    members: Attr[int] = attr(default=0)
    revision: Attr[int] = version()
    made: Attr[str] = attr(default="")
    key = Key(pk=("CLUB", name), sk="CLUB")


class ClubV1(Entity):
    """The fields of version 1."""

    name: Attr[str] = attr()


class ClubV2(Entity):
    """The fields of version 2."""

    name: Attr[str] = attr()
    slogan: Attr[str] = attr()


@Club.upgrade(from_=1)
def add_slogan(old: ClubV1) -> ClubV2:
    """Invent a slogan."""
    return ClubV2(name=old.name, slogan=f"{old.name} first")


@Club.upgrade(from_=2)
def rename_slogan(old: ClubV2) -> Club:
    """Call the slogan a motto."""
    return Club(name=old.name, motto=old.slogan)


class Member(Entity, table=club_table, schema_version=("v", 2)):
    """A member of a club, with an address that no other has."""

    club: Attr[str] = attr()
    slug: Attr[str] = attr()
    email: Attr[str] = attr()
    joined: Attr[str] = attr(default="")
    key = Key(pk=("CLUB", club), sk=("MEMBER", slug))
    unique_email = Unique(email)
    counted = Count(Club, Club.members, key=(club,))


class MemberV1(Entity):
    """The fields of version 1."""

    club: Attr[str] = attr()
    slug: Attr[str] = attr()
    mail: Attr[str] = attr()


@Member.upgrade(from_=1)
def rename_mail(old: MemberV1) -> Member:
    """Call the address an email."""
    return Member(club=old.club, slug=old.slug, email=old.mail)


def old_person(id_: str, name: str, **more: str) -> Item:
    """Return an item of version 1, with undeclared attributes."""
    last = name.rpartition(" ")[2]
    return {
        "PK": {"S": f"PERSON#{id_}"},
        "SK": {"S": "PERSON"},
        "team": {"S": "red"},
        "name": {"S": name},
        "points": {"N": "3"},
        "GSI1PK": {"S": "TEAM#red"},
        "GSI1SK": {"S": last},
        "GSI2PK": {"S": "TEAM#red"},
        "GSI2SK": {"S": last},
        **{name: {"S": text} for name, text in more.items()},
    }
