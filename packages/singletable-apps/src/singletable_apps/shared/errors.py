"""The errors that all apps share. An app adds its own below them.

AppError              an expected error; a command prints just its message
├─ RequestRejected    nothing was changed, and the same request will be rejected again
│  ├─ NotFound        there is nothing like that
│  ├─ InvalidInput    the input is not valid; `errors` has a sentence per field
│  │  └─ AlreadyExists   the name or address is taken
│  ├─ NotSignedIn     wrong password, or a session that has ended (`shared.accounts`)
│  └─ NotPermitted    the user may not do this (`shared.permissions`)
└─ Busy               too many concurrent writes; try again

`AppProblems` of `shared.frame` says which of them is which problem.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar


class AppError(Exception):
    """An expected error. Its message says what to do; a command prints just the message."""


class RequestRejected(AppError):
    """Nothing was changed. `field` names the value at fault, if any."""

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class NotFound(RequestRejected):
    """The item does not exist, or the user may not know that it does."""


class InvalidInput(RequestRejected):
    """The input is not valid. `errors` has a sentence for each invalid field."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__(" ".join(errors.values()), field=next(iter(errors), None))
        self.errors = dict(errors)


class AlreadyExists(InvalidInput):
    """Someone or something else has this name or address."""


class Busy(AppError):
    """Too many others are writing right now. Nothing was changed; try again after some seconds."""

    retry_after: ClassVar[int] = 1
