"""Every error of the skills directory.

SkillsError
├─ RequestRejected    nothing was changed, and the same request will be rejected again
│  ├─ NotFound        no such person, skill, job, team or import
│  ├─ InvalidInput    the input is not valid; `errors` has a sentence per field
│  ├─ InUse           people have the skill; merge it instead of deleting it
│  ├─ AlreadyExists   the username, skill or alias is taken; `errors` as above
│  └─ NotSignedIn     wrong password, or a session that has ended
└─ DirectoryBusy      too many concurrent writes; try again
"""

from __future__ import annotations

from collections.abc import Mapping

from singletable_apps.shared import accounts
from singletable_apps.shared.errors import AppError
from singletable_apps.shared.permissions import NotPermitted

__all__ = [
    "AlreadyExists",
    "DirectoryBusy",
    "InUse",
    "InvalidInput",
    "NotFound",
    "NotPermitted",
    "NotSignedIn",
    "RequestRejected",
    "SkillsError",
]


class SkillsError(AppError):
    """Base class of the errors of the skills directory, except NotPermitted of the toolkit."""


class RequestRejected(SkillsError):
    """The request was rejected and nothing was changed."""


class NotFound(RequestRejected):
    """There is no such person, skill, job, team or import."""


class InUse(RequestRejected):
    """This cannot be deleted while others depend on it."""


class InvalidInput(RequestRejected):
    """The input is not valid. `errors` has a sentence for each invalid field."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__(" ".join(errors.values()))
        self.errors = dict(errors)


class AlreadyExists(InvalidInput):
    """Someone has this username, or a skill has this name or alias."""


class NotSignedIn(RequestRejected, accounts.NotSignedIn):
    """The password is wrong, or the session has ended. `field` is the field at fault, if any."""


class DirectoryBusy(SkillsError):
    """Too many others are writing right now. Nothing was changed; try again."""
