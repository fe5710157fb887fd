"""Parse the scale of a plan or a simulation: 10x, or the load of 10,000 users."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from singletable.errors import InvalidValue
from singletable.patterns import PatternCatalog

_FACTOR = re.compile(r"(\d[\d,]*\.?\d*)\s*[x×]")
_COUNT = re.compile(r"(\d[\d,]*)\s+(\w[\w ]*)")


def parse_scale(text: str, catalogs: Sequence[PatternCatalog]) -> float:
    """Return the factor of a scale: "10x", or a number of items such as "10,000 users".

    The number of items of an entity must be declared in `counts` of its catalog. All rates and
    counts grow in the same proportion.
    """
    if match := _FACTOR.fullmatch(text.strip()):
        return _positive(_number(match[1]), text)
    counts = {
        entity.__name__: count.items
        for catalog in catalogs
        for entity, count in catalog.counts.items()
        if count.items
    }
    match = _COUNT.fullmatch(text.strip())
    if match is None:
        example = next(iter(counts), "User")
        raise InvalidValue(
            f"{text!r}: expected a factor such as 10x, or a number of items such as "
            f"'10,000 {example}'.",
            "scale",
        )
    entity = match[2].replace(" ", "").casefold()
    for name, items in counts.items():
        one = name.casefold()
        if entity in (one, f"{one}s", f"{one}es", f"{one[:-1]}ies"):
            return _positive(_number(match[1]) / items, text)
    known = ", ".join(counts) or "none; declare them with PatternCatalog(…, counts={…})"
    raise InvalidValue(
        f"{text!r}: no entity {match[2]!r} has a declared count. Entities with counts: {known}. A "
        "factor such as 10x works without counts.",
        "scale",
    )


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _positive(factor: float, text: str) -> float:
    if not 0 < factor < math.inf:
        raise InvalidValue(f"{text!r}: expected a number greater than 0.", "scale")
    return factor
