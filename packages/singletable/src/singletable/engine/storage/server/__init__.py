"""Rows on a SQL server, PostgreSQL or MariaDB, shared by many processes."""

from singletable.engine.storage.server.database import Places, ServerDatabase
from singletable.engine.storage.server.rows import ServerLayout, ServerRows, digest
from singletable.engine.storage.server.transaction import Transaction

__all__ = [
    "Places",
    "ServerDatabase",
    "ServerLayout",
    "ServerRows",
    "Transaction",
    "digest",
]
