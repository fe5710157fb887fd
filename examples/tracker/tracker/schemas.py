"""The request bodies of the API. Responses are the entities and collections themselves."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import BaseModel, Field

from tracker.entities import Priority, Role, Status

Name = Annotated[str, Field(pattern=r"^[a-z0-9-]{1,40}$")]
Title = Annotated[str, Field(min_length=1, max_length=200)]
Text = Annotated[str, Field(max_length=20_000)]
Email = Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+$", max_length=200)]


class NewMember(BaseModel):
    """Someone to add to an organization."""

    login: Name
    email: Email
    role: Role = "member"


class NewOrg(BaseModel):
    """An organization to found, with its first admin."""

    org: Name
    name: Title
    admin: NewMember


class NewRole(BaseModel):
    """Another role for a member."""

    role: Role


class NewProject(BaseModel):
    """A project to start."""

    project: Name
    title: Title


class LabelColor(BaseModel):
    """The color of a label."""

    color: Annotated[str, Field(pattern=r"^#[0-9a-f]{6}$")]


class NewSprint(BaseModel):
    """A sprint to plan."""

    goal: Title
    ends: date


class NewIssue(BaseModel):
    """An issue to file."""

    title: Title
    text: Text = ""
    priority: Priority = "normal"
    assignee: Name | None = None


class IssuePatch(BaseModel):
    """Changes to an issue. What is left out stays; null removes the assignee or the sprint."""

    title: Title = ""
    text: Text = ""
    status: Status = "open"
    priority: Priority = "normal"
    assignee: Name | None = None
    sprint: int | None = None


class LabelChanges(BaseModel):
    """Labels to add to an issue, and labels to remove."""

    add: set[Name] = set()
    remove: set[Name] = set()


class Destination(BaseModel):
    """The project that an issue moves to."""

    project: Name


class NewComment(BaseModel):
    """A comment to write."""

    author: Name
    text: Text
