"""Rows on a SQL server, PostgreSQL or MariaDB, shared by many processes."""

from dynamodb_engine.engine.storage.server.database import Places as Places
from dynamodb_engine.engine.storage.server.database import RunOnce as RunOnce
from dynamodb_engine.engine.storage.server.database import ServerDatabase as ServerDatabase
from dynamodb_engine.engine.storage.server.rows import ServerLayout as ServerLayout
from dynamodb_engine.engine.storage.server.rows import ServerRows as ServerRows
from dynamodb_engine.engine.storage.server.rows import digest as digest
from dynamodb_engine.engine.storage.server.transaction import Transaction as Transaction
