"""Typed things in, operations out, and back: one core with a sync and an async face."""

from singletable.store.admin_faces import Admin, AsyncAdmin
from singletable.store.async_store import AsyncStore
from singletable.store.changes import ChangeOf, ChangesOf, changes_in
from singletable.store.observe import Call, Observer, Sent
from singletable.store.pages import PageOf
from singletable.store.question import Question, Touch
from singletable.store.store import Store
from singletable.store.transaction import Transaction

__all__ = [
    "Admin",
    "AsyncAdmin",
    "AsyncStore",
    "Call",
    "ChangeOf",
    "ChangesOf",
    "Observer",
    "PageOf",
    "Question",
    "Sent",
    "Store",
    "Touch",
    "Transaction",
    "changes_in",
]
