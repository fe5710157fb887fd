"""The attributes under which the apps store their fields: stored items keep their names."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from singletable.schema import model_of

LINES = Path(__file__).with_name("stored_names.txt").read_text().splitlines()


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.split()[0])
def test_fields_are_stored_under_the_same_names_as_before(line: str) -> None:
    entity, *names = line.split()
    module, _, name = entity.rpartition(".")
    model = model_of(getattr(import_module(f"singletable_apps.{module}"), name))
    stored = {f"{field.name}={field.attribute}" for field in model.fields.values() if field.stored}
    assert set(names) == stored
