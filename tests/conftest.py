"""What all tests share: how long the random ones run, and what is not looked through for waste."""

from __future__ import annotations

import gc
import os

from hypothesis import HealthCheck, settings

# `quick` runs with every change: the same examples each time, so that a failure is the change's.
# They are few, for they never change: what more of them would find, `long` looks for.
settings.register_profile(
    "quick", derandomize=True, max_examples=20, deadline=None, print_blob=True, database=None
)
# `long` is for `make fuzz`: new examples each time, and failures are remembered.
settings.register_profile(
    "long",
    max_examples=int(os.environ.get("FUZZ_EXAMPLES", "2000")),
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("quick")


# Imports and collected tests stay to the end, so looking for garbage among them finds nothing.
gc.disable()


def pytest_collection_finish() -> None:
    """Look for waste seldom, and not in what stays to the end: a tenth of all time goes there."""
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
