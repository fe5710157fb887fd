"""Entities as SQL views, and read-only queries of them."""

from singletable.sql.query import QueryResult, SqlDatabase, open_database
from singletable.sql.views import View, views_of

__all__ = ["QueryResult", "SqlDatabase", "View", "open_database", "views_of"]
