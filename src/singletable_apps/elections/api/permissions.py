"""What each role may do."""

from __future__ import annotations

from singletable_apps.elections.api.asking import Viewer
from singletable_apps.elections.api.models.people import RolePermissions
from singletable_apps.elections.api.refusals import topic
from singletable_apps.elections.roles import ROLES, Role, permissions_of
from singletable_apps.shared.web import NOT_ALLOWED, NOT_SIGNED_IN, TOO_MANY

router = topic("permissions", NOT_SIGNED_IN, NOT_ALLOWED, TOO_MANY)


@router.get("/permissions")
def list_permissions(_: Viewer) -> list[RolePermissions]:
    """All roles, from the least, and what each may do."""
    return [_of(role) for role in ROLES]


@router.get("/permissions/{role}")
def read_permissions(_: Viewer, role: Role) -> RolePermissions:
    """What a role may do."""
    return _of(role)


def _of(role: Role) -> RolePermissions:
    return RolePermissions(role=role, permissions=list(permissions_of(role)))
