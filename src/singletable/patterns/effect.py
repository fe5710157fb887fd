"""What a pattern writes: `creates(Ballot)`, `updates(Election, Election.ballots)`."""

from __future__ import annotations

from typing import Any

from singletable.errors import DeclarationError
from singletable.patterns.check import check_entity
from singletable.schema import Path, model_of
from singletable.schema.fields import entity_behind
from singletable.store import EntityAccess


def creates(entity: type) -> EntityAccess:
    """Items that are not there yet are stored."""
    return EntityAccess("create", _entity("creates", entity))


def puts(entity: type) -> EntityAccess:
    """Items are stored in place of those with their keys: put, replace, put_many."""
    return EntityAccess("put", _entity("puts", entity))


def updates(entity: type, *fields: Path[Any, Any]) -> EntityAccess:
    """Some fields of items are changed; without fields, any."""
    model = model_of(_entity("updates", entity))
    for path in fields:
        # Whoever has no checker may write the name of a field instead.
        if not isinstance(path, Path) or path.field not in model.fields:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise DeclarationError(
                f"updates({model.name}, …): {path!r} is not a field of {model.name}, which has "
                f"{', '.join(model.fields)}."
            )
    return EntityAccess("update", model.entity, edited=frozenset(path.field for path in fields))


def deletes(entity: type) -> EntityAccess:
    """Items are removed."""
    return EntityAccess("delete", _entity("deletes", entity))


def checks(entity: type) -> EntityAccess:
    """A transaction happens only if an item of the entity is as it should be."""
    return EntityAccess("check", _entity("checks", entity))


def _entity(verb: str, entity: type) -> type:
    check_entity(f"{verb}(…)", entity)
    return model_of(entity_behind(entity)).entity
