"""Skills of people, endorsements, and the people who have a skill."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import Query

from singletable_apps.shared.frame.people_api import Message
from singletable_apps.shared.web import (
    NOT_FOUND,
    SIGNED_IN,
    Day,
    Headers,
    IfMatchIfAny,
    Page,
    PageLimit,
    Pagination,
    api_router,
    responses,
)
from singletable_apps.skills.api import schemas
from singletable_apps.skills.api.dependencies import (
    CREATED,
    EXISTS,
    LISTED,
    READ,
    Actor,
    Service,
    SkillName,
    Username,
)
from singletable_apps.skills.api.schemas import EndorsementBody, UserSkillBody
from singletable_apps.skills.entities import Level
from singletable_apps.skills.rules import MAX_YEARS, SkillDraft
from singletable_apps.skills.service.user_skills import HolderFilter

router = api_router("skills of people", NOT_FOUND, *SIGNED_IN)


@router.get("/users/{username}/skills")
def list_user_skills(username: Username, service: Service, actor: Actor) -> list[UserSkillBody]:
    """List the skills of a person, by id."""
    return [UserSkillBody.model_validate(each) for each in service.user_skills.list(username)]


@router.post(
    "/users/{username}/skills", status_code=201, responses={**responses(EXISTS), **CREATED}
)
def add_user_skill(
    username: Username, new: schemas.NewUserSkill, headers: Headers, service: Service, actor: Actor
) -> UserSkillBody:
    """Add a skill to yourself, or as a manager to your people."""
    draft = SkillDraft(
        new.proficiency_level, new.years_of_experience, new.last_used_date, new.notes
    )
    skill = service.user_skills.add(actor, username, new.skill_name, draft)
    path = {"username": skill.username, "skill": skill.skill_id}
    headers.created(skill.revision, "read_user_skill", **path)
    return UserSkillBody.model_validate(skill)


@router.get("/users/{username}/skills/{skill}", responses=READ)
def read_user_skill(
    username: Username, skill: SkillName, headers: Headers, service: Service, actor: Actor
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
    edit: IfMatchIfAny,
) -> UserSkillBody:
    """Change some fields of your skill, or as a manager of your people's."""
    edited = service.user_skills.edit(
        actor, username, skill, lambda draft: replace(draft, **changes.draft_fields()), edit.check
    )
    edit.answer(edited.revision)
    return UserSkillBody.model_validate(edited)


@router.delete("/users/{username}/skills/{skill}")
def remove_user_skill(
    username: Username, skill: SkillName, service: Service, actor: Actor, edit: IfMatchIfAny
) -> Message:
    """Remove a skill from yourself, or as a manager from your people, with endorsements."""
    service.user_skills.remove(actor, username, skill, edit.check)
    return Message(message="Skill deleted successfully")


# ------------------------------------------------------------------------------ endorsements


@router.get("/users/{username}/skills/{skill}/endorsements")
def list_endorsements(
    username: Username, skill: SkillName, service: Service, actor: Actor, page: Pagination
) -> Page[EndorsementBody]:
    """List who endorses a skill of a person, by username."""
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
    """Withdraw your endorsement. If there is none, nothing changes."""
    return UserSkillBody.model_validate(service.endorsements.withdraw(actor, username, skill))


# ------------------------------------------------------------------------------ people with a skill


@router.get("/skills/{skill}/users", responses=LISTED)
def list_people_with_skill(
    skill: SkillName,
    service: Service,
    actor: Actor,
    page: Pagination,
    level: Annotated[Level | None, Query(description="Exactly this level.")] = None,
    min_level: Annotated[
        Level | None, Query(alias="minLevel", description="This level or a higher one.")
    ] = None,
    min_years: Annotated[
        int | None,
        Query(
            alias="minYears", ge=0, le=MAX_YEARS, description="At least these years of experience."
        ),
    ] = None,
    active_since: Annotated[
        Day | None,
        Query(
            alias="activeSince",
            description="Used on this day or later. With `level` and `minYears`, people are left "
            "out after a page is read, so that it may have fewer items than `limit`.",
        ),
    ] = None,
) -> list[UserSkillBody]:
    """List the people who have a skill, the highest level first. `Link` leads to the next page."""
    wanted = HolderFilter(level, min_level, min_years, active_since)
    found = service.user_skills.list_people(skill, wanted, limit=page.limit, cursor=page.cursor)
    page.link_next(found.cursor)
    return [UserSkillBody.model_validate(each) for each in found.items]


@router.get("/skills/{skill}/users/top")
def list_top_people(
    skill: SkillName, service: Service, actor: Actor, limit: PageLimit = 10
) -> list[UserSkillBody]:
    """List the best people for a skill: by level, years of experience and day of last use."""
    return [
        UserSkillBody.model_validate(each)
        for each in service.user_skills.list_best(skill, limit=limit).items
    ]


@router.get("/skills/{skill}/distribution")
def read_distribution(skill: SkillName, service: Service, actor: Actor) -> schemas.Distribution:
    """Return how many people have a skill at each level."""
    found = service.catalog.get(skill)
    count = service.catalog.counts([found.skill_id])[found.skill_id]
    return schemas.Distribution(**schemas.distribution(found, count))
