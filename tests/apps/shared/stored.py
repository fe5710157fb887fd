"""All that a table holds, as a thief of the table would see it."""

from __future__ import annotations

import json

from singletable import Scan, Store


def stored_text(store: Store) -> str:
    """Every item of the table, in its form on the wire."""
    return json.dumps(list(store.driver.execute(Scan("vote_sessions")).items))
