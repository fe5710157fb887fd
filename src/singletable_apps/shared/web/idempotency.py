"""The header Idempotency-Key: what somebody sends twice shall happen once."""

from __future__ import annotations

import re
from typing import Annotated, TypeAlias

from fastapi import Depends, Header

from singletable_apps.shared.web.kinds import IDEMPOTENCY_KEY
from singletable_apps.shared.web.problems import Fault, Problem

LONGEST = 200
VISIBLE = rf"^[!-~]{{1,{LONGEST}}}$"


def _key(
    idempotency_key: Annotated[
        str | None,
        Header(
            description="New for each thing that shall happen, the same when it is tried again."
        ),
    ] = None,
) -> str:
    if idempotency_key is None:
        fault = "It is missing."
    elif not re.fullmatch(VISIBLE, idempotency_key):
        fault = (
            f"Expected 1 to {LONGEST} visible ASCII characters, but got "
            f"{len(idempotency_key)} characters that are not all such."
        )
    else:
        return idempotency_key
    raise Problem(IDEMPOTENCY_KEY, errors=[Fault(fault, header="Idempotency-Key")])


IdempotencyKey: TypeAlias = Annotated[str, Depends(_key)]
