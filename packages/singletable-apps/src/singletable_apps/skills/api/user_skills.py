"""Skills and entries of people, endorsements, and the people with a skill."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, TypeAlias

from fastapi import Depends, Path, Query
from starlette.convertors import StringConvertor, register_url_convertor

from singletable_apps.shared import web
from singletable_apps.shared.frame.people_api import Message
from singletable_apps.skills.api import schemas
from singletable_apps.skills.api.dependencies import EXISTS, Actor, Service, SkillName, Username
from singletable_apps.skills.api.schemas import EndorsementBody, EntryBody, UserSkillBody
from singletable_apps.skills.entities import Level, Project, ProjectStatus
from singletable_apps.skills.entry_rules import KINDS, Entry, EntryDraft, EntryKind, KindName
from singletable_apps.skills.rules import SkillDraft

router = web.api_router("skills of people", web.NOT_FOUND, *web.SIGNED_IN)


@router.get("/users/{username}/skills")
def list_user_skills(username: Username, service: Service, actor: Actor) -> list[UserSkillBody]:
    """List the skills of a person, by id."""
    return [UserSkillBody.model_validate(each) for each in service.user_skills.list(username)]


@router.post(
    "/users/{username}/skills", status_code=201, responses={**web.responses(EXISTS), **web.CREATED}
)
def add_user_skill(
    username: Username,
    new: schemas.NewUserSkill,
    headers: web.Headers,
    service: Service,
    actor: Actor,
) -> UserSkillBody:
    """Add a skill to yourself, or as a manager to your people."""
    draft = SkillDraft(
        new.proficiency_level, new.years_of_experience, new.last_used_date, new.notes
    )
    skill = service.user_skills.add(actor, username, new.skill_name, draft)
    path = {"username": skill.username, "skill": skill.skill_id}
    headers.created(skill.revision, "read_user_skill", **path)
    return UserSkillBody.model_validate(skill)


@router.get("/users/{username}/skills/{skill}", responses=web.TAGGED)
def read_user_skill(
    username: Username, skill: SkillName, headers: web.Headers, service: Service, actor: Actor
) -> UserSkillBody:
    """Return a skill of a person."""
    found = service.user_skills.get(username, skill)
    headers.read(found.revision)
    return UserSkillBody.model_validate(found)


@router.put("/users/{username}/skills/{skill}")
def edit_user_skill(
    username: Username,
    skill: SkillName,
    changes: schemas.UserSkillChanges,
    service: Service,
    actor: Actor,
    edit: web.IfMatch,
) -> UserSkillBody:
    """Change some fields of your skill, or as a manager of your people's."""
    edited = service.user_skills.edit(
        actor, username, skill, lambda draft: replace(draft, **changes.draft_fields()), edit.check
    )
    edit.answer(edited.revision)
    return UserSkillBody.model_validate(edited)


@router.delete("/users/{username}/skills/{skill}")
def remove_user_skill(
    username: Username, skill: SkillName, service: Service, actor: Actor, edit: web.IfMatch
) -> Message:
    """Remove a skill from yourself, or as a manager from your people, with endorsements."""
    service.user_skills.remove(actor, username, skill, edit.check)
    return Message(message="Skill deleted successfully")


# ------------------------------------------------------------------------------ endorsements


@router.get("/users/{username}/skills/{skill}/endorsements")
def list_endorsements(
    username: Username, skill: SkillName, service: Service, actor: Actor, page: web.Pagination
) -> web.Page[EndorsementBody]:
    """List the endorsements of a person's skill, by username."""
    found = service.endorsements.list(username, skill, limit=page.limit, cursor=page.cursor)
    return page.answer([EndorsementBody.from_object(each) for each in found.items], found.cursor)


@router.put("/users/{username}/skills/{skill}/endorsement")
def endorse_user_skill(
    username: Username, skill: SkillName, service: Service, actor: Actor
) -> UserSkillBody:
    """Endorse a skill of someone else. If you do already, nothing changes."""
    return UserSkillBody.model_validate(service.endorsements.endorse(actor, username, skill))


@router.delete("/users/{username}/skills/{skill}/endorsement")
def withdraw_endorsement(
    username: Username, skill: SkillName, service: Service, actor: Actor
) -> UserSkillBody:
    """Withdraw your endorsement. Without one, nothing changes."""
    return UserSkillBody.model_validate(service.endorsements.withdraw(actor, username, skill))


# ------------------------------------------------------------------------------ people with a skill


