"""Rules about people: roles, permissions, and changes to accounts."""

from __future__ import annotations

from singletable_apps.elections.entities import User
from singletable_apps.elections.errors import WrongState
from singletable_apps.elections.roles import PERMISSIONS, ROLES, Permission, Role, has_permission
from singletable_apps.elections.rules.names import quote
from singletable_apps.shared.permissions import NotPermitted, is_permitted


def check_permission(user: User, permission: Permission) -> None:
    """Raise NotPermitted unless the user's role has the permission."""
    PERMISSIONS.check(user.role, permission)


def is_ownership_transfer(actor: User, role: Role) -> bool:
    """Return whether giving this role away makes the actor an auditor: there is one owner."""
    return role is Role.OWNER and has_permission(actor.role, Permission.TRANSFER_OWNER)


def check_role_change(actor: User, target: User, role: Role) -> None:
    """Raise NotPermitted unless the actor may give the role to the target."""
    if not has_permission(actor.role, Permission.MANAGE_USERS):
        raise NotPermitted("Only administrators can change roles.")
    if _is_self(actor, target):
        if actor.role is Role.OWNER:
            raise NotPermitted(
                "You can’t change your own role. Make someone else the owner instead."
            )
        raise NotPermitted("You can’t change your own role. Ask someone with a higher role.")
    if is_ownership_transfer(actor, role):
        return
    if role.rank >= actor.role.rank:
        raise NotPermitted("You can only give roles below your own.")
    if target.role.rank >= actor.role.rank:
        raise NotPermitted(f"You can’t change the role of {_someone_above(target)}")


def allowed_roles(actor: User, target: User) -> tuple[Role, ...]:
    """Return the current role of the target and those that the actor may give to them."""
    return tuple(
        role
        for role in ROLES
        if role is target.role or is_permitted(check_role_change, actor, target, role)
    )


def check_edit_user(actor: User, target: User) -> None:
    """Raise NotPermitted unless the actor may change the target's name and e-mail address."""
    if _is_self(actor, target):
        if not has_permission(actor.role, Permission.USE_APPLICATION):
            raise NotPermitted(
                "Your account can’t change its name or e-mail address. Ask an administrator."
            )
    else:
        _check_above(actor, target, "edit")


def check_password_change(actor: User, target: User) -> None:
    """Raise NotPermitted unless it is the actor's own password."""
    if not _is_self(actor, target):
        raise NotPermitted(
            f"Only {quote(target.name)} can change this password. A forgotten password can be "
            "reset by e-mail."
        )


def check_view_user(actor: User, target: User) -> None:
    """Raise NotPermitted unless the actor may see the target's account and e-mail address."""
    if not _is_self(actor, target) and not has_permission(actor.role, Permission.MANAGE_USERS):
        raise NotPermitted("Only administrators can see other people’s accounts.")


def check_remove_user(actor: User, target: User, *, user_count: int, election_count: int) -> None:
    """Raise unless the actor may remove the target, and everything would still have an owner."""
    if not _is_self(actor, target):
        _check_above(actor, target, "remove")
    elif actor.role is Role.OWNER and (user_count > 1 or election_count > 0):
        raise WrongState(
            "You own this site, so you can’t delete your account yet. Make someone else the owner "
            "first, or remove all other people and elections."
        )
    if target.elections_owned > 0:
        owner = "You still own" if _is_self(actor, target) else f"{quote(target.name)} still owns"
        count = target.elections_owned
        what = (
            "1 election. Delete it or hand it"
            if count == 1
            else (f"{count:,} elections. Delete them or hand them")
        )
        raise WrongState(f"{owner} {what} over first.")


def _check_above(actor: User, target: User, verb: str) -> None:
    if not has_permission(actor.role, Permission.MANAGE_USERS):
        raise NotPermitted(f"Only administrators can {verb} other people’s accounts.")
    if target.role.rank >= actor.role.rank:
        raise NotPermitted(f"You can’t {verb} {_someone_above(target)}")


def _someone_above(target: User) -> str:
    if target.role is Role.OWNER:
        return f"{quote(target.name)}, who owns this site."
    return f"{quote(target.name)}, whose role isn’t below yours. Ask the owner of this site."


def _is_self(actor: User, target: User) -> bool:
    return actor.user_id == target.user_id
