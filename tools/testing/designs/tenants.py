"""An issue tracker for several organizations in one table."""

from __future__ import annotations

from singletable.patterns import PatternCatalog, creates, deletes, puts, updates
from singletable.schema import (
    Attr,
    Collection,
    Count,
    Entity,
    Index,
    Key,
    Number,
    Shards,
    Table,
    Unique,
    attr,
    casefold,
)

by_state = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
by_level = Index("GSI2", pk=("org", Number("level")), projection="KEYS_ONLY")
tracker = Table("tracker", indexes=[by_state])
# Some other engines do not have indexes with two partition key attributes.
levels = Table("levels", indexes=[by_level])


class Org(Entity, table=tracker):
    """The record of a tenant: its field has another name, but its partition is the tenant's."""

    name: Attr[str] = attr()
    issues: Attr[int] = attr(default=0)
    key = Key(pk=("ORG", name), sk="ORG")


class Issue(Entity, table=tracker):
    org: Attr[str] = attr()
    number: Attr[int] = attr()
    title: Attr[str] = attr(default="")
    state: Attr[str] = attr(default="open")
    slug: Attr[str | None] = attr(default=None)
    key = Key(pk=("ORG", org), sk=("ISSUE", number))
    in_state = Key(pk=("ORG", org, "STATE", state), sk=("ISSUE", number)).on(by_state)
    one_slug = Unique(org, slug)
    counted = Count(Org, Org.issues, key=(org,))


class Comment(Entity, table=tracker):
    org: Attr[str] = attr()
    issue: Attr[int] = attr()
    number: Attr[int] = attr()
    author: Attr[str] = attr(default="ada")
    key = Key(pk=("ORG", org, "ISSUE", issue), sk=("COMMENT", number))
    of_author = Key(pk=("AUTHOR", author), sk=("COMMENT", number)).on(by_state)


class Visit(Entity, table=tracker):
    org: Attr[str] = attr()
    page: Attr[str] = attr()
    key = Key(pk=("VISITS", org, Shards(4, by=page)), sk=page)


class Rank(Entity, table=levels):
    org: Attr[str] = attr()
    name: Attr[str] = attr()
    level: Attr[int] = attr()
    key = Key(pk=("ORG", org), sk=name)
    at_level = Key(pk=(org, level)).on(by_level)


class User(Entity, table=tracker):
    """An e-mail address is unique among all tenants."""

    org: Attr[str] = attr()
    name: Attr[str] = attr()
    email: Attr[str] = attr()
    key = Key(pk=("ORG", org), sk=("USER", name))
    one_email = Unique(casefold(email))


class Country(Entity, table=tracker):
    code: Attr[str] = attr()
    key = Key(pk=("COUNTRY", code), sk="COUNTRY")


class Domain(Entity, table=tracker):
    """Case-insensitive: two organizations could have the same key."""

    org: Attr[str] = attr()
    key = Key(pk=("DOMAIN", casefold(org)), sk="DOMAIN")


class Everything(Collection):
    org: Org
    issues: list[Issue]
    users: list[User]


catalog = PatternCatalog("tracker", tracker, levels)
one_issue = catalog.read("R1", "An issue", Issue.key)
issues = catalog.read("R2", "Issues of an organization", Issue.key.partition)
in_state = catalog.read("R3", "Issues in a state", Issue.in_state)
by_slug = catalog.read("R4", "The issue with a slug", Issue.one_slug)
comments = catalog.read("R5", "Comments on an issue", Comment.key.partition)
visits = catalog.read("R6", "Visits", Visit.key.partition)
at_level = catalog.read("R7", "People at a level", Rank.at_level)
open_issue = catalog.write("W1", "Open an issue", creates(Issue))
edit_issue = catalog.write("W2", "Edit an issue", updates(Issue))
delete_issue = catalog.write("W3", "Delete an issue", deletes(Issue))
add_comment = catalog.write("W4", "Comment", puts(Comment))
visit = catalog.write("W5", "Visit", puts(Visit))
