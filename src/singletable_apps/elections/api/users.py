"""Users: who there is, and what happens to names, addresses, roles and passwords."""

from __future__ import annotations

from fastapi import Response

from singletable_apps.elections.api.access import COOKIE, tokens
from singletable_apps.elections.api.asking import Service, SignedInUser, ThisApi, Viewer
from singletable_apps.elections.api.models.people import (
    Account,
    PasswordChange,
    RoleChange,
    Tokens,
    UserChanges,
)
from singletable_apps.elections.api.names import NameInPath
from singletable_apps.elections.api.refusals import TAKEN, WRONG_STATE, topic
from singletable_apps.elections.service.desk import still
from singletable_apps.shared.web import (
    NOT_ALLOWED,
    NOT_FOUND,
    NOT_SIGNED_IN,
    TOO_MANY,
    IfMatch,
    Page,
    Paging,
    etag,
    responses,
)

router = topic("users", NOT_SIGNED_IN, NOT_ALLOWED, TOO_MANY)


@router.get("/users")
def list_users(user: Viewer, elections: Service, page: Paging) -> Page[Account]:
    """Users by name, with the roles they may be given; for who manages users."""
    found, cursor = elections.queries.users(user, page.limit, page.cursor)
    return page.answer([Account.of(one.user, user) for one in found], cursor)


# Beside /users and not under it, for there may be a user who is called "names".
@router.get("/user-names")
def list_user_names(user: Viewer, elections: Service, page: Paging) -> Page[str]:
    """The names of users, for whoever sets up who may vote."""
    return page.answer(*elections.queries.user_names(user, page.limit, page.cursor))


@router.get("/users/{name}", responses=responses(NOT_FOUND))
def read_user(user: Viewer, elections: Service, name: NameInPath, response: Response) -> Account:
    """A user: oneself, or anybody for who manages users."""
    found = elections.queries.user(user, name).user
    response.headers["ETag"] = etag(found.revision)
    return Account.of(found, user)


@router.patch("/users/{name}", responses=responses(NOT_FOUND, TAKEN))
def edit_user(
    user: Viewer, elections: Service, name: NameInPath, sent: UserChanges, edit: IfMatch
) -> Account:
    """Another name, another e-mail address, or both; everything that bears the name follows."""
    said = sent.model_fields_set
    edited = elections.people.edit(
        user,
        name,
        name=sent.name if "name" in said else None,
        address=sent.email if "email" in said else None,
        basis=edit.check,
    )
    edit.answer(edited.revision)
    return Account.of(edited, edited if edited.user_id == user.user_id else user)


@router.delete("/users/{name}", status_code=204, responses=responses(NOT_FOUND, WRONG_STATE))
def remove_user(user: SignedInUser, elections: Service, name: NameInPath, edit: IfMatch) -> None:
    """Remove somebody: ballots in open elections go, those in closed ones lose the name."""
    elections.people.remove(user, name, edit.check)


@router.put("/users/{name}/role", responses=responses(NOT_FOUND))
def change_role(
    user: Viewer, elections: Service, name: NameInPath, sent: RoleChange, edit: IfMatch
) -> Account:
    """Another role. Who makes another the owner is an auditor then."""
    changed = elections.people.change_role(user, name, sent.role, edit.check)
    edit.answer(changed.revision)
    return Account.of(changed, still(elections.office.view, user))


@router.put("/users/{name}/password", responses={**responses(NOT_FOUND), 200: {"headers": COOKIE}})
def change_password(
    user: SignedInUser, name: NameInPath, sent: PasswordChange, response: Response, api: ThisApi
) -> Tokens:
    """Another password for oneself; every session ends, and a new one begins."""
    signed_in = api.elections.access.change_password(user, name, sent.current, sent.new)
    return tokens(response, api, signed_in)
