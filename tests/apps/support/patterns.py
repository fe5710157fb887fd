"""Whether calls of a store are in the words of its access patterns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from singletable import Call, PatternCatalog, Table
from singletable.schema import model_of


def check_declared(calls: Iterable[Call], catalog: PatternCatalog, tables: Sequence[Table]) -> None:
    """Fail if a call touches one of the tables and is no pattern of the catalog."""
    questions = {call.shape for call in calls}
    strange = {
        question
        for question in questions
        if any(model_of(touch.entity).table in tables for touch in question.accesses)
        and catalog.recognize(question) is None
    }
    assert not strange, f"calls that no pattern declares: {strange}"
