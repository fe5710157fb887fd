"""What is set for a part of the paths: by prefixes, of which the longest that fits counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

T = TypeVar("T")


def set_for(path: str, by_prefix: Mapping[str, T]) -> T | None:
    """What is set for the path; None if no prefix fits. A prefix ends where a segment does."""
    fitting = [prefix for prefix in by_prefix if _fits(path, prefix.rstrip("/"))]
    return by_prefix[max(fitting, key=len)] if fitting else None


def _fits(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith(f"{prefix}/")
