"""Handle Scan."""

from __future__ import annotations

from dataclasses import dataclass

from dynamodb_engine.engine.catalog import Session, Unfinished
from dynamodb_engine.engine.key_validation import check_scalar_keys
from dynamodb_engine.engine.legacy_parameters import parse_attributes_to_get, parse_filter
from dynamodb_engine.engine.query_execution import (
    PageRequest,
    check_all_attributes,
    check_select,
    find_index,
    read_page,
)
from dynamodb_engine.engine.query_range import (
    INVALID_START,
    check_start_key,
    check_start_key_attribute,
    check_start_key_size,
    encode_start_key,
)
from dynamodb_engine.engine.request_expressions import (
    SCAN_PARAMETERS,
    check_parameters,
    parse_expressions,
)
from dynamodb_engine.engine.table import Index, Table
from dynamodb_engine.engine.validation import SCAN
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.expressions import Condition, Projection, condition_paths
from dynamodb_engine.operations import PageOutput, Scan
from dynamodb_engine.values import Item

VALIDATOR = SCAN
HASH_COUNT = 2**32


@dataclass(frozen=True, slots=True)
class ScanPlan:
    """A scan with validated filter, projection and start key."""

    request: Scan
    filter: Condition | None
    projection: Projection | None
    start: Item | None


def check(request: Scan) -> ScanPlan:
    """Raise ValidationError if the request is invalid for every table."""
    check_parameters(request, SCAN_PARAMETERS)
    attributes = parse_attributes_to_get(request.attributes_to_get)
    legacy_filter = parse_filter(request.scan_filter, request.conditional_operator, SCAN)
    start = check_start_key(request.exclusive_start_key, SCAN)
    _check_segments(request.segment, request.total_segments)
    check_select(request)
    expressions = parse_expressions(request, SCAN)
    projection = attributes if expressions.projection is None else expressions.projection
    return ScanPlan(request, expressions.filter or legacy_filter, projection, start)


def _check_segments(segment: int | None, total: int | None) -> None:
    if segment is not None and total is None:
        raise ValidationError(
            "The TotalSegments parameter is required but was not present in the request when "
            "Segment parameter is present"
        )
    if segment is None and total is not None:
        raise ValidationError(
            "The Segment parameter is required but was not present in the request when parameter "
            "TotalSegments is present"
        )
    if segment is not None and total is not None and segment >= total:
        raise ValidationError(
            "The Segment parameter is zero-based and must be less than parameter TotalSegments"
        )


def run(plan: ScanPlan, session: Session) -> PageOutput | Unfinished[PageOutput]:
    """Return a page of all items, or of one segment, in the order of the partitions' hashes."""
    request = plan.request
    table = session.table(request.table_name)
    index = find_index(session, table, request)
    target: Table | Index = table if index is None else index
    if plan.start is not None:
        check_start_key_size(target, plan.start)
        for attribute in target.key.attributes:
            check_start_key_attribute(attribute, plan.start)
    check_all_attributes(index, request)
    low, high = _segment_bounds(request)
    start = None if plan.start is None else encode_start_key(table, target, plan.start)
    if start is not None and not (
        low <= start.partition and (high is None or start.partition < high)
    ):
        raise ValidationError(
            f"{INVALID_START}: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with "
            f"correct Segment. TotalSegments: {request.total_segments} Segment: {request.segment}"
        )
    check_scalar_keys(table, plan.projection or ())
    check_scalar_keys(table, condition_paths(plan.filter))
    page = PageRequest.from_request(request, table, index, plan.filter, plan.projection)
    return read_page(session, page, target.rows.scan_range(low, high, start))


def _segment_bounds(request: Scan) -> tuple[bytes, bytes | None]:
    """Return the partition bounds of the segment: an equal share of all hashes."""
    if request.segment is None or request.total_segments is None:
        return b"", None
    low = -(-request.segment * HASH_COUNT // request.total_segments)
    high = -(-(request.segment + 1) * HASH_COUNT // request.total_segments)
    return low.to_bytes(4, "big"), None if high >= HASH_COUNT else high.to_bytes(4, "big")
