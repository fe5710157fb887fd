"""Rows in a database: `interface.py` says what the engine needs, each folder is one storage."""

from dynamodb_engine.engine.storage.interface import DescribeRow as DescribeRow
from dynamodb_engine.engine.storage.interface import Execute as Execute
from dynamodb_engine.engine.storage.interface import KeyRange as KeyRange
from dynamodb_engine.engine.storage.interface import Layout as Layout
from dynamodb_engine.engine.storage.interface import Row as Row
from dynamodb_engine.engine.storage.interface import RowKey as RowKey
from dynamodb_engine.engine.storage.interface import RowRange as RowRange
from dynamodb_engine.engine.storage.interface import Rows as Rows
from dynamodb_engine.engine.storage.page_count import count_page as count_page
from dynamodb_engine.engine.storage.sqlite.checksums import MAX_CHANGE_IN_PAGE as MAX_CHANGE_IN_PAGE
from dynamodb_engine.engine.storage.sqlite.checksums import DamagedData as DamagedData
from dynamodb_engine.engine.storage.sqlite.checksums import change_checksum as change_checksum
from dynamodb_engine.engine.storage.sqlite.checksums import check_values as check_values
from dynamodb_engine.engine.storage.sqlite.checksums import is_intact_change as is_intact_change
from dynamodb_engine.engine.storage.sqlite.checksums import values_checksum as values_checksum
from dynamodb_engine.engine.storage.sqlite.connection import CHANGE_COLUMNS as CHANGE_COLUMNS
from dynamodb_engine.engine.storage.sqlite.connection import MAX_POSITION as MAX_POSITION
from dynamodb_engine.engine.storage.sqlite.connection import TOKEN_COLUMNS as TOKEN_COLUMNS
from dynamodb_engine.engine.storage.sqlite.database import Database as Database
from dynamodb_engine.engine.storage.sqlite.database import SchemaChanged as SchemaChanged
from dynamodb_engine.engine.storage.sqlite.rows import SqliteLayout as SqliteLayout
from dynamodb_engine.engine.storage.sqlite.rows import SqliteRows as SqliteRows
from dynamodb_engine.engine.storage.sqlite.writer import is_disk_full as is_disk_full
