"""Each role has the permissions of the table, and no other; the table is written out here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product

import pytest

from singletable_apps.elections.errors import NotPermitted, Rejected, WrongState
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
    role_for_new_user,
)
from tests.apps.elections.rules.factories import user

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


def test_the_table_is_whole() -> None:
    assert set(TABLE) == set(product(Role, Permission))


@pytest.mark.parametrize(("role", "permission"), TABLE)
def test_a_role_may_what_the_table_says(role: Role, permission: Permission) -> None:
    assert _is_allowed(lambda: check_permission(user(role), permission)) is TABLE[role, permission]


@every_role
def test_who_may_use_the_application_may_create_elections(role: Role) -> None:
    assert (
        _is_allowed(lambda: check_create_election(user(role)))
        is TABLE[role, Permission.USE_APPLICATION]
    )


@pytest.mark.parametrize(("mine", "theirs"), [*product(ROLES, ROLES)])
def test_roles_are_given_as_the_table_says(mine: Role, theirs: Role) -> None:
    below = BELOW[mine].split()
    for role in ROLES:
        transfers = mine is role is Role.OWNER
        allowed = transfers or (role in below and theirs in below)
        change = partial(check_role_change, user(mine), user(theirs, "ben"), role)
        assert _is_allowed(change) is allowed


@pytest.mark.parametrize(("mine", "role"), [*product(ROLES, ROLES)])
def test_nobody_changes_their_own_role(mine: Role, role: Role) -> None:
    with pytest.raises(NotPermitted):
        check_role_change(user(mine), user(mine), role)


@pytest.mark.parametrize(("mine", "theirs"), [*product(ROLES, ROLES)])
def test_the_roles_to_choose_from_are_those_that_may_be_given(mine: Role, theirs: Role) -> None:
    actor, target = user(mine), user(theirs, "ben")
    chosen = allowed_roles(actor, target)
    assert theirs in chosen
    assert list(chosen) == sorted(chosen, key=ROLES.index)
    for role in set(ROLES) - {theirs}:
        allowed = _is_allowed(partial(check_role_change, actor, target, role))
        assert (role in chosen) is allowed


@every_role
def test_for_oneself_there_is_no_role_to_choose(role: Role) -> None:
    assert allowed_roles(user(role), user(role)) == (role,)


@pytest.mark.parametrize(("mine", "role"), [*product(ROLES, ROLES)])
def test_only_an_owner_gives_ownership_away(mine: Role, role: Role) -> None:
    assert is_ownership_transfer(user(mine), role) is (mine is role is Role.OWNER)


@pytest.mark.parametrize(("mine", "theirs"), [*product(ROLES, ROLES)])
def test_others_are_managed_from_above(mine: Role, theirs: Role) -> None:
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
def test_oneself_is_ones_own(role: Role) -> None:
    me = user(role)
    assert _is_allowed(lambda: check_edit_user(me, me)) is TABLE[role, Permission.USE_APPLICATION]
    check_view_user(me, me)
    check_password_change(me, me)
    # A second reading of the same person, after a change, is the same person.
    check_password_change(me, user(Role.NO_ACCESS))


@every_role
@pytest.mark.parametrize("owned", [0, 1])
@pytest.mark.parametrize(("users", "elections"), [(1, 0), (2, 0), (1, 1), (9, 9)])
def test_who_leaves_leaves_nothing_without_an_owner(
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


def test_who_owns_elections_is_not_removed() -> None:
    with pytest.raises(WrongState):
        check_remove_user(
            user(Role.OWNER), user(Role.USER, "ben", owns=1), user_count=2, election_count=1
        )


@pytest.mark.parametrize("default", ROLES[:-1])
def test_the_first_is_the_owner(default: Role) -> None:
    assert [role_for_new_user(count, default) for count in (0, 1, 2, 1_000)] == [
        Role.OWNER,
        *[default] * 3,
    ]


def _is_allowed(ask: Callable[[], None]) -> bool:
    try:
        ask()
    except Rejected:
        return False
    return True
