"""Generated files match their sources."""

from __future__ import annotations

import pytest

from tools.sync import PAIRS, SOURCES, Pair, sync_source


# A sync class that is edited by hand would differ from its async twin, or lose the edit.
@pytest.mark.parametrize("pair", PAIRS, ids=[pair.target for pair in PAIRS])
def test_sync_module_matches_its_async_source(pair: Pair) -> None:
    assert (SOURCES / pair.target).read_text() == sync_source(pair), "run `make generate`"
