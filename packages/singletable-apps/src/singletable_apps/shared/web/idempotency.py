"""The Idempotency-Key header: a retried request takes effect once."""

from __future__ import annotations

import re
from typing import Annotated, TypeAlias

from fastapi import Depends, Header

from singletable_apps.shared.web.problems import IDEMPOTENCY_KEY, FieldError, Problem

MAX_LENGTH = 200
VISIBLE = rf"^[!-~]{{1,{MAX_LENGTH}}}$"


_DESCRIPTION = "A new value for each action, and the same one when you retry."


async def _key(
    idempotency_key: Annotated[str | None, Header(description=_DESCRIPTION)] = None,
) -> str:
    if idempotency_key is None:
        raise _invalid("The header is missing.")
    return _check(idempotency_key)


async def _key_if_any(
    idempotency_key: Annotated[
        str | None,
        # The pattern marks the header as optional in the OpenAPI document.
        Header(description=_DESCRIPTION, json_schema_extra={"pattern": VISIBLE}),
    ] = None,
) -> str | None:
    return None if idempotency_key is None else _check(idempotency_key)


def _check(key: str) -> str:
    if not re.fullmatch(VISIBLE, key):
        raise _invalid(
            f"Expected 1 to {MAX_LENGTH} visible ASCII characters, but got "
            f"{len(key)} characters, some of them invalid."
        )
    return key


def _invalid(detail: str) -> Problem:
    return Problem(IDEMPOTENCY_KEY, errors=[FieldError(detail, header="Idempotency-Key")])


IdempotencyKey: TypeAlias = Annotated[str, Depends(_key)]
IdempotencyKeyIfAny: TypeAlias = Annotated[str | None, Depends(_key_if_any)]
