"""The header Idempotency-Key: what somebody sends twice shall happen once."""

from __future__ import annotations

import re
from typing import Annotated, TypeAlias

from fastapi import Depends, Header

from singletable_apps.shared.web.problems import IDEMPOTENCY_KEY, FieldError, Problem

LONGEST = 200
VISIBLE = rf"^[!-~]{{1,{LONGEST}}}$"


ABOUT = "New for each thing that shall happen, the same when it is tried again."


def _key(
    idempotency_key: Annotated[str | None, Header(description=ABOUT)] = None,
) -> str:
    if idempotency_key is None:
        raise _refused("It is missing.")
    return _checked(idempotency_key)


def _key_if_any(
    idempotency_key: Annotated[
        str | None,
        # That it says how it looks tells the description that it may be missing.
        Header(description=ABOUT, json_schema_extra={"pattern": VISIBLE}),
    ] = None,
) -> str | None:
    return None if idempotency_key is None else _checked(idempotency_key)


def _checked(key: str) -> str:
    if not re.fullmatch(VISIBLE, key):
        raise _refused(
            f"Expected 1 to {LONGEST} visible ASCII characters, but got "
            f"{len(key)} characters that are not all such."
        )
    return key


def _refused(fault: str) -> Problem:
    return Problem(IDEMPOTENCY_KEY, errors=[FieldError(fault, header="Idempotency-Key")])


IdempotencyKey: TypeAlias = Annotated[str, Depends(_key)]
IdempotencyKeyIfAny: TypeAlias = Annotated[str | None, Depends(_key_if_any)]
