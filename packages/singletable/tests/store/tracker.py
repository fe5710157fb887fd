"""An issue tracker whose sort keys nest: a project, its issues, their comments and reactions."""

from __future__ import annotations

from singletable.schema import Attr, Collection, Entity, Index, Key, Shards, Table, attr, padded

by_label = Index("by_label", pk="G1PK", sk="G1SK")
tracker = Table("tracker", indexes=[by_label])


class Project(Entity, table=tracker):
    org: Attr[str] = attr()
    key = Key(pk=("ORG", org), sk="PROJECT")


class Issue(Entity, table=tracker):
    org: Attr[str] = attr()
    number: Attr[int] = attr()
    title: Attr[str] = attr(default="")
    label: Attr[str | None] = attr(default=None)
    key = Key(pk=("ORG", org), sk=("ISSUE", padded(number, 4)))
    labeled = Key(pk=("LABEL", label), sk=("ISSUE", padded(number, 4))).on(by_label)


class Comment(Entity, table=tracker, type_tag=("type", "COMMENT")):
    org: Attr[str] = attr()
    number: Attr[int] = attr()
    comment: Attr[int] = attr()
    text: Attr[str] = attr(default="")
    label: Attr[str | None] = attr(default=None)
    key = Key(pk=("ORG", org), sk=("ISSUE", padded(number, 4), "COMMENT", padded(comment, 4)))
    labeled = Key(
        pk=("LABEL", label), sk=("ISSUE", padded(number, 4), "COMMENT", padded(comment, 4))
    ).on(by_label)


class Reaction(Entity, table=tracker):
    org: Attr[str] = attr()
    number: Attr[int] = attr()
    comment: Attr[int] = attr()
    user: Attr[str] = attr()
    key = Key(
        pk=("ORG", org),
        sk=("ISSUE", padded(number, 4), "COMMENT", padded(comment, 4), "BY", user),
    )


class Wiki(Entity, table=tracker):
    org: Attr[str] = attr()
    title: Attr[str] = attr()
    key = Key(pk=("ORG", org), sk=("WIKI", title))


class WikiLink(Entity, table=tracker):
    org: Attr[str] = attr()
    title: Attr[str] = attr()
    to: Attr[str] = attr()
    key = Key(pk=("ORG", org), sk=("WIKI", title, "LINK", to))


class Milestone(Entity, table=tracker):
    """An entity whose key ends with a text."""

    org: Attr[str] = attr()
    name: Attr[str] = attr()
    key = Key(pk=("ORG", org), sk=("MILESTONE", name, "META"))


class Goal(Entity, table=tracker):
    org: Attr[str] = attr()
    name: Attr[str] = attr()
    goal: Attr[int] = attr()
    key = Key(pk=("ORG", org), sk=("MILESTONE", name, "GOAL", goal))


class Hit(Entity, table=tracker):
    page: Attr[str] = attr()
    number: Attr[int] = attr()
    kind: Attr[str] = attr(default="view")
    key = Key(pk=("HITS", page, Shards(3, by=number)), sk=("HIT", padded(number, 4)))


class Referrer(Entity, table=tracker):
    """An entity whose shard depends on another field than that of its parent."""

    page: Attr[str] = attr()
    number: Attr[int] = attr()
    url: Attr[str] = attr()
    key = Key(pk=("HITS", page, Shards(3, by=url)), sk=("HIT", padded(number, 4), "FROM", url))


class Discussion(Collection):
    issues: list[Issue]
    comments: list[Comment]
    reactions: list[Reaction]


class IssueFile(Collection):
    issue: Issue
    comments: list[Comment]


class Overview(Collection):
    project: Project
    issues: list[Issue]


class Pages(Collection):
    pages: list[Wiki]
    links: list[WikiLink]


class Plan(Collection):
    milestone: Milestone
    goals: list[Goal]


class Traffic(Collection):
    hits: list[Hit]
    referrers: list[Referrer]
