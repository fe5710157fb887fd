"""What people are refused for their role, or another's, and the words."""

from __future__ import annotations

from singletable_apps.elections.errors import InvalidInput, NotPermitted, WrongState
from singletable_apps.elections.roles import Permission, Role
from singletable_apps.elections.rules.users import (
    check_edit_user,
    check_password_change,
    check_permission,
    check_remove_user,
    check_role_change,
    check_view_user,
    role_for_new_user,
)
from tests.apps.elections.rules.refusals import Refusal
from tests.apps.elections.rules.samples import user


def _no_role(mine: Role, theirs: Role, role: Role, why: str, *, to: str = "ben") -> Refusal:
    return Refusal(lambda: check_role_change(user(mine), user(theirs, to), role), NotPermitted, why)


_ASK = "Ask somebody who manages users (ADMIN or above) for it."

REFUSALS = [
    Refusal(
        lambda: check_permission(user(Role.OBSERVER), Permission.VOTE),
        NotPermitted,
        "This needs the permission VOTE, which the role VOTER and every greater one have; the "
        f"role of 'ada' is OBSERVER. {_ASK}",
    ),
    Refusal(
        lambda: check_permission(user(Role.AUDITOR), Permission.TRANSFER_OWNER),
        NotPermitted,
        "This needs the permission TRANSFER_OWNER, which the role OWNER alone has; the role of "
        "'ada' is AUDITOR. Ask the OWNER.",
    ),
    _no_role(
        Role.USER,
        Role.VOTER,
        Role.OBSERVER,
        "'ada' must have MANAGE_USERS permission to change roles: the role ADMIN and every "
        f"greater one have it, and theirs is USER. {_ASK}",
    ),
    _no_role(
        Role.ADMIN,
        Role.ADMIN,
        Role.USER,
        "'ada' may not change role of self, which is ADMIN. Ask an AUDITOR or above.",
        to="ada",
    ),
    _no_role(
        Role.OWNER,
        Role.OWNER,
        Role.OWNER,
        "'ada' may not change role of self, which is OWNER. Make another the OWNER instead.",
        to="ada",
    ),
    _no_role(
        Role.ADMIN,
        Role.VOTER,
        Role.ADMIN,
        "'ada' may only assign lesser roles than their own, which is ADMIN; ADMIN is not less. "
        "Choose one of: NO_ACCESS, OBSERVER, VOTER, USER.",
    ),
    _no_role(
        Role.ADMIN,
        Role.AUDITOR,
        Role.USER,
        "'ada' may only modify users with lesser roles than their own, which is ADMIN; the role "
        "of 'ben' is AUDITOR. Ask the OWNER.",
    ),
    _no_role(
        Role.AUDITOR,
        Role.OWNER,
        Role.USER,
        "'ada' may only modify users with lesser roles than their own, which is AUDITOR; the role "
        "of 'ben' is OWNER. Nobody else may.",
    ),
    Refusal(
        lambda: check_edit_user(user(Role.ADMIN), user(Role.ADMIN, "ben")),
        NotPermitted,
        "'ada' may only edit users with lesser roles than their own, which is ADMIN; the role of "
        "'ben' is ADMIN. Ask an AUDITOR or above.",
    ),
    Refusal(
        lambda: check_edit_user(user(Role.VOTER), user(Role.VOTER)),
        NotPermitted,
        "This needs the permission USE_APPLICATION, which the role USER and every greater one "
        f"have; the role of 'ada' is VOTER. {_ASK}",
    ),
    Refusal(
        lambda: check_view_user(user(Role.USER), user(Role.VOTER, "ben")),
        NotPermitted,
        "This needs the permission MANAGE_USERS, which the role ADMIN and every greater one have; "
        f"the role of 'ada' is USER. {_ASK}",
    ),
    Refusal(
        lambda: check_password_change(user(Role.OWNER), user(Role.VOTER, "ben")),
        NotPermitted,
        "The password of 'ben' is theirs alone, and 'ada' is another, of whatever role. Who has "
        "forgotten theirs asks for a mail to reset it.",
    ),
    Refusal(
        lambda: check_remove_user(
            user(Role.OWNER), user(Role.OWNER), user_count=1_200, election_count=0
        ),
        WrongState,
        "'ada' is the OWNER, who leaves last: there are 1,200 users and 0 elections. Make another "
        "the OWNER first, or remove all others and delete all elections.",
    ),
    Refusal(
        lambda: check_remove_user(
            user(Role.ADMIN), user(Role.USER, "ben", owns=2), user_count=3, election_count=2
        ),
        WrongState,
        "'ben' owns elections, 2 of them, and cannot be removed. Delete them, or give them to "
        "another, first.",
    ),
    Refusal(
        lambda: role_for_new_user(0, Role.OWNER),
        InvalidInput,
        "The role of newcomers is OWNER, and there is exactly one. Choose one of: NO_ACCESS, "
        "OBSERVER, VOTER, USER, ADMIN, AUDITOR.",
        "role",
    ),
]
