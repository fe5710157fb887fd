"""Match a call to the pattern it belongs to: by the pattern's id, or else by what the call does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from singletable.patterns.pattern import Pattern, ReadPattern, ScanPattern, WritePattern
from singletable.patterns.requests import hydration
from singletable.store import CallShape, EntityAccess

# Effects that declare the fields they edit.
EDITS = ("update", "upsert")


def match_pattern(patterns: Mapping[str, Pattern], shape: CallShape) -> Pattern | None:
    """Return the declared pattern that matches this call, or None."""
    if shape.hydrates:
        patterns = {code: one for code, one in patterns.items() if hydration(one)}
    marked = [pattern for pattern in patterns.values() if pattern.id in shape.patterns]
    for pattern in marked:
        if isinstance(pattern, WritePattern):  # of a transaction
            return pattern if _covers(pattern.accesses, shape.accesses) else None
    if marked and all(_reads(marked, access) for access in shape.accesses):
        return marked[0]
    if not shape.accesses:
        return None
    # A key of a read pattern may select an item to write, which the pattern does not declare.
    if shape.method == "transaction":
        return _match_transaction(patterns.values(), shape.accesses)
    if shape.method == "bulk_load":
        return _match_load(patterns.values(), shape.accesses)
    if shape.method == "collect":
        return _match_collection(patterns.values(), shape.accesses)
    matches = [_match_access(patterns.values(), access) for access in shape.accesses]
    return matches[0] if all(match is not None for match in matches) else None


def is_undeclared_scan(pattern: Pattern | None, shape: CallShape) -> bool:
    """Return whether the call scanned a table without a scan pattern."""
    scans = any(access.kind == "scan" for access in shape.accesses)
    return scans and not isinstance(pattern, ScanPattern)


def needs_pattern(shape: CallShape) -> bool:
    """Return whether the call should match a pattern; reading the change feed need not."""
    return any(access.kind != "feed" for access in shape.accesses)


def _reads(marked: Iterable[Pattern], done: EntityAccess) -> bool:
    """Return whether a pattern that built a key of the call declares this read.

    The call may narrow the selection, and query the partition of a collection.
    """
    return any(
        declared.entity is done.entity
        and declared.key_name == done.key_name
        and (declared.kind == done.kind or (declared.kind, done.kind) == ("collect", "query"))
        for pattern in marked
        for declared in pattern.accesses
    )


def _match_access(patterns: Iterable[Pattern], access: EntityAccess) -> Pattern | None:
    matches = [
        pattern
        for pattern in patterns
        if len(pattern.accesses) == 1 and _matches(pattern.accesses[0], access)
    ]
    if access.kind not in EDITS:
        return matches[0] if matches else None
    # Several patterns may allow an update: the one that declares the fewest fields is meant.
    return min(
        matches,
        key=lambda pattern: len(pattern.accesses[0].edited_fields) or 1_000_000,
        default=None,
    )


def _match_collection(
    patterns: Iterable[Pattern], accesses: tuple[EntityAccess, ...]
) -> Pattern | None:
    for pattern in patterns:
        if isinstance(pattern, ReadPattern) and set(pattern.accesses) == set(accesses):
            return pattern
    return None


def _match_load(patterns: Iterable[Pattern], accesses: tuple[EntityAccess, ...]) -> Pattern | None:
    """Return the pattern that loads these entities; items of others may come later."""
    for pattern in patterns:
        if isinstance(pattern, WritePattern) and _covers(pattern.accesses, accesses):
            return pattern
    return None


def _match_transaction(
    patterns: Iterable[Pattern], accesses: tuple[EntityAccess, ...]
) -> Pattern | None:
    """Return the pattern that declares every access of a transaction, and no other."""
    for pattern in patterns:
        if not isinstance(pattern, WritePattern):
            continue
        complete = all(any(_matches(one, done) for done in accesses) for one in pattern.accesses)
        if complete and _covers(pattern.accesses, accesses):
            return pattern
    return None


def _covers(declared: Iterable[EntityAccess], accesses: Iterable[EntityAccess]) -> bool:
    return all(any(_matches(one, done) for one in declared) for done in accesses)


def _matches(declared: EntityAccess, done: EntityAccess) -> bool:
    if declared.kind not in EDITS or declared.kind != done.kind:
        return declared == done
    same_entity = declared.entity is done.entity
    return same_entity and (
        not declared.edited_fields or done.edited_fields <= declared.edited_fields
    )
