"""What a refusal is to the test of them: what is asked, and all that is answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from singletable_apps.elections.errors import Rejected


@dataclass(frozen=True)
class Refusal:
    """Something asked in vain."""

    ask: Callable[[], object]
    error: type[Rejected]
    text: str
    field: str | None = None
