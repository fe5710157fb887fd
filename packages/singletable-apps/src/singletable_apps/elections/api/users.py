"""Users: list, edit and remove them; roles, permissions, and your own account."""

from __future__ import annotations

from fastapi import Request, Response

from singletable_apps.elections.api import schemas
from singletable_apps.elections.api.auth import COOKIE, tokens
from singletable_apps.elections.api.dependencies import Service, SignedInUser, Viewer
from singletable_apps.elections.roles import Permission, has_permission
from singletable_apps.elections.service.context import reload_user
from singletable_apps.elections.web import TAKEN, WRONG_STATE, NameInPath
from singletable_apps.shared import web
from singletable_apps.shared.accounts import SensitiveAction
from singletable_apps.shared.frame import Recent
from singletable_apps.shared.web import NOT_ALLOWED, NOT_FOUND, IfMatch, Page, Pagination, responses

router = web.api_router("users", *web.SIGNED_IN)


@router.get("/users")
def list_users(user: Viewer, service: Service, page: Pagination) -> Page[schemas.Account]:
    """List users by name, with the roles you can give them. For administrators."""
    found = service.people.list_people(user, limit=page.limit, cursor=page.cursor)
    return page.answer([schemas.Account.of(one, user) for one in found.items], found.cursor)


# Not below /users: a user may be called "names".
@router.get("/user-names")
def list_user_names(user: Viewer, service: Service, page: Pagination) -> Page[str]:
    """List user names, to choose voters from."""
    return page.answer(*service.queries.user_names(user, page.limit, page.cursor))


@router.get("/users/{name}", responses={**responses(NOT_FOUND), **web.TAGGED})
def read_user(
    user: Viewer, service: Service, name: NameInPath, response: Response
) -> schemas.Account:
    """Return a user: yourself, or anyone if you are an administrator."""
    found = service.people.get_person(user, name)
    response.headers["ETag"] = web.etag(found.revision)
    return schemas.Account.of(found, user)


@router.patch("/users/{name}", responses=responses(NOT_FOUND, TAKEN))
def edit_user(
    user: Viewer,
    service: Service,
    name: NameInPath,
    sent: schemas.UserChanges,
    edit: IfMatch,
    recent: Recent,
) -> schemas.Account:
    """Change the name, the e-mail address, or both. Elections and ballots follow the new name.

    A new address takes effect when its owner opens the link in the e-mail to it, so the response
    has the old one. Changing it requires a sign-in within the last five minutes.
    """
    if "email" in sent.model_fields_set:
        recent(SensitiveAction.CHANGE_EMAIL)
    edited = service.people.edit_person(
        user, name, name=sent.name, email=sent.email, check=edit.check
    )
    edit.answer(edited.revision)
    return schemas.Account.of(edited, edited if edited.user_id == user.user_id else user)


@router.delete("/users/{name}", status_code=204, responses=responses(NOT_FOUND, WRONG_STATE))
def remove_user(
    user: SignedInUser, service: Service, name: NameInPath, edit: IfMatch, recent: Recent
) -> None:
    """Remove a user. Ballots in open elections are deleted; those in closed ones lose the name.

    This requires a sign-in within the last five minutes.
    """
    recent(SensitiveAction.DELETE_ACCOUNT)
    service.people.remove(user, name, edit.check)


@router.put("/users/{name}/role", responses=responses(NOT_FOUND))
def change_role(
    user: Viewer,
    service: Service,
    name: NameInPath,
    sent: schemas.RoleChange,
    edit: IfMatch,
    recent: Recent,
) -> schemas.Account:
    """Change a role. Making someone else the owner makes you an auditor.

    Granting a role that manages users requires a sign-in within the last five minutes.
    """
    if has_permission(sent.role, Permission.MANAGE_USERS):
        recent(SensitiveAction.GIVE_CONTROL)
    changed = service.people.change_role(user, name, sent.role, edit.check)
    edit.answer(changed.revision)
    return schemas.Account.of(changed, reload_user(service.context.read, user))


me_router = web.api_router("account", web.NOT_SIGNED_IN, web.TOO_MANY_REQUESTS)


@me_router.get("/me", responses={**responses(NOT_ALLOWED), **web.TAGGED})
def read_me(user: Viewer, response: Response) -> schemas.Account:
    """Return your account."""
    response.headers["ETag"] = web.etag(user.revision)
    return schemas.Account.of(user, user)


# Here, because no personal token may change the account.
@me_router.put(
    "/users/{name}/password",
    responses={**responses(NOT_ALLOWED, NOT_FOUND), 200: {"headers": COOKIE}},
)
def change_password(
    user: SignedInUser,
    name: NameInPath,
    sent: schemas.PasswordChange,
    request: Request,
    service: Service,
) -> schemas.Tokens:
    """Change your password. All sessions end, and a new one begins."""
    signed_in = service.auth.change_password(user, name, sent.current, sent.new)
    return tokens(request, service, signed_in)
