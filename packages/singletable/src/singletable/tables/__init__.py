"""Create, describe and compare the tables of a declaration at an address."""

from singletable.tables.creation import DescribedTable, create_table, describe_table
from singletable.tables.differences import (
    ChangeKind,
    Difference,
    compare_table,
    find_unverifiable,
)
from singletable.tables.names import resolve_table_names
from singletable.tables.settings import (
    AwsManagedKey,
    AwsOwnedKey,
    CustomerKey,
    Encryption,
    TableSettings,
)

__all__ = [
    "AwsManagedKey",
    "AwsOwnedKey",
    "ChangeKind",
    "CustomerKey",
    "DescribedTable",
    "Difference",
    "Encryption",
    "TableSettings",
    "compare_table",
    "create_table",
    "describe_table",
    "find_unverifiable",
    "resolve_table_names",
]
