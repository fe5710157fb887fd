"""How often Python looks for garbage, which otherwise takes a tenth of the time of a command."""

from __future__ import annotations

import gc


def tune_for_imports() -> None:
    """Collect rarely: imports create objects that stay. The default is every 700 objects."""
    gc.set_threshold(20_000, 20, 20)


def tune_for_serving() -> None:
    """Collect rarely: what is loaded stays, and requests create hardly any reference cycles."""
    gc.freeze()
    gc.set_threshold(50_000, 50, 100)