@router.get("/skills/{skill}/users")
def list_people_with_skill(
    skill: SkillName,
    service: Service,
    actor: Actor,
    page: web.Pagination,
    level: Annotated[Level | None, Query(description="Exactly this level.")] = None,
) -> web.Page[UserSkillBody]:
    """List the people with a skill, the highest level first. `GET /search` has more filters."""
    found = service.user_skills.list_people(skill, level, limit=page.limit, cursor=page.cursor)
    return page.answer([UserSkillBody.model_validate(each) for each in found.items], found.cursor)


# ------------------------------------------------------------------------------ entries


class _KindConvertor(StringConvertor):
    """Matches the kinds only, so that other paths of people do not answer for entries."""

    regex = "|".join(KINDS)


register_url_convertor("entries", _KindConvertor())
entries_router = web.api_router("entries", web.NOT_FOUND, *web.SIGNED_IN)
_KIND, _ENTRY = "/users/{username}/{kind:entries}", "/users/{username}/{kind:entries}/{entry_id}"
_STATUS = Query(description="Only projects with this status.")


@dataclass(frozen=True)
class EntriesPath:
    """The username and entry kind of a path."""

    username: Username
    kind: Annotated[KindName, Path(description="The kind of entry.")]

    @property
    def of(self) -> tuple[str, EntryKind]:
        """Return the username and the kind, for the service."""
        return self.username, KINDS[self.kind]

    def body(self, entry: Entry) -> EntryBody:
        """Return the body of an entry."""
        return _body(KINDS[self.kind], entry)


Entries: TypeAlias = Annotated[EntriesPath, Depends(web.on_event_loop(EntriesPath))]
EntryId: TypeAlias = Annotated[str, Path(description="The id of an entry.")]


@entries_router.get("/projects", response_model_exclude_unset=True)
def list_projects(
    service: Service,
    actor: Actor,
    page: web.Pagination,
    status: Annotated[ProjectStatus, _STATUS] = ProjectStatus.ACTIVE,
) -> web.Page[EntryBody]:
    """List the projects of all people with a status, the latest first."""
    found = service.entries.list_projects(status, limit=page.limit, cursor=page.cursor)
    return page.answer([_body(KINDS["projects"], each) for each in found.items], found.cursor)


@entries_router.get(_KIND, response_model_exclude_unset=True)
def list_entries(entries: Entries, service: Service, actor: Actor) -> list[EntryBody]:
    """List the entries of a person, the latest first."""
    return [entries.body(each) for each in service.entries.list_kind(*entries.of)]


@entries_router.post(
    _KIND, status_code=201, responses=web.CREATED, response_model_exclude_unset=True
)
def create_entry(
    entries: Entries, new: schemas.NewEntry, headers: web.Headers, service: Service, actor: Actor
) -> EntryBody:
    """Create an entry of your own."""
    draft = EntryDraft(**new.model_dump())
    created = entries.body(service.entries.create(actor, *entries.of, draft))
    path = {"username": created.username, "kind": entries.kind, "entry_id": created.id}
    headers.created(1, "read_entry", **path)
    return created


@entries_router.get(_ENTRY, responses=web.TAGGED, response_model_exclude_unset=True)
def read_entry(
    entries: Entries, entry_id: EntryId, headers: web.Headers, service: Service, actor: Actor
) -> EntryBody:
    """Return an entry of a person."""
    found = service.entries.get(*entries.of, entry_id)
    headers.read(found.revision)
    return entries.body(found)


@entries_router.put(_ENTRY, response_model_exclude_unset=True)
def edit_entry(
    entries: Entries,
    entry_id: EntryId,
    changes: schemas.EntryChanges,
    service: Service,
    actor: Actor,
    edit: web.IfMatch,
) -> EntryBody:
    """Change some fields of an entry of your own."""
    sent = changes.sent()
    changed = service.entries.edit(
        actor, *entries.of, entry_id, lambda draft: replace(draft, **sent), edit.check
    )
    edit.answer(changed.revision)
    return entries.body(changed)


@entries_router.delete(_ENTRY)
def delete_entry(
    entries: Entries, entry_id: EntryId, service: Service, actor: Actor, edit: web.IfMatch
) -> Message:
    """Delete an entry of your own."""
    service.entries.delete(actor, *entries.of, entry_id, edit.check)
    return Message(message="Entry deleted successfully")


def _body(kind: EntryKind, entry: Entry) -> EntryBody:
    skills = {"skills": entry.skill_ids} if isinstance(entry, Project) else {}
    return EntryBody.from_object(entry, id=kind.id_of(entry), **skills)
