"""The access patterns: everything that the API does with the table, and how often."""

from __future__ import annotations

from singletable import (
    PatternCatalog,
    Selection,
    creates,
    deletes,
    modifies,
    per_day,
    per_hour,
    per_minute,
    per_second,
    puts,
    updates,
    upserts,
)
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
    table,
)

catalog = PatternCatalog(
    "tracker",
    table,
    sizes={Org: 150, Member: 200, Project: 200, Label: 120, Sprint: 200}
    | {Issue: 900, Comment: 500, Watcher: 120},
)

# Organizations and their members
org_page = catalog.read(
    "O1",
    "An organization with members and projects",
    Org.key.partition,
    collection=OrgPage,
    items=60,
    rate=per_second(5),
)
found_org = catalog.write(
    "O2",
    "Found an organization with its first admin",
    creates(Org),
    creates(Member),
    rate=per_day(20),
)
members = catalog.read(
    "M1", "Members of an organization", Member.key.partition, items=40, rate=per_second(2)
)
member_by_email = catalog.read(
    "M2", "The member with an e-mail address", Member.one_email, rate=per_second(1)
)
invite = catalog.write("M3", "Add a member", creates(Member), rate=per_hour(30))
change_role = catalog.write(
    "M4", "Change a member's role", updates(Member, Member.role), rate=per_day(20)
)
leave = catalog.write("M5", "Remove a member", deletes(Member), rate=per_day(20))

# Projects, their labels and sprints
projects = catalog.read(
    "P1", "Projects of an organization", Project.key.partition, items=20, rate=per_second(5)
)


@catalog.read_function("P2", collection=ProjectPage, items=30, rate=per_second(10))
def project_page(org: str, project: str) -> Selection[Project]:
    """Read a project with its labels and sprints."""
    return Project.key.partition(org).eq(project)


start_project = catalog.write("P3", "Start a project", creates(Project), rate=per_day(50))
set_label = catalog.write(
    "P4", "Create or recolor a label", upserts(Label, Label.color), rate=per_hour(20)
)
plan_sprint = catalog.write("P5", "Plan a sprint", creates(Sprint), rate=per_hour(5))

# Issues
issue = catalog.read("I1", "An issue", Issue.key, rate=per_second(50))


@catalog.read_function("I2", collection=IssuePage, items=20, rate=per_second(40))
def issue_page(org: str, project: str, number: int) -> Selection[Issue]:
    """Read an issue with its comments and watchers."""
    return Issue.key.partition(org, project).eq(number)


@catalog.read_function("I3", items=50, rate=per_second(20))
def board(org: str, project: str, status: Status) -> Selection[Issue]:
    """List issues of a project with a status, most urgent first."""
    return Issue.board(org, project).eq(status)


assigned = catalog.read(
    "I4",
    "Open issues of a member, last changed first",
    Issue.assigned,
    items=25,
    rate=per_second(20),
)
planned = catalog.read(
    "I5", "Issues of a sprint by status", Issue.planned, items=30, rate=per_second(5)
)
watched = catalog.read(
    "I6", "Issues that a member watches", Watcher.watched, items=40, rate=per_second(5)
)
file_issue = catalog.write("I7", "File an issue", creates(Issue), rate=per_minute(30))
edit_issue = catalog.write(
    "I8",
    "Edit an issue",
    updates(
        Issue, Issue.title, Issue.text, Issue.status, Issue.priority, Issue.assignee, Issue.sprint
    ),
    rate=per_second(5),
)
label_issue = catalog.write(
    "I9", "Add and remove labels of an issue", modifies(Issue), rate=per_minute(30)
)
move_issue = catalog.write(
    "I10", "Move an issue to another project", creates(Issue), deletes(Issue), rate=per_hour(20)
)

# Comments and watchers


@catalog.read_function("C1", items=50, rate=per_second(10))
def comments(org: str, project: str, number: int) -> Selection[Comment]:
    """List comments on an issue, in order."""
    return Comment.key.partition(org, project).eq(number)


add_comment = catalog.write("C2", "Comment on an issue", creates(Comment), rate=per_second(2))
delete_comment = catalog.write("C3", "Delete a comment", deletes(Comment), rate=per_hour(10))
watch = catalog.write("W1", "Watch an issue", puts(Watcher), rate=per_minute(20))
unwatch = catalog.write("W2", "Stop watching an issue", deletes(Watcher), rate=per_minute(5))

catalog.check()
