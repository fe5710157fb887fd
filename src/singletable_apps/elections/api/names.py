"""Names in paths and queries: as people write them, in the form in which they are kept."""

from __future__ import annotations

from typing import Annotated, TypeAlias
from unicodedata import normalize

from pydantic import AfterValidator, Field

from singletable_apps.elections.rules import MOST_BYTES, folded
from singletable_apps.shared.web import in_segment

LONGEST = 200


def _written(name: str) -> str:
    written = normalize("NFC", name)
    if len(folded(written).encode()) > MOST_BYTES:
        raise ValueError(f"Expected a name that takes at most {MOST_BYTES} bytes")
    return written


NameAsked: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=LONGEST), AfterValidator(_written)
]
NameInPath: TypeAlias = Annotated[NameAsked, in_segment]
