"""Dependencies of the API: the service, the poll id, and admin keys."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Depends, Path
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from singletable_apps.polls.api.problems import NO_ADMIN_KEY
from singletable_apps.polls.service import Polls
from singletable_apps.polls.urls import POLL_ID
from singletable_apps.shared.frame import current_service
from singletable_apps.shared.web import FieldError, Problem

PollId: TypeAlias = Annotated[
    str,
    Path(
        description="The id of the poll: eight letters and digits, or a UUID.",
        pattern=f"^(?:{POLL_ID})$",
        examples=["7K3MQX9T"],
    ),
]


Service: TypeAlias = Annotated[Polls, Depends(current_service)]

_ADMIN_KEY = HTTPBearer(
    scheme_name="admin key",
    description="The `adminKey` that you get when you create a poll.",
    auto_error=False,
)


async def _optional_admin_key(
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_ADMIN_KEY)],
) -> str | None:
    return credentials.credentials if credentials is not None else None


OptionalAdminKey: TypeAlias = Annotated[str | None, Depends(_optional_admin_key)]


async def _admin_key(key: OptionalAdminKey) -> str:
    if key is None:
        error = FieldError("Expected Bearer and the admin key of the poll.", header="Authorization")
        raise Problem(NO_ADMIN_KEY, errors=[error])
    return key


AdminKey: TypeAlias = Annotated[str, Depends(_admin_key)]
