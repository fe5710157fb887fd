"""What an auditor sees: items as they are stored, and the same as tables without keys."""

from __future__ import annotations

from singletable_apps.elections.auditing.hiding import HIDDEN, hidden_data, hidden_item
from singletable_apps.elections.auditing.relations import RELATIONS, Column, Relation, RelationPage
from singletable_apps.elections.auditing.rows import Row, cells

__all__ = [
    "HIDDEN",
    "RELATIONS",
    "Column",
    "Relation",
    "RelationPage",
    "Row",
    "cells",
    "hidden_data",
    "hidden_item",
]
