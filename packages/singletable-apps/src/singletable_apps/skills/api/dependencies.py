"""Dependencies of API handlers: the service, the account that is signed in, and the problems."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Depends, Path

from singletable_apps.shared.errors import AlreadyExists
from singletable_apps.shared.frame import AppProblems, current_service, signed_in_user
from singletable_apps.shared.web import ProblemType, Segment
from singletable_apps.skills.api.schemas import FIELD_NAMES
from singletable_apps.skills.entities import User
from singletable_apps.skills.rules import InUse
from singletable_apps.skills.service import SkillsService

Username: TypeAlias = Annotated[Segment, Path(description="A username, in any case.")]
SkillName: TypeAlias = Annotated[
    Segment, Path(description="A skill: its id, its name, or one of its aliases, in any spelling.")
]


Service: TypeAlias = Annotated[SkillsService, Depends(current_service)]
# The account that is signed in.
Actor: TypeAlias = Annotated[User, Depends(signed_in_user)]


EXISTS = ProblemType(
    "already-exists", 409, "Already exists", "This username, skill or alias is taken."
)
IN_USE = ProblemType("in-use", 409, "In use", "Others depend on this, so it cannot be deleted.")

PROBLEMS = AppProblems(
    {AlreadyExists: EXISTS, InUse: IN_USE}, field_name=lambda name, _: FIELD_NAMES.get(name, name)
)
