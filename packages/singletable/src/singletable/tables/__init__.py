"""Create, describe and compare the tables of a declaration at an address."""

from singletable.tables.creation import DescribedTable as DescribedTable
from singletable.tables.creation import create_table as create_table
from singletable.tables.creation import describe_table as describe_table
from singletable.tables.differences import ChangeKind as ChangeKind
from singletable.tables.differences import Difference as Difference
from singletable.tables.differences import compare_table as compare_table
from singletable.tables.differences import find_unverifiable as find_unverifiable
from singletable.tables.names import resolve_table_names as resolve_table_names
from singletable.tables.settings import AwsManagedKey as AwsManagedKey
from singletable.tables.settings import AwsOwnedKey as AwsOwnedKey
from singletable.tables.settings import CustomerKey as CustomerKey
from singletable.tables.settings import Encryption as Encryption
from singletable.tables.settings import TableSettings as TableSettings
