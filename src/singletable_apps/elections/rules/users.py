"""Who may do what, and with whom: by roles, from the least to the greatest."""

from __future__ import annotations

from singletable_apps.elections.entities import User
from singletable_apps.elections.errors import InvalidInput, NotPermitted, WrongState
from singletable_apps.elections.roles import MINIMUM_ROLES, ROLES, Permission, Role, has_permission
from singletable_apps.elections.rules.names import quote


def check_permission(user: User, permission: Permission) -> None:
    """Refuse unless the user's role has the permission."""
    if has_permission(user.role, permission):
        return
    least = MINIMUM_ROLES[permission]
    who = f"{least} alone has" if least is ROLES[-1] else f"{least} and every greater one have"
    raise NotPermitted(
        f"This needs the permission {permission}, which the role {who}; the role of "
        f"{quote(user.name)} is {user.role}. {_ask_for_a_role(least)}"
    )


def is_ownership_transfer(actor: User, role: Role) -> bool:
    """Whether giving this role away makes the actor an auditor: there is one owner."""
    return role is Role.OWNER and has_permission(actor.role, Permission.TRANSFER_OWNER)


def check_role_change(actor: User, target: User, role: Role) -> None:
    """Refuse unless the actor may give the role to the target."""
    mine, theirs = actor.role, target.role
    if not has_permission(mine, Permission.MANAGE_USERS):
        least = MINIMUM_ROLES[Permission.MANAGE_USERS]
        raise NotPermitted(
            f"{quote(actor.name)} must have MANAGE_USERS permission to change roles: the role "
            f"{least} and every greater one have it, and theirs is {mine}. {_ask_for_a_role(least)}"
        )
    if _is_self(actor, target):
        raise NotPermitted(
            f"{quote(actor.name)} may not change role of self, which is {mine}. "
            f"{_ask_above(mine, f'Make another the {Role.OWNER} instead')}"
        )
    if is_ownership_transfer(actor, role):
        return
    if role.rank >= mine.rank:
        raise NotPermitted(
            f"{quote(actor.name)} may only assign lesser roles than their own, which is {mine}; "
            f"{role} is not less. Choose one of: {_below(mine)}."
        )
    if theirs.rank >= mine.rank:
        raise NotPermitted(
            f"{quote(actor.name)} may only modify users with lesser roles than their own, which "
            f"is {mine}; the role of {quote(target.name)} is {theirs}. {_ask_above(theirs)}"
        )


def allowed_roles(actor: User, target: User) -> tuple[Role, ...]:
    """The roles to choose from for the target: the present one, and what the actor may give."""
    return tuple(role for role in ROLES if role is target.role or _may_give(actor, target, role))


def check_edit_user(actor: User, target: User) -> None:
    """Refuse unless the actor may change the target's name and e-mail address."""
    if _is_self(actor, target):
        check_permission(actor, Permission.USE_APPLICATION)
    else:
        _check_above(actor, target, "edit")


def check_password_change(actor: User, target: User) -> None:
    """Refuse unless the password is the actor's own, whatever their role is."""
    if not _is_self(actor, target):
        raise NotPermitted(
            f"The password of {quote(target.name)} is theirs alone, and {quote(actor.name)} is "
            "another, of whatever role. Who has forgotten theirs asks for a mail to reset it."
        )


def check_view_user(actor: User, target: User) -> None:
    """Refuse unless the actor may see what is known of the target, the address included."""
    if not _is_self(actor, target):
        check_permission(actor, Permission.MANAGE_USERS)


def check_remove_user(actor: User, target: User, *, user_count: int, election_count: int) -> None:
    """Refuse unless the actor may remove the target, and nothing would be left without an owner."""
    if not _is_self(actor, target):
        _check_above(actor, target, "remove")
    elif actor.role is Role.OWNER and (user_count > 1 or election_count > 0):
        raise WrongState(
            f"{quote(actor.name)} is the {Role.OWNER}, who leaves last: there are {user_count:,} "
            f"users and {election_count:,} elections. Make another the {Role.OWNER} first, or "
            "remove all others and delete all elections."
        )
    if target.elections_owned > 0:
        raise WrongState(
            f"{quote(target.name)} owns elections, {target.elections_owned:,} of them, and cannot "
            "be removed. Delete them, or give them to another, first."
        )


def role_for_new_user(user_count: int, default: Role) -> Role:
    """The role of who registers: the first of all is the owner, whoever follows has the default."""
    if default is Role.OWNER:
        raise InvalidInput(
            f"The role of newcomers is {Role.OWNER}, and there is exactly one. Choose one of: "
            f"{_below(Role.OWNER)}.",
            field="role",
        )
    return Role.OWNER if user_count == 0 else default


def _check_above(actor: User, target: User, verb: str) -> None:
    check_permission(actor, Permission.MANAGE_USERS)
    if target.role.rank >= actor.role.rank:
        raise NotPermitted(
            f"{quote(actor.name)} may only {verb} users with lesser roles than their own, which "
            f"is {actor.role}; the role of {quote(target.name)} is {target.role}. "
            f"{_ask_above(target.role)}"
        )


def _may_give(actor: User, target: User, role: Role) -> bool:
    try:
        check_role_change(actor, target, role)
    except NotPermitted:
        return False
    return True


def _is_self(actor: User, target: User) -> bool:
    return actor.user_id == target.user_id


def _below(role: Role) -> str:
    return ", ".join(ROLES[: role.rank])


def _ask_above(role: Role, otherwise: str = "Nobody else may") -> str:
    if role is Role.OWNER:
        return f"{otherwise}."
    greater = ROLES[role.rank + 1]
    return f"Ask the {greater}." if greater is Role.OWNER else f"Ask an {greater} or above."


def _ask_for_a_role(least: Role) -> str:
    if least is Role.OWNER:
        return f"Ask the {Role.OWNER}."
    return "Ask somebody who manages users (ADMIN or above) for it."
