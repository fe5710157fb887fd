"""What engines of others are said to lack, they lack: what they have learnt is tried on them."""

from __future__ import annotations

import pytest

from singletable.errors import SingleTableError
from tests.store.foreign import Foreign
from tests.store.lacking import LACKS, TABLE, Lack


def called(lack: Lack) -> str:
    return f"{lack.engine} has no {type(lack.example).__name__} ({lack.feature})"


@pytest.mark.parametrize("lack", LACKS, ids=called)
def test_an_engine_still_lacks_it(lack: Lack, foreign: Foreign) -> None:
    driver = foreign.emptied(lack.engine)
    driver.execute(TABLE)
    assert lack.needs(lack.example)
    with pytest.raises(SingleTableError):
        driver.inner.execute(lack.example)
