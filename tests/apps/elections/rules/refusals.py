"""What a refusal is to the test of them: what is asked, and all that is answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from singletable_apps.elections.errors import Refused


@dataclass(frozen=True)
class Refusal:
    """Something asked in vain."""

    ask: Callable[[], object]
    error: type[Refused]
    text: str
    field: str | None = None
