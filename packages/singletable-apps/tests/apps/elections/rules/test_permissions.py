"""Each role has exactly the permissions in the table below."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product

import pytest

from singletable_apps.elections.errors import WrongState
from singletable_apps.elections.roles import ROLES, Permission, Role
from singletable_apps.elections.rules.elections import check_create_election
from singletable_apps.elections.rules.users import (
    allowed_roles,
    check_edit_user,
    check_password_change,
    check_permission,
    check_remove_user,
    check_role_change,
    check_view_user,
    is_ownership_transfer,
)
from singletable_apps.shared.errors import RequestRejected
from singletable_apps.shared.permissions import NotPermitted
from tests.apps.elections.rules.factories import user
from tools.testing.cases import every

MAY = """
                  VIEW_APPLICATION VOTE USE_APPLICATION MANAGE_USERS VIEW_SECRETS TRANSFER_OWNER
        NO_ACCESS        -          -         -              -            -             -
        OBSERVER        yes         -         -              -            -             -
        VOTER           yes        yes        -              -            -             -
        USER            yes        yes       yes             -            -             -
        ADMIN           yes        yes       yes            yes           -             -
        AUDITOR         yes        yes       yes            yes          yes            -
        OWNER           yes        yes       yes            yes          yes           yes
"""
HEADER, *ROWS = (line.split() for line in MAY.strip().splitlines())
TABLE = {
    (Role(role), Permission(permission)): mark == "yes"
    for role, *marks in ROWS
    for permission, mark in zip(HEADER, marks, strict=True)
}

# Whom a role may give another role, and which: those that stand here. An owner may also give
# their own role away, to anybody.
BELOW = {
    Role.NO_ACCESS: "",
    Role.OBSERVER: "",
    Role.VOTER: "",
    Role.USER: "",
    Role.ADMIN: "NO_ACCESS OBSERVER VOTER USER",
    Role.AUDITOR: "NO_ACCESS OBSERVER VOTER USER ADMIN",
    Role.OWNER: "NO_ACCESS OBSERVER VOTER USER ADMIN AUDITOR",
}

every_role = pytest.mark.parametrize("role", ROLES)


def test_permission_table_covers_all_roles_and_permissions() -> None:
    assert set(TABLE) == set(product(Role, Permission))


@every(("role", "permission"), TABLE)
def test_role_has_exactly_the_permissions_in_the_table(role: Role, permission: Permission) -> None:
    assert _is_allowed(lambda: check_permission(user(role), permission)) is TABLE[role, permission]


@every_role
def test_creating_elections_needs_permission(role: Role) -> None:
    assert (
        _is_allowed(lambda: check_create_election(user(role)))
        is TABLE[role, Permission.USE_APPLICATION]
    )


@every(("mine", "theirs"), [*product(ROLES, ROLES)])
def test_role_changes_are_allowed_exactly_as_the_table_says(mine: Role, theirs: Role) -> None:
    below = BELOW[mine].split()
    for role in ROLES:
        transfers = mine is role is Role.OWNER
        allowed = transfers or (role in below and theirs in below)
        change = partial(check_role_change, user(mine), user(theirs, "ben"), role)
        assert _is_allowed(change) is allowed


@every(("mine", "role"), [*product(ROLES, ROLES)])
def test_own_role_cannot_change(mine: Role, role: Role) -> None:
    with pytest.raises(NotPermitted):
        check_role_change(user(mine), user(mine), role)


@every(("mine", "theirs"), [*product(ROLES, ROLES)])
def test_offered_roles_are_those_that_are_accepted(mine: Role, theirs: Role) -> None:
    actor, target = user(mine), user(theirs, "ben")
    chosen = allowed_roles(actor, target)
    assert theirs in chosen
    assert list(chosen) == sorted(chosen, key=ROLES.index)
    for role in set(ROLES) - {theirs}:
        allowed = _is_allowed(partial(check_role_change, actor, target, role))
        assert (role in chosen) is allowed


@every_role
def test_no_other_role_is_offered_for_oneself(role: Role) -> None:
    assert allowed_roles(user(role), user(role)) == (role,)


@every(("mine", "role"), [*product(ROLES, ROLES)])
def test_only_the_owner_transfers_ownership(mine: Role, role: Role) -> None:
    assert is_ownership_transfer(user(mine), role) is (mine is role is Role.OWNER)


@every(("mine", "theirs"), [*product(ROLES, ROLES)])
def test_managing_others_needs_a_higher_role(mine: Role, theirs: Role) -> None:
    actor, target = user(mine), user(theirs, "ben")
    above = theirs in BELOW[mine].split()
    assert _is_allowed(lambda: check_edit_user(actor, target)) is above
    assert (
        _is_allowed(lambda: check_remove_user(actor, target, user_count=2, election_count=0))
        is above
    )
    assert _is_allowed(lambda: check_view_user(actor, target)) is bool(BELOW[mine])
    assert not _is_allowed(lambda: check_password_change(actor, target))


@every_role
def test_users_manage_their_own_account(role: Role) -> None:
    me = user(role)
    assert _is_allowed(lambda: check_edit_user(me, me)) is TABLE[role, Permission.USE_APPLICATION]
    check_view_user(me, me)
    check_password_change(me, me)
    # A second reading of the same person, after a change, is the same person.
    check_password_change(me, user(Role.NO_ACCESS))


@every_role
@pytest.mark.parametrize("owned", [0, 1])
@pytest.mark.parametrize(("users", "elections"), [(1, 0), (2, 0), (1, 1), (9, 9)])
def test_site_owner_can_leave_only_as_the_last_user(
    role: Role, owned: int, users: int, elections: int
) -> None:
    me = user(role, owns=owned)
    alone = users == 1 and elections == 0
    allowed = owned == 0 and (alone or role is not Role.OWNER)

    def leave() -> None:
        check_remove_user(me, me, user_count=users, election_count=elections)

    if allowed:
        leave()
    else:
        with pytest.raises(WrongState):
            leave()


def _is_allowed(ask: Callable[[], None]) -> bool:
    try:
        ask()
    except RequestRejected:
        return False
    return True
