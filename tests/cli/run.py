"""The type of the fixture `run`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

# Returns exit code, stdout and stderr.
Run: TypeAlias = Callable[..., tuple[int, str, str]]
