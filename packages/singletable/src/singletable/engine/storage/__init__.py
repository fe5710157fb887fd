"""Rows in a database: `interface.py` says what the engine needs, each folder is one storage."""

from singletable.engine.storage.interface import DescribeRow as DescribeRow
from singletable.engine.storage.interface import Execute as Execute
from singletable.engine.storage.interface import KeyRange as KeyRange
from singletable.engine.storage.interface import Layout as Layout
from singletable.engine.storage.interface import Row as Row
from singletable.engine.storage.interface import RowKey as RowKey
from singletable.engine.storage.interface import RowRange as RowRange
from singletable.engine.storage.interface import Rows as Rows
from singletable.engine.storage.page_count import count_page as count_page
from singletable.engine.storage.sqlite.checksums import DamagedData as DamagedData
from singletable.engine.storage.sqlite.checksums import check_values as check_values
from singletable.engine.storage.sqlite.checksums import is_intact_change as is_intact_change
from singletable.engine.storage.sqlite.checksums import values_checksum as values_checksum
from singletable.engine.storage.sqlite.connection import CHANGE_COLUMNS as CHANGE_COLUMNS
from singletable.engine.storage.sqlite.connection import MAX_POSITION as MAX_POSITION
from singletable.engine.storage.sqlite.connection import TOKEN_COLUMNS as TOKEN_COLUMNS
from singletable.engine.storage.sqlite.database import Database as Database
from singletable.engine.storage.sqlite.database import SchemaChanged as SchemaChanged
from singletable.engine.storage.sqlite.rows import SqliteLayout as SqliteLayout
from singletable.engine.storage.sqlite.rows import SqliteRows as SqliteRows
from singletable.engine.storage.sqlite.writer import is_disk_full as is_disk_full
