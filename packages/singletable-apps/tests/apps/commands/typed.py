"""A command as it is typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

# Its exit code, output and errors.
Run: TypeAlias = Callable[..., tuple[int, str, str]]
# Commands of the app of that name.
RunOf: TypeAlias = Callable[[str], Run]
