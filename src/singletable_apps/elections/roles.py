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
    Role.USER: "Member",
    Role.ADMIN: "Administrator",
    Role.AUDITOR: "Auditor",
    Role.OWNER: "Owner",
}


ROLE_DESCRIPTIONS: Mapping[Role, str] = {
    Role.NO_ACCESS: "Registered, and waiting for approval",
    Role.OBSERVER: "Sees elections and results",
    Role.VOTER: "Votes, and sees results",
    Role.USER: "Votes, and creates elections",
    Role.ADMIN: "Also manages people and all elections",
    Role.AUDITOR: "Also reads the audit log; sealed ballots stay sealed",
    Role.OWNER: "Full control; there is only one",
}
