"""Read and write entities: one core, with a sync and an async store."""

from singletable.store.async_store import AsyncAdmin, AsyncStore
from singletable.store.bulk import Progress
from singletable.store.bulk_delete import DeleteResult
from singletable.store.bulk_load import LoadConflict, LoadResult
from singletable.store.calls import Call, CallShape, EntityAccess, Observer, SentRequest
from singletable.store.changes import Change, Changes, parse_stream_event
from singletable.store.collection_query import CollectionPage
from singletable.store.options import CollectOptions, QueryOptions, ReadOptions
from singletable.store.pagination import Page
from singletable.store.store import Admin, Store
from singletable.store.streams import StreamOptions
from singletable.store.transaction import Transaction

__all__ = [
    "Admin",
    "AsyncAdmin",
    "AsyncStore",
    "Call",
    "CallShape",
    "Change",
    "Changes",
    "CollectOptions",
    "CollectionPage",
    "DeleteResult",
    "EntityAccess",
    "LoadConflict",
    "LoadResult",
    "Observer",
    "Page",
    "Progress",
    "QueryOptions",
    "ReadOptions",
    "SentRequest",
    "Store",
    "StreamOptions",
    "Transaction",
    "parse_stream_event",
]
