"""Users: list, edit and remove them; roles, permissions, and your own account."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Request, Response

from singletable_apps.elections.api.auth import COOKIE, tokens
from singletable_apps.elections.api.dependencies import (
    NameInPath,
    Service,
    SignedInUser,
    ThisApi,
    Viewer,
    sliced,
)
from singletable_apps.elections.api.problems import TAKEN, WRONG_STATE
from singletable_apps.elections.api.schemas import (
    Account,
    OwnActivity,
    PasswordChange,
    RoleChange,
    RolePermissions,
    SessionShown,
    Tokens,
    UserChanges,
)
from singletable_apps.elections.roles import PERMISSIONS, ROLES, Role
from singletable_apps.elections.service.context import reload_user
from singletable_apps.shared.web import (
    NOT_ALLOWED,
    NOT_FOUND,
    NOT_SIGNED_IN,
    TOO_MANY_REQUESTS,
    IfMatch,
    Page,
    Pagination,
    api_router,
    etag,
    responses,
)

router = api_router("users", NOT_SIGNED_IN, NOT_ALLOWED, TOO_MANY_REQUESTS)


@router.get("/users")
def list_users(user: Viewer, elections: Service, page: Pagination) -> Page[Account]:
    """List users by name, with the roles you can give them. For administrators."""
    found, cursor = elections.queries.users(user, page.limit, page.cursor)
    return page.answer([Account.of(one.user, user) for one in found], cursor)


# Not below /users: a user may be called "names".
@router.get("/user-names")
def list_user_names(user: Viewer, elections: Service, page: Pagination) -> Page[str]:
    """List user names, to choose voters from."""
    return page.answer(*elections.queries.user_names(user, page.limit, page.cursor))


@router.get("/users/{name}", responses=responses(NOT_FOUND))
def read_user(user: Viewer, elections: Service, name: NameInPath, response: Response) -> Account:
    """Return a user: yourself, or anyone if you are an administrator."""
    found = elections.queries.user(user, name).user
    response.headers["ETag"] = etag(found.revision)
    return Account.of(found, user)


@router.patch("/users/{name}", responses=responses(NOT_FOUND, TAKEN))
def edit_user(
    user: Viewer, elections: Service, name: NameInPath, sent: UserChanges, edit: IfMatch
) -> Account:
    """Change the name, the e-mail address, or both. Elections and ballots follow the new name."""
    said = sent.model_fields_set
    edited = elections.people.edit(
        user,
        name,
        name=sent.name if "name" in said else None,
        email=sent.email if "email" in said else None,
        check_revision=edit.check,
    )
    edit.answer(edited.revision)
    return Account.of(edited, edited if edited.user_id == user.user_id else user)


@router.delete("/users/{name}", status_code=204, responses=responses(NOT_FOUND, WRONG_STATE))
def remove_user(user: SignedInUser, elections: Service, name: NameInPath, edit: IfMatch) -> None:
    """Remove a user. Ballots in open elections are deleted; those in closed ones lose the name."""
    elections.people.remove(user, name, edit.check)


@router.put("/users/{name}/role", responses=responses(NOT_FOUND))
def change_role(
    user: Viewer, elections: Service, name: NameInPath, sent: RoleChange, edit: IfMatch
) -> Account:
    """Change a role. Making someone else the owner makes you an auditor."""
    changed = elections.people.change_role(user, name, sent.role, edit.check)
    edit.answer(changed.revision)
    return Account.of(changed, reload_user(elections.context.read, user))


@router.put("/users/{name}/password", responses={**responses(NOT_FOUND), 200: {"headers": COOKIE}})
def change_password(
    user: SignedInUser, name: NameInPath, sent: PasswordChange, request: Request, api: ThisApi
) -> Tokens:
    """Change your password. All sessions end, and a new one begins."""
    signed_in = api.elections.auth.change_password(user, name, sent.current, sent.new)
    return tokens(request, api, signed_in)


me_router = api_router("account", NOT_SIGNED_IN, TOO_MANY_REQUESTS)


@me_router.get("/me", responses=responses(NOT_ALLOWED))
def read_me(user: Viewer, response: Response) -> Account:
    """Return your account."""
    response.headers["ETag"] = etag(user.revision)
    return Account.of(user, user)


@me_router.get("/me/activity")
def read_my_activity(user: SignedInUser, elections: Service) -> OwnActivity:
    """Return your activity. Works without any permission."""
    found = elections.queries.activity(user)
    return OwnActivity(
        user_name=found.user_name,
        role=found.role,
        elections_owned=found.elections_owned,
        ballots_cast=found.ballots_cast,
    )


@me_router.get("/me/sessions")
def list_my_sessions(user: SignedInUser, api: ThisApi, page: Pagination) -> Page[SessionShown]:
    """List your sessions, last used first."""
    some, cursor = sliced(page, api.elections.auth.sessions(user), api)
    shown = [
        SessionShown(id=one.id, about=one.about, begun=one.begun, used=one.used, ends=one.ends)
        for one in some
    ]
    return page.answer(shown, cursor)


@me_router.delete("/me/sessions/{session}", status_code=204)
def end_my_session(
    user: SignedInUser,
    elections: Service,
    session: Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{22}$", examples=["A" * 22])],
) -> None:
    """End a session. Its access token works until it expires."""
    elections.auth.end_session(user, session)


permissions_router = api_router("roles", NOT_SIGNED_IN, NOT_ALLOWED, TOO_MANY_REQUESTS)


@permissions_router.get("/permissions")
def list_permissions(_: Viewer) -> list[RolePermissions]:
    """List all roles and their permissions, lowest first."""
    return [_of(role) for role in ROLES]


@permissions_router.get("/permissions/{role}")
def read_permissions(_: Viewer, role: Role) -> RolePermissions:
    """Return the permissions of a role."""
    return _of(role)


def _of(role: Role) -> RolePermissions:
    return RolePermissions(role=role, permissions=list(PERMISSIONS.of(role)))
