"""What CreateTable declares: whether it may, in AWS's order of checks, and what is kept of it.

The order is a rule: a request that is wrong in several ways is refused for the first of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from singletable.engine.control.definitions import check_unique, check_used
from singletable.engine.control.encryption import check_encryption
from singletable.engine.control.key_schemas import (
    check_global_key,
    check_local_key,
    check_table_key,
)
from singletable.engine.control.on_demand import check_limits_at_creation
from singletable.engine.control.projections import check_projection
from singletable.engine.control.streams import check_stream_at_creation
from singletable.engine.control.tags import check_tags
from singletable.engine.control.throughput import check_index_throughput, check_table_throughput
from singletable.engine.control.warm import check_warm_at_creation
from singletable.errors import ValidationError
from singletable.operations import (
    CreateTable,
    GlobalSecondaryIndex,
    LocalSecondaryIndex,
)
from singletable.values import INVALID

MAX_LOCAL = 5
MAX_GLOBAL = 20
NO_SORT_KEY = (
    f"{INVALID}Table KeySchema does not have a range key, "
    "which is required when specifying a LocalSecondaryIndex"
)
UNUSED = (
    f"{INVALID}Number of attributes in KeySchema does not exactly match number of attributes "
    "defined in AttributeDefinitions"
)


def check_declaration(request: CreateTable) -> None:
    """Raise ValidationError unless such a table can be, whatever tables there are."""
    check_table_throughput(request)
    check_unique(request.attribute_definitions)
    check_table_key(request.key_schema, request.attribute_definitions)
    _check_index_keys(request)
    names: set[str] = set()
    _check_local_indexes(request.local_secondary_indexes or (), names)
    _check_global_indexes(request, request.global_secondary_indexes or (), names)
    mode = request.billing_mode or "PROVISIONED"
    check_limits_at_creation(request.on_demand_throughput, mode)
    check_warm_at_creation(request.warm_throughput, mode, request.provisioned_throughput)
    check_stream_at_creation(request.stream_specification)
    check_encryption(request.sse_specification)
    check_tags(request.tags or ())


def _check_index_keys(request: CreateTable) -> None:
    local, wide = request.local_secondary_indexes, request.global_secondary_indexes
    keys, definitions = request.key_schema, request.attribute_definitions
    if local is None and wide is None:
        if len(keys) != len(definitions):
            raise ValidationError(UNUSED)
        return
    if local == []:
        raise ValidationError(f"{INVALID}List of LocalSecondaryIndexes is empty")
    if local and len(keys) < 2:
        raise ValidationError(NO_SORT_KEY)
    for local_index in local or ():
        check_local_key(local_index, keys, definitions)
    if wide == []:
        raise ValidationError(f"{INVALID}List of GlobalSecondaryIndexes is empty")
    for wide_index in wide or ():
        check_global_key(wide_index, definitions)
    indexes = [index.key_schema for index in (*(local or ()), *(wide or ()))]
    check_used([keys, *indexes], definitions)


def _check_local_indexes(indexes: Sequence[LocalSecondaryIndex], names: set[str]) -> None:
    for index in indexes:
        check_projection(index.projection)
        _check_name(index.index_name, names)
    if len(indexes) > MAX_LOCAL:
        raise ValidationError(
            f"{INVALID}Number of LocalSecondaryIndexes exceeds per-table limit of {MAX_LOCAL}"
        )


def _check_global_indexes(
    request: CreateTable, indexes: Sequence[GlobalSecondaryIndex], names: set[str]
) -> None:
    mode = request.billing_mode or "PROVISIONED"
    for index in indexes:
        check_projection(index.projection)
        check_index_throughput(index, mode)
        check_limits_at_creation(index.on_demand_throughput, mode, index.index_name)
        check_warm_at_creation(
            index.warm_throughput, mode, index.provisioned_throughput, f"index {index.index_name}"
        )
        _check_name(index.index_name, names)
    if len(indexes) > MAX_GLOBAL:
        raise ValidationError(
            f"{INVALID}GlobalSecondaryIndex count exceeds the per-table limit of {MAX_GLOBAL}"
        )


def _check_name(name: str, names: set[str]) -> None:
    if name in names:
        raise ValidationError(f"{INVALID}Duplicate index name: {name}")
    names.add(name)
