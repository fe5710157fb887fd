"""Names of attributes and indexes that say nothing: `PK`, `GSI1SK`, `GSI-1`."""

from __future__ import annotations

import re

_ATTRIBUTE = re.compile(
    r"_*((g|l)si|data|index|idx|sort|partition|hash|range)?[_-]?\d*[_-]?"
    r"(pk|sk|hk|rk|hash|range|key|partition|sort|partition_?key|sort_?key|data)[_-]?\d*",
    re.IGNORECASE,
)
_INDEX = re.compile(r"_*((g|l)si|index|idx|inverted|reverse)?([_-]?index)?[_-]?\d*", re.IGNORECASE)


def is_generic(attribute: str) -> bool:
    """Whether the name of a key attribute says nothing of what it holds."""
    return _ATTRIBUTE.fullmatch(attribute) is not None


def is_generic_index(name: str) -> bool:
    """Whether the name of an index says nothing of what it is for."""
    return _INDEX.fullmatch(name) is not None
