"""Which entity the items of another belong to, as orders belong to a customer."""

from __future__ import annotations

from collections.abc import Sequence

from singletable.patterns.sample_items import plain_type
from singletable.schema import Model, model_of
from singletable_design.planning.workload import KeyDomains


def find_parent(
    model: Model, models: Sequence[Model], domains: KeyDomains
) -> tuple[Model, dict[str, str]] | None:
    """Return the entity to which items belong, and its key fields by the fields that have them."""
    best: tuple[Model, dict[str, str]] | None = None
    for at, other in enumerate(models):
        if other is model or not other.key.parameters:
            continue
        mapping = _referred(model, other) or _shared_fields(model, other, domains)
        if mapping is None:
            continue
        is_earlier = at < models.index(model)
        if len(mapping) == len(model.key.parameters) and not is_earlier:
            continue
        if best is None or len(mapping) > len(best[1]):
            best = other, mapping
    return best


def _referred(model: Model, other: Model) -> dict[str, str] | None:
    """Return the key fields of an item that counts or numbers items of `model`."""
    counters = [*model.counts.values(), *([model.sequence] if model.sequence else [])]
    for counter in counters:
        if counter.entity is other.entity and {*counter.fields} <= {*model.key.parameters}:
            return dict(zip(counter.fields, other.key.parameters, strict=True))
    return None


def _shared_fields(model: Model, other: Model, domains: KeyDomains) -> dict[str, str] | None:
    """Return the key fields of `other` that a key has too, by label or by name.

    The partition key must have the first of them, as that of a child has its parent.
    """
    mapping: dict[str, str] = {}
    for theirs in other.key.parameters:
        entity = other.name.lower()
        names = {entity, f"{entity}_{theirs}"}
        label = domains.label(other.entity, theirs)
        kind = plain_type(other.fields[theirs].annotation)
        mine = next(
            (
                name
                for name in model.key.parameters
                if name not in mapping
                and plain_type(model.fields[name].annotation) == kind
                and (domains.label(model.entity, name) in (label, theirs) or name in names)
            ),
            None,
        )
        if mine is None:
            return None
        mapping[mine] = theirs
    return mapping if {*model.key.pk_fields[:1]} <= mapping.keys() else None


def parents_first(models: Sequence[Model], domains: KeyDomains) -> list[Model]:
    """Return the entities in an order in which parents and what counts others come first."""
    ordered: dict[type, Model] = {}

    def add(model: Model, path: tuple[type, ...] = ()) -> None:
        found = find_parent(model, models, domains)
        before = [model_of(one.entity) for one in model.counts.values()]
        for other in (*([] if found is None else [found[0]]), *before):
            if other.entity not in path and other is not model:
                add(other, (*path, model.entity))
        ordered.setdefault(model.entity, model)

    for model in models:
        add(model)
    return list(ordered.values())
