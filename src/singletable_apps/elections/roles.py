"""Seven roles, six permissions, and which role has which."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Role(StrEnum):
    """What somebody is here, from least to most."""

    NO_ACCESS = "NO_ACCESS"
    OBSERVER = "OBSERVER"
    VOTER = "VOTER"
    USER = "USER"
    ADMIN = "ADMIN"
    AUDITOR = "AUDITOR"
    OWNER = "OWNER"

    @property
    def rank(self) -> int:
        """Its place among the roles."""
        return ROLES.index(self)


class Permission(StrEnum):
    """What somebody may do here."""

    VIEW_APPLICATION = "VIEW_APPLICATION"
    VOTE = "VOTE"
    USE_APPLICATION = "USE_APPLICATION"
    MANAGE_USERS = "MANAGE_USERS"
    VIEW_SECRETS = "VIEW_SECRETS"
    TRANSFER_OWNER = "TRANSFER_OWNER"


ROLES = tuple(Role)

# The least role that has a permission; every greater one has it too.
MINIMUM_ROLES: dict[Permission, Role] = {
    Permission.VIEW_APPLICATION: Role.OBSERVER,
    Permission.VOTE: Role.VOTER,
    Permission.USE_APPLICATION: Role.USER,
    Permission.MANAGE_USERS: Role.ADMIN,
    Permission.VIEW_SECRETS: Role.AUDITOR,
    Permission.TRANSFER_OWNER: Role.OWNER,
}


def has_permission(role: Role, permission: Permission) -> bool:
    """Whether the role has the permission."""
    return role.rank >= MINIMUM_ROLES[permission].rank


def permissions_of(role: Role) -> tuple[Permission, ...]:
    """What the role may do."""
    return tuple(permission for permission in Permission if has_permission(role, permission))


ROLE_NAMES: Mapping[Role, str] = {
    Role.NO_ACCESS: "No access",
    Role.OBSERVER: "Observer",
    Role.VOTER: "Voter",
    Role.USER: "User",
    Role.ADMIN: "Administrator",
    Role.AUDITOR: "Auditor",
    Role.OWNER: "Owner",
}


ROLE_DESCRIPTIONS: Mapping[Role, str] = {
    Role.NO_ACCESS: "Has registered, and waits to be let in.",
    Role.OBSERVER: "Looks at elections and their results.",
    Role.VOTER: "Votes, and looks at results.",
    Role.USER: "Votes, and holds elections of their own.",
    Role.ADMIN: "Also manages people with lesser roles, and moderates elections.",
    Role.AUDITOR: "Also reads the whole log; sealed ballots stay sealed.",
    Role.OWNER: "Does everything here, and is the only one.",
}
