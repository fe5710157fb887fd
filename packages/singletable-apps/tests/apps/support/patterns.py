"""Check that calls of a store match its declared access patterns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from singletable import Call, PatternCatalog, Table
from singletable.patterns.matcher import needs_pattern
from singletable.schema import model_of


def check_declared(calls: Iterable[Call], catalog: PatternCatalog, tables: Sequence[Table]) -> None:
    """Fail if a call accesses one of the tables and matches no pattern of the catalog."""
    questions = {call.shape for call in calls}
    undeclared = {
        question
        for question in questions
        if needs_pattern(question)
        and any(model_of(touch.entity).table in tables for touch in question.accesses)
        and catalog.recognize(question) is None
    }
    assert not undeclared, f"calls that no pattern declares: {undeclared}"
