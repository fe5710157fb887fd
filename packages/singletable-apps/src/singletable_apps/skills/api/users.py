"""Accounts and people: sign in, list, read and change profiles, invite, rename; the settings."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from singletable_apps.shared.accounts import SensitiveAction
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.frame import Recent
from singletable_apps.shared.frame.people_api import (
    Message,
    PersonTypes,
    Tokens,
    UserAgent,
    UsernameCredentials,
    add_people_routes,
    add_registration_routes,
    add_session_routes,
)
from singletable_apps.shared.web import (
    NOT_FOUND,
    SIGNED_IN,
    TOO_MANY_REQUESTS,
    Headers,
    IfMatch,
    IfMatchIfAny,
    Pagination,
    api_router,
    responses,
)
from singletable_apps.skills.api import schemas
from singletable_apps.skills.api.dependencies import EXISTS, LISTED, READ, Actor, Service, Username
from singletable_apps.skills.api.schemas import Person
from singletable_apps.skills.entities import Directory
from singletable_apps.skills.rules import DEFAULT_LEVELS, MAX_NAME, words_of
from singletable_apps.skills.service.people import PersonEdit

# Register, sign in, and read one's own account: the original's `/register`, `/login` and `/me`.
accounts_router = api_router("accounts", TOO_MANY_REQUESTS)
add_registration_routes(accounts_router, EXISTS)
add_session_routes(
    accounts_router, UsernameCredentials, Person, sign_in_path="/login", sign_out_path="/logout"
)
people_router = api_router("people", *SIGNED_IN)
_BODIES = (Person, schemas.NewPerson, schemas.Invitation, schemas.RoleChange)
add_people_routes(people_router, PersonTypes("username", Username, *_BODIES, EXISTS))

router = api_router("people", *SIGNED_IN)


@router.get("/protected")
def read_protected(actor: Actor) -> Message:
    """Say who is signed in."""
    return Message(message=f"You are signed in as {actor.username}.")


@router.put("/user")
def edit_me(
    changes: schemas.OwnChanges,
    service: Service,
    actor: Actor,
    edit: IfMatchIfAny,
    recent: Recent,
    user_agent: UserAgent = "",
) -> schemas.EditedUser:
    """Change your profile or your password.

    A new password requires the current one. It ends all sessions, and the response has new tokens.
    A new e-mail address requires a sign-in within the last five minutes, and takes effect when its
    owner opens the link in the e-mail to it.
    """
    sent = changes.sent()
    if sent.get("email") not in (None, actor.email):
        recent(SensitiveAction.CHANGE_EMAIL)
    current, password = sent.pop("current_password", None), sent.pop("password", None)
    profile = PersonEdit(**sent)
    service.people.check_edit(actor, actor, profile)
    edit.check(actor.revision)
    tokens = None
    if password is not None:
        if current is None:
            raise InvalidInput({"current_password": "Enter your current password, too."})
        changed = service.accounts.change_own_password(actor, current, password, about=user_agent)
        tokens = Tokens.of(service.accounts, changed)
    user = service.people.edit(actor, actor.username, profile)
    edit.answer(user.revision)
    return schemas.EditedUser(
        message="User updated successfully", user=Person.model_validate(user), tokens=tokens
    )


@router.get("/users", responses=LISTED)
def list_users(
    service: Service,
    actor: Actor,
    page: Pagination,
    q: Annotated[str, Query(max_length=MAX_NAME, description="Words in the name.")] = "",
    department: Annotated[str, Query(max_length=MAX_NAME)] = "",
    job_role: Annotated[str, Query(max_length=MAX_NAME, description="The id of a job.")] = "",
) -> list[schemas.PersonRow]:
    """List people by name. `Link` leads to the next page, also if a filter left this one empty."""
    found = service.people.list(
        q, department=department, job_role=job_role, limit=page.limit, cursor=page.cursor
    )
    page.link_next(found.cursor)
    return [schemas.PersonRow.model_validate(each) for each in found.items]


@router.get("/users/{username}", responses={**responses(NOT_FOUND), **READ})
def read_user(
    username: Username, headers: Headers, service: Service, actor: Actor
) -> schemas.PersonWithSkills:
    """Return a person with all skills. Only you and your managers get the e-mail address."""
    profile = service.user_skills.profile(username)
    headers.read(profile.user.revision)
    user = profile.user
    email = user.email if user.username in service.context.reach(actor) else ""
    return schemas.PersonWithSkills.from_object(user, skills=profile.skills, email=email)


@router.put("/users/{username}", responses=responses(NOT_FOUND))
def edit_user(
    username: Username,
    changes: schemas.PersonChanges,
    service: Service,
    actor: Actor,
    edit: IfMatch,
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


@router.put("/users/{username}/username", responses=responses(NOT_FOUND, EXISTS))
def rename_user(
    username: Username,
    change: schemas.UsernameChange,
    service: Service,
    actor: Actor,
    edit: IfMatch,
) -> Person:
    """Change your username, or as an administrator anyone's. Sessions and skills stay."""
    user = service.people.rename(actor, username, change.username, edit.check)
    edit.answer(user.revision)
    return Person.model_validate(user)


@router.get("/directory", responses=READ)
def read_directory(headers: Headers, service: Service, actor: Actor) -> schemas.DirectorySettings:
    """Return the name, who may register, the levels and the categories."""
    directory = service.people.settings()
    headers.read(directory.revision)
    return _settings(directory)


@router.put("/directory")
def edit_directory(
    change: schemas.DirectorySettings, service: Service, actor: Actor, edit: IfMatch
) -> schemas.DirectorySettings:
    """Change the name, who may register, the levels and the categories."""
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
