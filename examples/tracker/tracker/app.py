"""Run the API: uvicorn tracker.app:app.

TRACKER_ADDRESS says where the table is: `file:tracker.db`, `memory:`, `dynamodb:eu-west-1` …
"""

from __future__ import annotations

import os

from singletable import Store, connect
from tracker.api import make_app
from tracker.entities import table

# All processes that share cursors need the same secret; without one, each start has its own.
secret = os.environ.get("TRACKER_SECRET")
store = Store(
    connect(os.environ.get("TRACKER_ADDRESS", "file:tracker.db")),
    cursor_secret=secret.encode() if secret else None,
)
store.admin.create_table(table, if_missing=True)
app = make_app(store)
