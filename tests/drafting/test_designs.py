"""Whatever a store has written is placed by a draft, and written again as it was."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest

from singletable import Item, Table
from singletable.drafting import Draft, Sample, draft
from singletable.schema import Model, model_of
from tests.drafting.designs import TABLES, filled, odd, plain


def models(made: Draft, name: str) -> list[Model]:
    """What the drafted source declares, run in a namespace of its own."""
    names: dict[str, object] = {"__name__": name}
    exec(compile(made.source, name, "exec", dont_inherit=True), names)
    tables = [value for value in names.values() if isinstance(value, Table)]
    return [model_of(entity) for table in tables for entity in table.entities]


def placed(declared: Sequence[Model], item: Item) -> bool:
    """Whether one model, and no other, holds the item and writes it again as it was."""
    holding = [model for model in declared if model.matches(item)]
    if len(holding) != 1:
        return False
    instance: object = holding[0].instance(item)
    return holding[0].item(vars(instance)) == item


@pytest.mark.filterwarnings("ignore::singletable.DeclarationWarning")
@pytest.mark.parametrize("texts", [plain, odd])
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
@pytest.mark.parametrize("seed", range(8))
def test_every_item_is_placed_or_told_of(
    table: Table, seed: int, texts: Callable[[random.Random], str]
) -> None:
    items = filled(table, seed, texts)
    made = draft([Sample(table, items)])
    declared = models(made, f"draft of {table.name}")
    left = [item for unplaced in made.tables[0].unplaced for item in unplaced.items]
    assert not [item for item in items if item not in left and not placed(declared, item)]
    assert bool(left) == ("NOT PLACED" in made.source)
    if texts is plain:
        assert not left, made.source
