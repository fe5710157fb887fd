"""Rows on a SQL server, PostgreSQL or MariaDB, shared by many processes."""

from singletable.engine.storage.server.database import Places as Places
from singletable.engine.storage.server.database import RunOnce as RunOnce
from singletable.engine.storage.server.database import ServerDatabase as ServerDatabase
from singletable.engine.storage.server.rows import ServerLayout as ServerLayout
from singletable.engine.storage.server.rows import ServerRows as ServerRows
from singletable.engine.storage.server.rows import digest as digest
from singletable.engine.storage.server.transaction import Transaction as Transaction
