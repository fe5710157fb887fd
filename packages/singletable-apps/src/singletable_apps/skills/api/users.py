"""Accounts and people: sign in, list, read and change profiles, invite, rename; the settings."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from singletable_apps.shared import web
from singletable_apps.shared.accounts import SensitiveAction
from singletable_apps.shared.frame import Recent
from singletable_apps.shared.frame.people_api import (
    PersonTypes,
    UsernameCredentials,
    add_people_routes,
    add_registration_routes,
    add_session_routes,
)
from singletable_apps.skills.api import schemas
from singletable_apps.skills.api.dependencies import EXISTS, Actor, Service, Username
from singletable_apps.skills.api.schemas import Person
from singletable_apps.skills.entities import Directory
from singletable_apps.skills.rules import DEFAULT_LEVELS, MAX_NAME, words_of
from singletable_apps.skills.service.people import PersonEdit

# Register, sign in, and read one's own account: the original's `/register`, `/login` and `/me`.
accounts_router = web.api_router("accounts", web.TOO_MANY_REQUESTS)
add_registration_routes(accounts_router, EXISTS)
add_session_routes(
    accounts_router, UsernameCredentials, Person, sign_in_path="/login", sign_out_path="/logout"
)
people_router = web.api_router("people", *web.SIGNED_IN)
_BODIES = (Person, schemas.NewPerson, schemas.Invitation, schemas.RoleChange)
add_people_routes(people_router, PersonTypes("username", Username, *_BODIES, EXISTS))

router = web.api_router("people", *web.SIGNED_IN)


@router.get("/users")
def list_users(
    service: Service,
    actor: Actor,
    page: web.Pagination,
    q: Annotated[str, Query(max_length=MAX_NAME, description="Words in the name.")] = "",
    department: Annotated[str, Query(max_length=MAX_NAME)] = "",
    job_role: Annotated[str, Query(max_length=MAX_NAME, description="The id of a job.")] = "",
) -> web.Page[schemas.PersonRow]:
    """List people by name. A filter can leave a page empty that is not the last one."""
    found = service.people.list(
        q, department=department, job_role=job_role, limit=page.limit, cursor=page.cursor
    )
    rows = [schemas.PersonRow.model_validate(each) for each in found.items]
    return page.answer(rows, found.cursor)


@router.get("/users/{username}", responses={**web.responses(web.NOT_FOUND), **web.TAGGED})
def read_user(
    username: Username, headers: web.Headers, service: Service, actor: Actor
) -> schemas.PersonWithSkills:
    """Return a person with all skills. Only you and your managers get the e-mail address."""
    profile = service.user_skills.profile(username)
    headers.read(profile.user.revision)
    user = profile.user
    email = user.email if user.username in service.context.reach(actor) else ""
    return schemas.PersonWithSkills.from_object(user, skills=profile.skills, email=email)


@router.put("/users/{username}", responses=web.responses(web.NOT_FOUND))
def edit_user(
    username: Username,
    changes: schemas.PersonChanges,
    service: Service,
    actor: Actor,
    edit: web.IfMatch,
    recent: Recent,
) -> Person:
    """Change your profile, or that of your people. Only managers change the job.

    A new e-mail address requires a sign-in within the last five minutes, and takes effect when its
    owner opens the link in the e-mail to it.
    """
    sent = changes.sent()
    # Others must not find out an address by comparing it with their guesses.
    service.context.check_reach(actor, username)
    if sent.get("email") not in (None, service.context.get_user(username).email):
        recent(SensitiveAction.CHANGE_EMAIL)
    user = service.people.edit(actor, username, PersonEdit(**sent), edit.check)
    edit.answer(user.revision)
    return Person.model_validate(user)


@router.put("/users/{username}/username", responses=web.responses(web.NOT_FOUND, EXISTS))
def rename_user(
    username: Username,
    change: schemas.UsernameChange,
    service: Service,
    actor: Actor,
    edit: web.IfMatch,
) -> Person:
    """Change your username, or as an administrator anyone's. Sessions and skills stay."""
    user = service.people.rename(actor, username, change.username, edit.check)
    edit.answer(user.revision)
    return Person.model_validate(user)


@router.get("/directory", responses=web.TAGGED)
def read_directory(
    headers: web.Headers, service: Service, actor: Actor
) -> schemas.DirectorySettings:
    """Return the settings: name, registration, levels and categories."""
    directory = service.people.settings()
    headers.read(directory.revision)
    return _settings(directory)


@router.put("/directory")
def edit_directory(
    change: schemas.DirectorySettings, service: Service, actor: Actor, edit: web.IfMatch
) -> schemas.DirectorySettings:
    """Change the settings: name, registration, levels and categories."""
    directory = service.people.edit_settings(actor, **dict(change), check=edit.check)
    edit.answer(directory.revision)
    return _settings(directory)


def _settings(directory: Directory) -> schemas.DirectorySettings:
    return schemas.DirectorySettings(
        name=directory.name,
        registration=directory.registration,
        levels=directory.levels or [*DEFAULT_LEVELS],
        categories=[*words_of(directory).categories],
    )
