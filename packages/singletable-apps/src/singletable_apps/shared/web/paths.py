"""Path segments that may contain a slash: `/polls/tea%2Fcoffee` is one poll."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeAlias, TypeVar

from fastapi import Path
from pydantic import BeforeValidator

# Servers decode %2F before routing, which would end the segment. Until then, a private-use code
# point stands for the slash; paths that contain it are rejected.
SLASH = "\U0010fffd"


def decode_segment(segment: str) -> str:
    """Return the name in a path segment."""
    return segment.replace(SLASH, "/")


# Put it last, as in Annotated[Name, in_segment], so that validation sees the decoded name.
in_segment = BeforeValidator(decode_segment)
Segment: TypeAlias = Annotated[str, in_segment]
# An ID in a path, which is short enough for a key of a table.
ItemId: TypeAlias = Annotated[str, Path(max_length=200), in_segment]


T = TypeVar("T")


def longest_prefix_value(path: str, by_prefix: Mapping[str, T]) -> T | None:
    """Return the value of the longest prefix of whole segments, or None if none matches."""
    matching = [prefix for prefix in by_prefix if _has_prefix(path, prefix.rstrip("/"))]
    return by_prefix[max(matching, key=len)] if matching else None


def _has_prefix(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith(f"{prefix}/")
