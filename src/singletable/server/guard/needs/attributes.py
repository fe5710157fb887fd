"""Which attributes a request names: what it reads, writes, tests, or is keyed by.

Those that an answer shows are not among them. AWS sees it so too, which is why a policy about
attributes asks for `dynamodb:Select` and `dynamodb:ReturnValues` besides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from singletable.expressions import (
    Path,
    condition_paths,
    parse_condition,
    parse_key_condition,
    parse_projection,
    parse_update,
    update_paths,
)
from singletable.operations import WriteRequest
from singletable.server.guard.needs.need import Part
from singletable.server.guard.needs.placeholders import placeholders_of

# Fields that hold the attributes by name, and one that lists them.
_MAPS = (
    "item",
    "key",
    "exclusive_start_key",
    "expected",
    "attribute_updates",
    "key_conditions",
    "query_filter",
    "scan_filter",
)
_LIST = "attributes_to_get"


def attributes_of(part: Part) -> tuple[str, ...]:
    """The attributes, each once; ValidationError if an expression cannot be read."""
    named = _of_writes(part) if isinstance(part, tuple) else _of_request(part)
    return tuple(dict.fromkeys(named))


def _of_writes(writes: Iterable[WriteRequest]) -> Iterator[str]:
    for write in writes:
        if write.put_request is not None:
            yield from write.put_request.item or ()
        if write.delete_request is not None:
            yield from write.delete_request.key or ()


def _of_request(part: Part) -> Iterator[str]:
    for key in getattr(part, "keys", None) or ():
        yield from key
    for field in (*_MAPS, _LIST):
        yield from getattr(part, field, None) or ()
    yield from (str(path[0]) for path in _paths(part))


def _paths(part: Part) -> Iterator[Path]:
    """The paths in the request's expressions, in the order in which DynamoDB reads them."""
    placeholders = placeholders_of(part)
    text: str | None
    if (text := getattr(part, "key_condition_expression", None)) is not None:
        yield from ((clause.attribute,) for clause in parse_key_condition(text, placeholders))
    if (text := getattr(part, "filter_expression", None)) is not None:
        yield from condition_paths(parse_condition(text, placeholders, "FilterExpression"))
    if (text := getattr(part, "update_expression", None)) is not None:
        yield from update_paths(parse_update(text, placeholders))
    if (text := getattr(part, "condition_expression", None)) is not None:
        yield from condition_paths(parse_condition(text, placeholders))
    if (text := getattr(part, "projection_expression", None)) is not None:
        yield from parse_projection(text, placeholders)
