"""Entries of people: the four kinds with their fields, and what may be entered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Literal, TypeAlias

from singletable_apps.shared.permissions import NotPermitted
from singletable_apps.shared.service import check_found
from singletable_apps.shared.text import InputChecks
from singletable_apps.skills.entities import (
    Certification,
    Education,
    Experience,
    Project,
    ProjectStatus,
    User,
)
from singletable_apps.skills.rules import is_same_user

MAX_ENTRIES = 50
MAX_LINE = 200
MAX_DESCRIPTION = 2_000
MAX_SKILLS = 20
# How far in the future a certificate may expire, or a course end.
_FUTURE = timedelta(days=366 * 30)

Entry: TypeAlias = Certification | Experience | Education | Project
KindName: TypeAlias = Literal["certifications", "experience", "education", "projects"]


@dataclass(frozen=True)
class EntryDraft:
    """What someone enters. A kind of entry has some of the fields; others are ignored."""

    name: str = ""
    issuer: str = ""
    issued: date | None = None
    expires_on: date | None = None
    position: str = ""
    employer: str = ""
    school: str = ""
    degree: str = ""
    started: date | None = None
    ended: date | None = None
    description: str = ""
    link: str = ""
    status: ProjectStatus = ProjectStatus.ACTIVE
    skills: Sequence[str] = ()


@dataclass(frozen=True)
class EntryKind:
    """A kind of entry: its name in URLs, the words for it, and its fields by how they are checked.

    The first of `lines` is the heading of an entry. `days` are its first and its last day.
    """

    name: KindName
    noun: str
    entity: type[Entry]
    lines: Mapping[str, str]
    days: Mapping[str, str]
    texts: tuple[str, ...] = ("description",)

    @property
    def id_field(self) -> str:
        """Return the name of the field that identifies an entry."""
        return f"{self.entity.__name__.lower()}_id"

    def id_of(self, entry: Entry) -> str:
        """Return the id of an entry."""
        return str(getattr(entry, self.id_field))

    def draft_of(self, entry: Entry) -> EntryDraft:
        """Return what was entered."""
        names = (*self.lines, *self.days, *self.texts)
        values: dict[str, Any] = {name: getattr(entry, name) for name in names}
        if isinstance(entry, Project):
            values |= {"status": entry.status, "skills": entry.skill_ids}
        return EntryDraft(**values)


KINDS: Mapping[KindName, EntryKind] = {
    kind.name: kind
    for kind in (
        EntryKind(
            "experience",
            "position",
            Experience,
            {"position": "Position", "employer": "Employer"},
            {"started": "From", "ended": "Until"},
        ),
        EntryKind("projects", "project", Project, {"name": "Name"}, {}, ("description", "link")),
        EntryKind(
            "education",
            "degree or course",
            Education,
            {"degree": "Degree or course", "school": "School"},
            {"started": "From", "ended": "Until"},
        ),
        EntryKind(
            "certifications",
            "certificate",
            Certification,
            {"name": "Name", "issuer": "Issued by"},
            {"issued": "Issued on", "expires_on": "Expires on"},
            ("link",),
        ),
    )
}


def kind_named(name: str) -> EntryKind:
    """Return the kind with a name from a URL, or raise NotFound."""
    found = next((kind for kind in KINDS.values() if kind.name == name), None)
    return check_found(found, "There is no such kind of entry.")


def check_author(actor: User, username: str) -> None:
    """Raise NotPermitted unless these are the actor's own entries."""
    if not is_same_user(actor.username, username):
        raise NotPermitted("People enter their own experience, education and projects.")


def check_entry(kind: EntryKind, draft: EntryDraft, today: date) -> dict[str, Any]:
    """Return the values of the fields of a kind, or raise InvalidInput."""
    checks, values = InputChecks(), dict[str, Any]()
    for field in kind.lines:
        text = getattr(draft, field)
        values[field] = checks.line(field, text, longest=MAX_LINE, required=True)
    for field in kind.texts:
        text = getattr(draft, field)
        if field == "link":
            values[field] = checks.link(field, text)
            if values[field].startswith("/"):
                checks.reject(field, "Enter a link such as https://example.org/page.")
        else:
            values[field] = checks.text(field, text, longest=MAX_DESCRIPTION)
    if kind.days:
        (first, last), latest = kind.days, today + _FUTURE
        start, end = values[first], values[last] = getattr(draft, first), getattr(draft, last)
        if start is None:
            checks.reject(first, "Enter a day.")
        elif not date(1950, 1, 1) <= start <= today:
            checks.reject(first, "Enter a day between 1950 and today.")
        if end is not None and end > latest:
            checks.reject(last, "This day is too far in the future.")
        elif start is not None and end is not None and end < start:
            checks.reject(last, "This day is before the first one.")
    if kind.entity is Project:
        values["status"] = draft.status
        if len(draft.skills) > MAX_SKILLS:
            checks.reject("skills", f"Use at most {MAX_SKILLS} skills.")
    checks.raise_errors()
    return values
