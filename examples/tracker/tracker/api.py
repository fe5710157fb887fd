"""The web API: each handler is one access pattern.

There is no sign-in: put one in front of `tenant`, which is where a request gets its store.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, TypeVar

from fastapi import APIRouter, Depends, FastAPI, Query, Request, Response

from singletable import NotFound, Page, Store, key_of
from singletable.fastapi import IfMatch, add_error_handlers, etag
from tracker import patterns, schemas
from tracker.entities import (
    Comment,
    Issue,
    IssuePage,
    Label,
    Member,
    Org,
    OrgPage,
    Project,
    ProjectPage,
    Sprint,
    Status,
    Watcher,
)

T = TypeVar("T")
router = APIRouter()


def tenant(request: Request, org: str) -> Store:
    """Return the store of this organization, which cannot read or write items of another one."""
    store: Store = request.app.state.store
    return store.scoped(org=org)


Tenant = Annotated[Store, Depends(tenant)]
Size = Annotated[int, Query(ge=1, le=100)]


def found(item: T | None) -> T:
    """Return the item; respond with 404 if there is none."""
    if item is None:
        raise NotFound("There is no such item.")
    return item


# Organizations and members


@router.post("/orgs", status_code=201)
def found_org(request: Request, body: schemas.NewOrg, response: Response) -> None:
    """Found an organization, with its first admin."""
    org, admin = body.org, body.admin
    with tenant(request, org).transaction() as tx:
        tx.create(Org(org=org, name=body.name))
        tx.create(Member(org=org, login=admin.login, email=admin.email, role="admin"))
    response.headers["Location"] = f"/orgs/{org}"


@router.get("/orgs/{org}")
def read_org(store: Tenant, org: str) -> OrgPage:
    """Return the organization with its members and projects."""
    page = store.collect(OrgPage, patterns.org_page(org))
    found(page.org)
    return page


@router.get("/orgs/{org}/members")
def list_members(
    store: Tenant, org: str, size: Size = 20, cursor: str | None = None
) -> Page[Member]:
    """Return a page of members."""
    return store.page(patterns.members(org), size, cursor=cursor)


@router.get("/orgs/{org}/member")
def find_member(store: Tenant, org: str, email: str) -> Member:
    """Return the member with an e-mail address."""
    return found(store.find(patterns.member_by_email(org, email)))


@router.post("/orgs/{org}/members", status_code=201)
def add_member(store: Tenant, org: str, body: schemas.NewMember) -> Member:
    """Add a member; an address that is taken is a conflict."""
    return store.create(Member(org=org, login=body.login, email=body.email, role=body.role))


@router.patch("/orgs/{org}/members/{login}")
def change_role(store: Tenant, org: str, login: str, body: schemas.NewRole) -> Member:
    """Change the role of a member."""
    return store.update(Member.key(org=org, login=login), *Member.edits(body))


@router.delete("/orgs/{org}/members/{login}", status_code=204)
def remove_member(store: Tenant, org: str, login: str) -> None:
    """Remove a member."""
    found(store.delete(Member.key(org=org, login=login)))


# Projects


@router.get("/orgs/{org}/projects")
def list_projects(store: Tenant, org: str) -> list[Project]:
    """Return the projects of an organization."""
    return list(store.query(patterns.projects(org)))


@router.post("/orgs/{org}/projects", status_code=201)
def start_project(store: Tenant, org: str, body: schemas.NewProject) -> Project:
    """Start a project."""
    return store.create(Project(org=org, project=body.project, title=body.title))


@router.get("/orgs/{org}/projects/{project}")
def read_project(store: Tenant, org: str, project: str) -> ProjectPage:
    """Return the project with its labels and sprints."""
    page = store.collect(ProjectPage, patterns.project_page(org, project))
    found(page.project)
    return page


@router.put("/orgs/{org}/projects/{project}/labels/{name}")
def set_label(
    store: Tenant, org: str, project: str, name: schemas.Name, body: schemas.LabelColor
) -> Label:
    """Create a label, or change its color."""
    return store.upsert(Label.key(org=org, project=project, name=name), Label.color.set(body.color))


@router.post("/orgs/{org}/projects/{project}/sprints", status_code=201)
def plan_sprint(store: Tenant, org: str, project: str, body: schemas.NewSprint) -> Sprint:
    """Plan the next sprint."""
    return store.create(Sprint(org=org, project=project, goal=body.goal, ends=body.ends))


@router.get("/orgs/{org}/projects/{project}/sprints/{sprint}/issues")
def list_planned(store: Tenant, org: str, project: str, sprint: int) -> list[Issue]:
    """Return the issues of a sprint, by status."""
    return list(store.query(patterns.planned(org, project, sprint)))


# Issues

PROJECT = "/orgs/{org}/projects/{project}"
ISSUE = PROJECT + "/issues/{number}"


@router.get(PROJECT + "/issues")
def read_board(
    store: Tenant,
    org: str,
    project: str,
    status: Status = "open",
    label: str | None = None,
    size: Size = 20,
    cursor: str | None = None,
) -> Page[Issue]:
    """Return a page of the issues with a status, most urgent first."""
    where = None if label is None else Issue.labels.contains(label)
    # A page of a rare label may be short: it reads at most 500 issues, and its cursor goes on.
    selection = patterns.board(org, project, status)
    return store.page(selection, size, cursor=cursor, where=where, max_read=500)


@router.get(PROJECT + "/issues/count")
def count_issues(store: Tenant, org: str, project: str, status: Status = "open") -> int:
    """Return the number of issues with a status, or 1,000 if there are more."""
    return store.count(patterns.board(org, project, status), limit=1000)


@router.post(PROJECT + "/issues", status_code=201)
def file_issue(store: Tenant, org: str, project: str, body: schemas.NewIssue) -> Issue:
    """File an issue, with the next number of the project."""
    return store.create(
        Issue(
            org=org,
            project=project,
            title=body.title,
            text=body.text,
            priority=body.priority,
            assignee=body.assignee,
        )
    )


@router.get(ISSUE)
def read_issue(store: Tenant, org: str, project: str, number: int, response: Response) -> Issue:
    """Return an issue, with its version as ETag."""
    issue = found(store.get(patterns.issue(org, project, number)))
    response.headers["ETag"] = etag(issue.version)
    return issue


@router.get(ISSUE + "/page")
def read_issue_page(store: Tenant, org: str, project: str, number: int) -> IssuePage:
    """Return an issue with its comments and watchers."""
    page = store.collect(IssuePage, patterns.issue_page(org, project, number))
    found(page.issue)
    return page


@router.patch(ISSUE)
def edit_issue(
    store: Tenant,
    org: str,
    project: str,
    number: int,
    body: schemas.IssuePatch,
    seen: IfMatch,
    response: Response,
) -> Issue:
    """Edit an issue; with If-Match, only if nobody else did since."""
    issue = store.update(
        Issue.key(org=org, project=project, number=number),
        *Issue.edits(body),
        if_=None if seen is None else Issue.version == seen,
    )
    response.headers["ETag"] = etag(issue.version)
    return issue


@router.post(ISSUE + "/labels")
def change_labels(
    store: Tenant, org: str, project: str, number: int, body: schemas.LabelChanges
) -> Issue:
    """Add and remove labels at once."""

    def relabel(issue: Issue) -> None:
        issue.labels = (issue.labels | body.add) - body.remove

    return store.modify(Issue.key(org=org, project=project, number=number), relabel)


@router.post(ISSUE + "/move")
def move_issue(
    store: Tenant, org: str, project: str, number: int, body: schemas.Destination
) -> Issue:
    """Move an issue to another project, where it gets a new number. Its discussion stays."""
    issue = found(store.get(Issue.key(org=org, project=project, number=number)))
    # Unlike evolve(), replace() drops what the store sets: the number, and the time of creation.
    moved = replace(
        issue, project=body.project, sprint=None, comments=0, watchers=0, last_comment=0
    )
    moved.created = issue.created
    with store.transaction() as tx:
        tx.create(moved)
        tx.delete(key_of(issue), if_=Issue.version == issue.version)
    return moved


@router.get("/orgs/{org}/members/{login}/issues")
def list_assigned(
    store: Tenant, org: str, login: str, size: Size = 20, cursor: str | None = None
) -> Page[Issue]:
    """Return a page of the issues that a member has to do, last changed first."""
    return store.page(patterns.assigned(org, login), size, cursor=cursor, reverse=True)


# Comments and watchers


@router.get(ISSUE + "/comments")
def list_comments(
    store: Tenant, org: str, project: str, number: int, size: Size = 20, cursor: str | None = None
) -> Page[Comment]:
    """Return a page of comments; its cursors lead to the next page and to the previous one."""
    return store.page(patterns.comments(org, project, number), size, cursor=cursor)


@router.post(ISSUE + "/comments", status_code=201)
def add_comment(
    store: Tenant, org: str, project: str, number: int, body: schemas.NewComment
) -> Comment:
    """Comment on an issue."""
    return store.create(
        Comment(
            org=org,
            project=project,
            issue=number,
            author=body.author,
            text=body.text,
        )
    )


@router.delete(ISSUE + "/comments/{comment}", status_code=204)
def delete_comment(store: Tenant, org: str, project: str, number: int, comment: int) -> None:
    """Delete a comment."""
    found(store.delete(Comment.key(org=org, project=project, issue=number, number=comment)))


@router.get("/orgs/{org}/members/{login}/watched")
def list_watched(store: Tenant, org: str, login: str) -> list[Watcher]:
    """Return the issues that a member watches."""
    return list(store.query(patterns.watched(org, login)))


@router.put(ISSUE + "/watchers/{login}", status_code=204)
def watch(store: Tenant, org: str, project: str, number: int, login: str) -> None:
    """Watch an issue; watching it again changes nothing."""
    store.put(Watcher(org=org, project=project, issue=number, login=login))


@router.delete(ISSUE + "/watchers/{login}", status_code=204)
def unwatch(store: Tenant, org: str, project: str, number: int, login: str) -> None:
    """Stop watching an issue."""
    store.delete(Watcher.key(org=org, project=project, issue=number, login=login))


def make_app(store: Store) -> FastAPI:
    """Return the API on a store."""
    app = FastAPI(title="Tracker", version="0.1.0")
    app.state.store = store
    add_error_handlers(app)
    app.include_router(router)
    return app
