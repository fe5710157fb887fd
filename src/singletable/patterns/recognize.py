"""Which pattern a call was: by its name if it was made by one, else by what it did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from singletable.patterns.pattern import Pattern, ReadPattern, ScanPattern, WritePattern
from singletable.store import CallShape, EntityAccess


def recognized(patterns: Mapping[str, Pattern], question: CallShape) -> Pattern | None:
    """The pattern that a question is a call of; None if none says so."""
    for pattern in patterns.values():
        if pattern.id in question.patterns:
            return pattern if _does_no_more(pattern, question) else None
    if not question.touches:
        return None
    if question.verb == "transaction":
        return _transaction(patterns.values(), question.touches)
    found = [_single(patterns.values(), touch) for touch in question.touches]
    if question.verb == "collect":
        return _collection(patterns.values(), question.touches)
    return found[0] if all(one is not None for one in found) else None


def _does_no_more(pattern: Pattern, question: CallShape) -> bool:
    """Whether a transaction that bears a pattern's name does what it says, or a part of it."""
    if not isinstance(pattern, WritePattern):
        return True
    return all(any(_fits(one, touch) for one in pattern.touches) for touch in question.touches)


def _single(patterns: Iterable[Pattern], touch: EntityAccess) -> Pattern | None:
    """The pattern of one touch; of several updates the one that names the fewest fields."""
    fitting = [
        pattern
        for pattern in patterns
        if len(pattern.touches) == 1 and _fits(pattern.touches[0], touch)
    ]
    if touch.kind != "update":
        return fitting[0] if fitting else None
    return min(fitting, key=lambda one: len(one.touches[0].edited) or 1_000_000, default=None)


def _collection(patterns: Iterable[Pattern], touches: tuple[EntityAccess, ...]) -> Pattern | None:
    for pattern in patterns:
        if isinstance(pattern, ReadPattern) and set(pattern.touches) == set(touches):
            return pattern
    return None


def _transaction(patterns: Iterable[Pattern], touches: tuple[EntityAccess, ...]) -> Pattern | None:
    """The pattern that does just this: every touch is one of its own, and none is missing."""
    for pattern in patterns:
        if not isinstance(pattern, WritePattern):
            continue
        covered = all(any(_fits(one, touch) for one in pattern.touches) for touch in touches)
        complete = all(any(_fits(one, touch) for touch in touches) for one in pattern.touches)
        if covered and complete:
            return pattern
    return None


def _fits(declared: EntityAccess, done: EntityAccess) -> bool:
    if declared.kind != "update" or done.kind != "update":
        return declared == done
    same = declared.entity is done.entity
    return same and (not declared.edited or done.edited <= declared.edited)


def is_reading_all(pattern: Pattern | None, question: CallShape) -> bool:
    """Whether a call scanned a table though no pattern says that it may."""
    scans = any(touch.kind == "scan" for touch in question.touches)
    return scans and not isinstance(pattern, ScanPattern)


def needs_pattern(question: CallShape) -> bool:
    """Whether a call is an access pattern at all: following the feed is not."""
    return any(touch.kind != "feed" for touch in question.touches)
