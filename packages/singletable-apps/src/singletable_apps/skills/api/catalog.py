"""The catalog of skills, and the jobs: the original's `/master-skills`, and more."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, TypeAlias

from fastapi import Path, Query

from singletable_apps.shared import web
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.frame.people_api import Message
from singletable_apps.skills.api import schemas
from singletable_apps.skills.api.dependencies import EXISTS, IN_USE, Actor, Service
from singletable_apps.skills.api.schemas import MasterSkill, RoleBody
from singletable_apps.skills.entities import Level
from singletable_apps.skills.rules import people_at
from singletable_apps.skills.service.catalog import SkillEdit
from singletable_apps.skills.service.roles import RoleEdit

router = web.api_router("catalog", *web.SIGNED_IN)
SkillId: TypeAlias = Annotated[str, Path(description="The id of a skill.")]
RoleId: TypeAlias = Annotated[str, Path(description="The id of a job.")]
_NOT_FOUND = web.responses(web.NOT_FOUND)


@router.post("/master-skills", status_code=201, responses={**web.responses(EXISTS), **web.CREATED})
def create_master_skill(
    new: schemas.NewMasterSkill, headers: web.Headers, service: Service, actor: Actor
) -> MasterSkill:
    """Add a skill to the catalog. For administrators."""
    edit = SkillEdit(
        *(new.skill_name, new.skill_id, new.category, new.description),
        *(tuple(new.tags), tuple(new.aliases)),
    )
    skill = service.catalog.create(actor, edit)
    headers.created(skill.revision, "read_master_skill", skill_id=skill.skill_id)
    return MasterSkill.model_validate(skill)


@router.get("/master-skills")
def list_master_skills(service: Service, actor: Actor) -> list[MasterSkill]:
    """List the catalog, by category and name."""
    return [MasterSkill.model_validate(each) for each in service.catalog.list_all()]


@router.get("/skills")
def list_skills(
    service: Service,
    actor: Actor,
    category: Annotated[str, Query(max_length=50, description="Only skills of it.")] = "",
) -> list[schemas.SkillSummary]:
    """List skills by category and name, each with its number of people."""
    categories = service.context.words().categories
    if category and category not in categories:
        raise InvalidInput({"category": f"Use one of {', '.join(categories)}."})
    names = [each for each in service.catalog.list_names() if category in ("", each.category)]
    counts = service.catalog.counts(each.skill_id for each in names)
    return [
        schemas.SkillSummary.from_object(
            each,
            total=people_at(counts[each.skill_id]),
            levels={level: getattr(counts[each.skill_id], level.lower()) for level in Level},
        )
        for each in names
    ]


@router.get("/master-skills/{skill_id}", responses={**_NOT_FOUND, **web.TAGGED})
def read_master_skill(
    skill_id: SkillId, headers: web.Headers, service: Service, actor: Actor
) -> MasterSkill:
    """Return a skill of the catalog. Its name and its aliases find it, too."""
    found = service.catalog.get(skill_id)
    headers.read(found.revision)
    return MasterSkill.model_validate(found)


@router.put("/master-skills/{skill_id}", responses={**_NOT_FOUND, **web.responses(EXISTS)})
def edit_master_skill(
    skill_id: SkillId,
    changes: schemas.MasterSkillChanges,
    service: Service,
    actor: Actor,
    edit: web.IfMatch,
) -> MasterSkill:
    """Change some fields of a skill. A new name reaches the skills of all people."""
    sent = changes.sent()
    if "skill_name" in sent:
        sent["name"] = sent.pop("skill_name")
    skill = service.catalog.edit(
        actor, skill_id, lambda before: replace(before, **sent), edit.check
    )
    edit.answer(skill.revision)
    return MasterSkill.model_validate(skill)


@router.delete("/master-skills/{skill_id}", responses={**_NOT_FOUND, **web.responses(IN_USE)})
def delete_master_skill(
    skill_id: SkillId, service: Service, actor: Actor, edit: web.IfMatch
) -> Message:
    """Delete a skill that nobody has, also from the targets of jobs."""
    service.catalog.delete(actor, skill_id, edit.check)
    return Message(message="Master skill deleted successfully")


@router.post("/master-skills/{skill_id}/merge", responses=_NOT_FOUND)
def merge_master_skills(
    skill_id: SkillId, other: schemas.SkillInto, service: Service, actor: Actor, edit: web.IfMatch
) -> MasterSkill:
    """Move people, endorsements, aliases and targets to another skill, and delete this one."""
    skill = service.catalog.merge(actor, skill_id, other.into, edit.check)
    edit.answer(skill.revision)
    return MasterSkill.model_validate(skill)


@router.get("/roles")
def list_roles(service: Service, actor: Actor) -> list[RoleBody]:
    """List the jobs, by name."""
    return [RoleBody.from_object(each) for each in service.roles.list()]


@router.post("/roles", status_code=201, responses={**web.responses(EXISTS), **web.CREATED})
def create_role(
    new: schemas.RoleFields, headers: web.Headers, service: Service, actor: Actor
) -> RoleBody:
    """Create a job. For managers."""
    role = service.roles.create(actor, RoleEdit(**dict(new)))
    headers.created(role.revision, "read_role", role_id=role.role_id)
    return RoleBody.from_object(role)


@router.get("/roles/{role_id}", responses={**_NOT_FOUND, **web.TAGGED})
def read_role(role_id: RoleId, headers: web.Headers, service: Service, actor: Actor) -> RoleBody:
    """Return a job with its targets."""
    role = service.roles.get(role_id)
    headers.read(role.revision)
    return RoleBody.from_object(role)


@router.put("/roles/{role_id}", responses=_NOT_FOUND)
def edit_role(
    role_id: RoleId, sent: schemas.RoleFields, service: Service, actor: Actor, edit: web.IfMatch
) -> RoleBody:
    """Replace the name, the description and the targets of a job. For managers."""
    role = service.roles.edit(actor, role_id, RoleEdit(**dict(sent)), edit.check)
    edit.answer(role.revision)
    return RoleBody.from_object(role)


@router.delete("/roles/{role_id}", responses=_NOT_FOUND)
def delete_role(role_id: RoleId, service: Service, actor: Actor, edit: web.IfMatch) -> Message:
    """Delete a job. For managers."""
    service.roles.delete(actor, role_id, edit.check)
    return Message(message="The job was deleted.")
