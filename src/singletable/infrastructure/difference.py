"""A difference between a table as it is declared and as it stands, told in words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Change(Enum):
    """How DynamoDB gets from what stands to what is declared."""

    IN_PLACE = "can be changed in place"
    ONE_INDEX_AT_A_TIME = "can be changed in place, one index at a time"
    INDEX_ANEW = "the index must be removed and made anew"
    TABLE_ANEW = "needs a new table, and a copy of the items"


@dataclass(frozen=True, slots=True)
class Difference:
    """What is declared, what was found, and what to do about it."""

    table: str
    about: str
    declared: str
    found: str
    change: Change
    advice: str

    def __str__(self) -> str:
        return (
            f"{self.about}: declared is {self.declared}, and there is {self.found}. "
            f"This {_sentence(self.change)}. {self.advice}"
        )


def _sentence(change: Change) -> str:
    words = change.value
    return words if change is not Change.INDEX_ANEW else f"cannot be changed: {words}"
