"""What a query or scan gives of each item: Select, projections, and what an index holds."""

from __future__ import annotations

from dataclasses import dataclass

from singletable.engine.dialect import ENVELOPE
from singletable.engine.session import Session
from singletable.engine.table import Index, Table
from singletable.errors import ValidationError
from singletable.expressions import Condition, Projection, condition_paths
from singletable.operations import Query, Scan
from singletable.values import INVALID


def check_select(request: Query | Scan) -> None:
    """Raise if Select and the projection contradict each other."""
    select = request.select
    given = (
        "ProjectionExpression"
        if request.projection_expression is not None
        else "AttributesToGet"
        if request.attributes_to_get is not None
        else None
    )
    if given is not None and select not in (None, "SPECIFIC_ATTRIBUTES"):
        what = "only the Count" if select == "COUNT" else select
        raise ValidationError(f"{ENVELOPE}Cannot specify the {given} when choosing to get {what}")
    if given is None and select == "SPECIFIC_ATTRIBUTES":
        raise ValidationError(
            f"{ENVELOPE}Must specify the AttributesToGet or ProjectionExpression when choosing to "
            "get SPECIFIC_ATTRIBUTES"
        )
    if select == "ALL_PROJECTED_ATTRIBUTES" and request.index_name is None:
        raise ValidationError(
            f"{ENVELOPE}ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"
        )


def index_named(session: Session, table: Table, request: Query | Scan) -> Index | None:
    """The index that the request names; ValidationError if it cannot be read so."""
    if request.index_name is None:
        return None
    for index in table.indexes:
        if index.name == request.index_name:
            break
    else:
        raise ValidationError(f"The table does not have the specified index: {request.index_name}")
    if index.is_global and request.consistent_read:
        raise ValidationError("Consistent reads are not supported on global secondary indexes")
    if index.record.created_by > session.now:
        raise ValidationError(
            f"Cannot read from backfilling global secondary index: {request.index_name}"
        )
    return index


@dataclass(frozen=True, slots=True)
class Selection:
    """What is given of each item."""

    projection: Projection | None
    fetch: bool


def check_all_attributes(index: Index | None, request: Query | Scan) -> None:
    """Raise if everything is asked of a global index that does not hold everything."""
    if index is None or not index.is_global or index.projected is None:
        return
    if request.select == "ALL_ATTRIBUTES":
        raise ValidationError(
            f"{INVALID}Select type ALL_ATTRIBUTES is not supported for global secondary index "
            f"{index.name} because its projection type is not ALL"
        )


def select_from(
    index: Index | None,
    request: Query | Scan,
    projection: Projection | None,
    condition: Condition | None,
) -> Selection:
    """What is given of each item; ValidationError if the index does not hold it."""
    if index is None or index.projected is None:
        return Selection(projection, fetch=False)
    missing = _unprojected(index, projection or ())
    if missing and index.is_global:
        raise ValidationError(
            f"{INVALID}Global secondary index {index.name} does not project [{', '.join(missing)}]"
        )
    if isinstance(request, Query) and condition is not None:
        unknown = _unprojected(index, condition_paths(condition))
        if unknown:
            raise ValidationError(
                f"{INVALID}Secondary index {index.name} does not project one or more filter "
                f"attributes: [{', '.join(unknown)}]"
            )
    return Selection(projection, fetch=bool(missing) or request.select == "ALL_ATTRIBUTES")


def _unprojected(index: Index, paths: Projection) -> list[str]:
    """The top-level attributes of the paths that the index does not hold, in order."""
    heads = dict.fromkeys(str(path[0]) for path in paths)
    return [name for name in heads if name not in (index.projected or heads)]
