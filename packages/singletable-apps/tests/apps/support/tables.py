"""Raw contents of tables."""

from __future__ import annotations

import json

from singletable import Scan, Store


def stored_text(store: Store, table: str = "vote_sessions") -> str:
    """Return every item of a table as JSON: what someone with a copy of the table sees."""
    return json.dumps(list(store.driver.execute(Scan(table)).items))
