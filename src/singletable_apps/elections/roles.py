"""Seven roles, six permissions, and which role has which."""

from __future__ import annotations

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
LEAST: dict[Permission, Role] = {
    Permission.VIEW_APPLICATION: Role.OBSERVER,
    Permission.VOTE: Role.VOTER,
    Permission.USE_APPLICATION: Role.USER,
    Permission.MANAGE_USERS: Role.ADMIN,
    Permission.VIEW_SECRETS: Role.AUDITOR,
    Permission.TRANSFER_OWNER: Role.OWNER,
}


def has(role: Role, permission: Permission) -> bool:
    """Whether the role has the permission."""
    return role.rank >= LEAST[permission].rank


def permissions_of(role: Role) -> tuple[Permission, ...]:
    """What the role may do."""
    return tuple(permission for permission in Permission if has(role, permission))
