"""Names with a slash as one segment of a path: `/polls/tea%2Fcoffee` is about one poll."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeAlias, TypeVar

from pydantic import BeforeValidator

# Servers decode %2F before routes are looked at, so a slash in a name would end its segment. It
# stands as a code point for private use until then, which no name contains.
SLASH = "\U0010fffd"


def decode_segment(segment: str) -> str:
    """The name that a segment of a decoded path is."""
    return segment.replace(SLASH, "/")


# Comes last, as in Annotated[Name, in_segment]: then the rules of names are about the name.
in_segment = BeforeValidator(decode_segment)
Segment: TypeAlias = Annotated[str, in_segment]


T = TypeVar("T")


def set_for(path: str, by_prefix: Mapping[str, T]) -> T | None:
    """What is set for the path; None if no prefix fits. A prefix ends where a segment does."""
    fitting = [prefix for prefix in by_prefix if _fits(path, prefix.rstrip("/"))]
    return by_prefix[max(fitting, key=len)] if fitting else None


def _fits(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith(f"{prefix}/")
