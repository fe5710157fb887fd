"""Read and write entities: one core, with a sync and an async store."""

from singletable.store.async_store import AsyncAdmin as AsyncAdmin
from singletable.store.async_store import AsyncStore as AsyncStore
from singletable.store.bulk import Progress as Progress
from singletable.store.bulk_delete import DeleteResult as DeleteResult
from singletable.store.bulk_load import LoadConflict as LoadConflict
from singletable.store.bulk_load import LoadResult as LoadResult
from singletable.store.calls import Call as Call
from singletable.store.calls import CallShape as CallShape
from singletable.store.calls import EntityAccess as EntityAccess
from singletable.store.calls import Observer as Observer
from singletable.store.calls import SentRequest as SentRequest
from singletable.store.changes import Change as Change
from singletable.store.changes import Changes as Changes
from singletable.store.changes import parse_stream_event as parse_stream_event
from singletable.store.options import CollectOptions as CollectOptions
from singletable.store.options import QueryOptions as QueryOptions
from singletable.store.options import ReadOptions as ReadOptions
from singletable.store.pagination import Page as Page
from singletable.store.store import Admin as Admin
from singletable.store.store import Store as Store
from singletable.store.streams import StreamOptions as StreamOptions
from singletable.store.transaction import Transaction as Transaction
