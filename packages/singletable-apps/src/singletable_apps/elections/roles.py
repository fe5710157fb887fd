"""Roles and permissions, and the names that people see for roles."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from singletable_apps.shared.permissions import Permissions


class Role(StrEnum):
    """The role of a user, from the fewest permissions to the most."""

    NO_ACCESS = "NO_ACCESS"
    OBSERVER = "OBSERVER"
    VOTER = "VOTER"
    USER = "USER"
    ADMIN = "ADMIN"
    AUDITOR = "AUDITOR"
    OWNER = "OWNER"

    @property
    def rank(self) -> int:
        """Return the position among the roles, from 0."""
        return ROLES.index(self)


class Permission(StrEnum):
    """What a role allows."""

    VIEW_APPLICATION = "VIEW_APPLICATION"
    VOTE = "VOTE"
    USE_APPLICATION = "USE_APPLICATION"
    MANAGE_USERS = "MANAGE_USERS"
    VIEW_SECRETS = "VIEW_SECRETS"
    TRANSFER_OWNER = "TRANSFER_OWNER"


ROLES = tuple(Role)

PERMISSIONS = Permissions(
    Role,
    {
        Permission.VIEW_APPLICATION: (
            Role.OBSERVER,
            "Your account has no access yet. Ask an administrator.",
        ),
        Permission.VOTE: (Role.VOTER, "Your account can’t vote. Ask an administrator."),
        Permission.USE_APPLICATION: (
            Role.USER,
            "Your account can’t manage elections. Ask an administrator.",
        ),
        Permission.MANAGE_USERS: (Role.ADMIN, "Only administrators can do this."),
        Permission.VIEW_SECRETS: (
            Role.AUDITOR,
            "Only auditors can see this. Ask an administrator.",
        ),
        Permission.TRANSFER_OWNER: (Role.OWNER, "Only the owner of this site can do this."),
    },
)
has_permission = PERMISSIONS.allows

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
