"""What the objects of elections are made of beside what all apps share: names and passwords."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

LONGEST = 200

Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=LONGEST)]
# What somebody sends as a password; whether it is good enough the service says.
Password: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=LONGEST, json_schema_extra={"format": "password"})
]
