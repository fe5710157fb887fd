"""What an operation's members must satisfy, and how AWS answers if they do not."""

from __future__ import annotations

from dataclasses import dataclass

from singletable.engine.constraints.shape import Struct
from singletable.engine.constraints.wording import Answer


@dataclass(frozen=True, slots=True)
class Rule:
    """One operation. `falls_back` if AWS has moved it to the newer checks (wording.py, rule 2)."""

    shape: Struct
    answers: tuple[Answer, ...]
    falls_back: bool = True
