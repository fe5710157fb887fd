"""The listed gaps of other engines still exist."""

from __future__ import annotations

import pytest

from singletable.errors import SingleTableError
from tests.store.known_failures import LACKS, TABLE, Lack
from tests.store.other_engines import Foreign


def called(lack: Lack) -> str:
    return f"{lack.engine} has no {type(lack.example).__name__} ({lack.feature})"


@pytest.mark.parametrize("lack", LACKS, ids=called)
def test_known_failures_of_other_engines_still_fail(lack: Lack, foreign: Foreign) -> None:
    driver = foreign.emptied(lack.engine)
    driver.execute(TABLE)
    assert lack.needs(lack.example)
    with pytest.raises(SingleTableError):
        driver.inner.execute(lack.example)
