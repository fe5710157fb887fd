"""Permissions of ranked roles, and checks that double as predicates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Generic, ParamSpec, TypeVar

from singletable_apps.shared.errors import RequestRejected

R = TypeVar("R", bound=Enum)
P = TypeVar("P", bound=Enum)
Args = ParamSpec("Args")


class NotPermitted(RequestRejected):
    """The user may not do this."""


class Permissions(Generic[R, P]):
    """What roles may do. A role has all permissions of the roles below it.

    `roles` is an enumeration, lowest role first. `requirements` has the lowest role that has a
    permission, and what to tell people without it.
    """

    def __init__(self, roles: type[R], requirements: Mapping[P, tuple[R, str]]) -> None:
        self._ranks = {role: rank for rank, role in enumerate(roles)}
        self._requirements = requirements

    def allows(self, role: R, permission: P) -> bool:
        """Return whether the role has the permission."""
        minimum, _ = self._requirements[permission]
        return self._ranks[role] >= self._ranks[minimum]

    def check(self, role: R, permission: P) -> None:
        """Raise an error that says what is missing, unless the role has the permission."""
        if not self.allows(role, permission):
            raise NotPermitted(self._requirements[permission][1])

    def of(self, role: R) -> tuple[P, ...]:
        """Return the permissions of a role."""
        return tuple(entry for entry in self._requirements if self.allows(role, entry))

    def roles_with(self, permission: P) -> tuple[R, ...]:
        """Return the roles that have a permission."""
        return tuple(role for role in self._ranks if self.allows(role, permission))


def is_permitted(check: Callable[Args, object], *args: Args.args, **kwargs: Args.kwargs) -> bool:
    """Return whether a check passes, so that a page shows only the buttons that work."""
    try:
        check(*args, **kwargs)
    except NotPermitted:
        return False
    return True
