"""One file an operation, named as AWS names it; this table says which answers which."""

from __future__ import annotations

from typing import Any

from singletable.engine.dialect import BATCH_WRITE, SCAN, SINGLE_WRITE, TRANSACTION
from singletable.engine.handlers import (
    batch_get_item,
    batch_write_item,
    delete_item,
    get_item,
    put_item,
    query,
    read_changes,
    scan,
    sweep_expired,
    transact_get_items,
    transact_write_items,
    update_item,
)
from singletable.engine.handlers.create_table import create_table
from singletable.engine.handlers.delete_table import delete_table
from singletable.engine.handlers.describe_continuous_backups import (
    describe_continuous_backups,
)
from singletable.engine.handlers.describe_endpoints import describe_endpoints
from singletable.engine.handlers.describe_limits import describe_limits
from singletable.engine.handlers.describe_table import describe_table
from singletable.engine.handlers.describe_time_to_live import describe_time_to_live
from singletable.engine.handlers.handler import Handler, unchecked
from singletable.engine.handlers.list_tables import list_tables
from singletable.engine.handlers.list_tags_of_resource import list_tags_of_resource
from singletable.engine.handlers.tag_resource import tag_resource
from singletable.engine.handlers.untag_resource import untag_resource
from singletable.engine.handlers.update_continuous_backups import update_continuous_backups
from singletable.engine.handlers.update_table import update_table
from singletable.engine.handlers.update_time_to_live import update_time_to_live
from singletable.operations import (
    BatchGetItem,
    BatchWriteItem,
    CreateTable,
    DeleteItem,
    DeleteTable,
    DescribeContinuousBackups,
    DescribeEndpoints,
    DescribeLimits,
    DescribeTable,
    DescribeTimeToLive,
    GetItem,
    ListTables,
    ListTagsOfResource,
    PutItem,
    Query,
    ReadChanges,
    Scan,
    SweepExpired,
    TagResource,
    TransactGetItems,
    TransactWriteItems,
    UntagResource,
    UpdateContinuousBackups,
    UpdateItem,
    UpdateTable,
    UpdateTimeToLive,
)

# The types of request, plan and result belong together in each row; across rows they are any.
HANDLERS: dict[type, Handler[Any, Any, Any]] = {
    GetItem: Handler(get_item.check, get_item.run, writes=False),
    PutItem: Handler(put_item.check, put_item.run, writes=True, dialect=SINGLE_WRITE),
    UpdateItem: Handler(update_item.check, update_item.run, writes=True, dialect=SINGLE_WRITE),
    DeleteItem: Handler(delete_item.check, delete_item.run, writes=True, dialect=SINGLE_WRITE),
    Query: Handler(query.check, query.run, writes=False),
    Scan: Handler(scan.check, scan.run, writes=False, dialect=SCAN),
    BatchGetItem: Handler(batch_get_item.check, batch_get_item.run, writes=False),
    BatchWriteItem: Handler(
        batch_write_item.check, batch_write_item.run, writes=True, dialect=BATCH_WRITE
    ),
    TransactGetItems: Handler(
        transact_get_items.check, transact_get_items.run, writes=False, dialect=TRANSACTION
    ),
    TransactWriteItems: Handler(
        transact_write_items.check, transact_write_items.run, writes=True, dialect=TRANSACTION
    ),
    CreateTable: Handler(unchecked, create_table, writes=True),
    DescribeTable: Handler(unchecked, describe_table, writes=False),
    UpdateTable: Handler(unchecked, update_table, writes=True),
    DeleteTable: Handler(unchecked, delete_table, writes=True),
    ListTables: Handler(unchecked, list_tables, writes=False),
    UpdateTimeToLive: Handler(unchecked, update_time_to_live, writes=True),
    DescribeTimeToLive: Handler(unchecked, describe_time_to_live, writes=False),
    UpdateContinuousBackups: Handler(unchecked, update_continuous_backups, writes=True),
    DescribeContinuousBackups: Handler(unchecked, describe_continuous_backups, writes=False),
    TagResource: Handler(unchecked, tag_resource, writes=True),
    UntagResource: Handler(unchecked, untag_resource, writes=True),
    ListTagsOfResource: Handler(unchecked, list_tags_of_resource, writes=False),
    DescribeLimits: Handler(unchecked, describe_limits, writes=False),
    DescribeEndpoints: Handler(unchecked, describe_endpoints, writes=False),
    ReadChanges: Handler(unchecked, read_changes.run, writes=False),
    SweepExpired: Handler(unchecked, sweep_expired.run, writes=True),
}
