"""The application that a server runs: uvicorn myapp.app:app.

MYAPP_ADDRESS says where the table is: file:myapp.db, memory:, dynamodb:eu-west-1, …
"""

from __future__ import annotations

import os

from singletable import Store, connect

from myapp.api import make_app
from myapp.entities import table

DEFAULT_ADDRESS = "file:myapp.db"
address = os.environ.get("MYAPP_ADDRESS", DEFAULT_ADDRESS)
# Processes that share cursors need the same secret; without one, each start has its own.
secret = os.environ.get("MYAPP_SECRET")
cursor_secret = secret.encode() if secret else None
store = Store(connect(address), cursor_secret=cursor_secret)
store.admin.create_table(table, if_missing=True)
app = make_app(store)
