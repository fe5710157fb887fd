"""Entities with all that a bulk load maintains: counters, unique values, versions, expiry."""

from __future__ import annotations

from datetime import datetime

from singletable.schema import (
    Attr,
    Count,
    Entity,
    Index,
    Key,
    Shards,
    Table,
    Unique,
    attr,
    created,
    expires,
    updated,
    version,
)

by_status = Index("by_status", pk="GSI1PK", sk="GSI1SK")
tracker = Table("tracker", indexes=[by_status], ttl="TTL")


class Project(Entity, table=tracker):
    org: Attr[str] = attr()
    name: Attr[str] = attr()
    issues: Attr[int] = attr(default=0)
    key = Key(pk=("ORG", org), sk=("PROJECT", name))


class Person(Entity, table=tracker):
    name: Attr[str] = attr()
    email: Attr[str] = attr()
    made: Attr[datetime] = created()
    changed: Attr[datetime] = updated()
    version: Attr[int] = version()
    reported: Attr[int] = attr(default=0)
    key = Key(pk=("PERSON", name), sk="PERSON")
    one_email = Unique(email)


class Issue(Entity, table=tracker):
    org: Attr[str] = attr()
    project: Attr[str] = attr()
    number: Attr[int] = attr()
    slug: Attr[str | None] = attr(default=None)
    reporter: Attr[str | None] = attr(default=None)
    title: Attr[str] = attr(default="-")
    labels: Attr[set[str]] = attr(factory=set)
    key = Key(pk=("ORG", org), sk=("ISSUE", project, number))
    in_project = Count(Project, Project.issues, key=(org, project))
    by_person = Count(Person, Person.reported, key=(reporter,))
    one_slug = Unique(org, slug)
    by_title = Key(pk=("TITLES", Shards(4)), sk=(title,)).on(by_status)


class Comment(Entity, table=tracker):
    org: Attr[str] = attr()
    project: Attr[str] = attr()
    number: Attr[int] = attr()
    text: Attr[str] = attr()
    key = Key(pk=("ORG", org), sk=("ISSUE", project, number, "COMMENT", text))


class Session(Entity, table=tracker):
    person: Attr[str] = attr()
    device: Attr[str] = attr()
    token: Attr[str] = attr()
    ends: Attr[datetime | None] = expires(default=None)
    key = Key(pk=("PERSON", person), sk=("SESSION", device))
    one_token = Unique(token)


class Event(Entity, table=tracker):
    org: Attr[str] = attr()
    at: Attr[datetime] = created()
    key = Key(pk=("EVENTS", org), sk=("AT", at))


class Shelf(Entity, table=tracker):
    org: Attr[str] = attr()
    book: Attr[str] = attr()
    key = Key(pk=("SHELF", org, Shards(3, by=book)), sk=("BOOK", book))


visits = Table("visits", ttl="TTL")


class Visitor(Entity, table=visits):
    name: Attr[str] = attr()
    visits: Attr[int] = attr(default=0)
    ends: Attr[datetime | None] = expires(default=None)
    key = Key(pk=("VISITOR", name), sk="VISITOR")


class Visit(Entity, table=visits):
    visitor: Attr[str] = attr()
    number: Attr[int] = attr()
    key = Key(pk=("VISITOR", visitor), sk=("VISIT", number))
    counted = Count(Visitor, Visitor.visits, key=(visitor,))
