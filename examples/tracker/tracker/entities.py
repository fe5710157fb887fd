"""The items of the table.

    partition                   sort keys
    ORG#{org}                   ORG, MEMBER#{login}, PROJECT#{project}, and below each project
                                its labels (…#LABEL#{name}) and sprints (…#SPRINT#{number})
    PROJECT#{org}#{project}     ISSUE#{number}, and below each issue its comments
                                (…#COMMENT#{number}) and watchers (…#WATCHER#{login})

So one query reads a project with everything below it, or an issue with its discussion. Every
partition starts with the organization: a store that is scoped to one cannot touch another.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

from singletable import (
    Attr,
    Collection,
    Count,
    Entity,
    Index,
    Key,
    Table,
    Unique,
    attr,
    casefold,
    created,
    descending,
    ordered,
    padded,
    sequence,
    updated,
    version,
)

Role = Literal["member", "admin"]
Status = Literal["open", "in progress", "done"]
Priority = Literal["low", "normal", "urgent"]

by_board = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
by_person = Index("GSI2", pk="GSI2PK", sk="GSI2SK")
by_sprint = Index("GSI3", pk="GSI3PK", sk="GSI3SK")
table = Table("tracker", indexes=[by_board, by_person, by_sprint])


class Org(Entity, table=table):
    """An organization: a tenant of the tracker."""

    org: Attr[str] = attr()
    name: Attr[str] = attr()
    members: Attr[int] = attr(default=0)

    key = Key(pk=("ORG", org), sk="ORG")


class Member(Entity, table=table):
    """Someone who works in an organization. An e-mail address is used once in each."""

    org: Attr[str] = attr()
    login: Attr[str] = attr()
    email: Attr[str] = attr()
    role: Attr[Role] = attr(default="member")
    since: Attr[datetime] = created()

    key = Key(pk=("ORG", org), sk=("MEMBER", login))
    one_email = Unique(org, casefold(email))
    counted = Count(Org, Org.members, key=(org,))


class Project(Entity, table=table):
    """A project. It numbers its issues and sprints."""

    org: Attr[str] = attr()
    project: Attr[str] = attr()
    title: Attr[str] = attr()
    last_issue: Attr[int] = attr(default=0, hidden=True)
    last_sprint: Attr[int] = attr(default=0, hidden=True)

    key = Key(pk=("ORG", org), sk=("PROJECT", project))


class Label(Entity, table=table):
    """A label that the issues of a project can have."""

    org: Attr[str] = attr()
    project: Attr[str] = attr()
    name: Attr[str] = attr()
    color: Attr[str] = attr()

    key = Key(pk=("ORG", org), sk=("PROJECT", project, "LABEL", name))


class Sprint(Entity, table=table):
    """Some weeks of work."""

    org: Attr[str] = attr()
    project: Attr[str] = attr()
    number: Attr[int] = sequence(Project.last_sprint, key=(org, project))
    goal: Attr[str] = attr()
    ends: Attr[date] = attr()

    key = Key(pk=("ORG", org), sk=("PROJECT", project, "SPRINT", padded(number, 4)))


class Issue(Entity, table=table):
    """Something to do. `version` is the ETag: nobody overwrites a change they have not seen."""

    org: Attr[str] = attr()
    project: Attr[str] = attr()
    number: Attr[int] = sequence(Project.last_issue, key=(org, project))
    title: Attr[str] = attr()
    text: Attr[str] = attr(default="")
    status: Attr[Status] = attr(default="open")
    priority: Attr[Priority] = attr(default="normal")
    labels: Attr[set[str]] = attr(factory=set[str])
    assignee: Attr[str | None] = attr(default=None)
    sprint: Attr[int | None] = attr(default=None)
    comments: Attr[int] = attr(default=0)
    watchers: Attr[int] = attr(default=0)
    last_comment: Attr[int] = attr(default=0, hidden=True)
    created: Attr[datetime] = created()
    changed: Attr[datetime] = updated()
    version: Attr[int] = version()

    key = Key(pk=("PROJECT", org, project), sk=("ISSUE", padded(number, 6)))
    board = Key(
        pk=("BOARD", org, project),
        sk=(ordered(status), descending(ordered(priority)), padded(number, 6)),
    ).on(by_board)
    assigned = Key(pk=("ASSIGNEE", org, assignee), sk=changed).on(by_person, when=status != "done")
    planned = Key(
        pk=("SPRINT", org, project, padded(sprint, 4)), sk=(ordered(status), padded(number, 6))
    ).on(by_sprint)


class Comment(Entity, table=table):
    """A comment on an issue, numbered from 1."""

    org: Attr[str] = attr()
    project: Attr[str] = attr()
    issue: Attr[int] = attr()
    number: Attr[int] = sequence(Issue.last_comment, key=(org, project, issue))
    author: Attr[str] = attr()
    text: Attr[str] = attr()
    written: Attr[datetime] = created()

    key = Key(
        pk=("PROJECT", org, project),
        sk=("ISSUE", padded(issue, 6), "COMMENT", padded(number, 6)),
    )
    counted = Count(Issue, Issue.comments, key=(org, project, issue))


class Watcher(Entity, table=table):
    """Someone who wants to know about an issue."""

    org: Attr[str] = attr()
    project: Attr[str] = attr()
    issue: Attr[int] = attr()
    login: Attr[str] = attr()

    key = Key(pk=("PROJECT", org, project), sk=("ISSUE", padded(issue, 6), "WATCHER", login))
    watched = Key(pk=("WATCHER", org, login), sk=(project, padded(issue, 6))).on(by_person)
    counted = Count(Issue, Issue.watchers, key=(org, project, issue))


class OrgPage(Collection):
    """An organization with its members and projects."""

    org: Org | None
    members: list[Member]
    projects: list[Project]


class ProjectPage(Collection):
    """A project with its labels and sprints."""

    project: Project | None
    labels: list[Label]
    sprints: list[Sprint]


class IssuePage(Collection):
    """An issue with its comments and watchers."""

    issue: Issue | None
    comments: list[Comment]
    watchers: list[Watcher]
