"""Permissions of ranked roles: each role has those of the roles below it."""

from __future__ import annotations

from enum import StrEnum

import pytest

from singletable_apps.shared.permissions import NotPermitted, Permissions, is_permitted


class Role(StrEnum):
    READER = "reader"
    EDITOR = "editor"
    OWNER = "owner"


class Permission(StrEnum):
    READ = "read"
    EDIT = "edit"
    DELETE = "delete"


REQUIREMENTS = {
    Permission.READ: (Role.READER, "Sign in."),
    Permission.EDIT: (Role.EDITOR, "Only editors can edit."),
    Permission.DELETE: (Role.OWNER, "Only owners can delete."),
}
permissions = Permissions(Role, REQUIREMENTS)


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        (Role.READER, (Permission.READ,)),
        (Role.EDITOR, (Permission.READ, Permission.EDIT)),
        (Role.OWNER, tuple(Permission)),
    ],
)
def test_role_has_its_permissions_and_those_of_lower_roles(
    role: Role, expected: tuple[Permission, ...]
) -> None:
    assert permissions.of(role) == expected
    for permission in Permission:
        assert permissions.allows(role, permission) == (permission in expected)
        assert (role in permissions.roles_with(permission)) == (permission in expected)
        assert is_permitted(permissions.check, role, permission) == (permission in expected)


def test_check_raises_with_the_message_of_the_permission() -> None:
    with pytest.raises(NotPermitted, match=REQUIREMENTS[Permission.EDIT][1]):
        permissions.check(Role.READER, Permission.EDIT)


def test_is_permitted_passes_other_errors_on() -> None:
    def check(number: int, *, divisor: int) -> None:
        assert number // divisor

    assert is_permitted(check, 1, divisor=1)
    with pytest.raises(ZeroDivisionError):
        is_permitted(check, 1, divisor=0)
