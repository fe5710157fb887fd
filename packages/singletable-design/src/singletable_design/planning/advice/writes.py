"""Advice about writes: large items, small updates of them, transactions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dynamodb_engine.values import MAX_ITEM_SIZE, item_size
from singletable.patterns import WritePattern
from singletable.patterns.estimate import write_units
from singletable.patterns.sample_items import sample_item, sample_values
from singletable.schema import Model, ResolvedKey, model_of
from singletable.store import EntityAccess
from singletable_design.planning.advice.advice import (
    LARGE_ITEM_SHARE,
    LARGE_UPDATE_BYTES,
    SMALL_UPDATE_SHARE,
    Advice,
    calls_text,
    list_text,
    rate_text,
    verb,
)
from singletable_design.planning.advice.design_facts import (
    Design,
    RatedPart,
    declared_parts,
    tuple_text,
)
from singletable_design.planning.formats import format_bytes, format_number


def advise_large_items(design: Design) -> Iterator[Advice]:
    """Yield advice on entities with items near DynamoDB's size limit."""
    for model in design.models:
        size = design.size_of(model.entity)
        if size < LARGE_ITEM_SHARE * MAX_ITEM_SIZE:
            continue
        yield design.advice(
            "large-item",
            "high",
            model.name,
            f"A typical {model.name} has {format_bytes(size)}, {size / MAX_ITEM_SIZE:.0%} of what "
            "DynamoDB allows; larger ones are rejected.",
            f"Split it into several items under the same partition key, one for each part of the "
            f"{model.name}, or keep large texts in S3 and their address in the item.",
            f"{size:,} ÷ {MAX_ITEM_SIZE:,} bytes",
        )


def advise_large_updates(design: Design) -> Iterator[Advice]:
    """Yield advice on small updates of large items, which are charged for the whole item."""
    for one in design.parts:
        request = one.request
        if request.action != "UpdateItem" or one.part.index is not None or not one.part.units:
            continue
        model = model_of(request.entity)
        size = one.pattern.expected.size or design.size_of(model.entity)
        edited = _edited_bytes(model, request.edited_fields, size)
        if size < LARGE_UPDATE_BYTES or edited > SMALL_UPDATE_SHARE * size:
            continue
        blocks = write_units(size)
        saved = one.units * (1 - 1 / blocks)
        if not design.is_worth(design.dollars(write=saved)):
            continue
        # The store sets the version and the time of the last change itself.
        stamped = {field.name for field in model.roles.values()}
        fields = sorted(request.edited_fields - stamped) or sorted(request.edited_fields)
        pk = tuple_text(declared_parts(model.key.pk), model.key.pk)
        yield design.advice(
            "large-update",
            "medium",
            one.pattern.id,
            f"{one.pattern.id} changes {list_text(fields, 4)} of a {model.name}, and is charged "
            f"for the whole item of {format_bytes(size)}: {format_number(one.part.units)} write "
            f"units a call, {rate_text(one.units, 'write')}.",
            f"Keep {list_text(fields, 4)} in an item of its own under the same partition key: "
            f'Key(pk={pk}, sk="{fields[0].upper()}").',
            f"{calls_text(one.calls)} × {format_number(one.part.units)} units × "
            f"(1 − 1 ÷ {blocks}), if the new item has up to 1 KB",
            write=saved,
        )


def _edited_bytes(model: Model, edited: frozenset[str], size: int) -> int:
    """Return the bytes of some fields in a typical item."""
    names = {model.fields[name].attribute for name in edited}
    item = sample_item(model, sample_values(model, size=size))
    return item_size({name: value for name, value in item.items() if name in names})


def advise_transactions(design: Design) -> Iterator[Advice]:
    """Yield a question about transactions that are a large part of the bill."""
    for plan in design.plan.patterns:
        pattern, rate = plan.pattern, plan.rate
        effects = pattern.accesses
        if not isinstance(pattern, WritePattern) or rate is None or len(effects) < 2:
            continue
        checked = list(dict.fromkeys(one.entity.__name__ for one in effects if one.kind == "check"))
        alone = [_alone(design, pattern, one) for one in effects if one.kind != "check"]
        read = plan.estimate.typical_read - sum(one for one, _ in alone)
        write = plan.estimate.typical_write - sum(one for _, one in alone)
        read, write = read * rate.per_second, write * rate.per_second
        if not alone or not design.is_worth(design.dollars(read, write), question=True):
            continue
        names = list(dict.fromkeys(one.entity.__name__ for one in effects if one.kind != "check"))
        leave_out = f", and leave out the check of {list_text(checked)}" if checked else ""
        yield design.advice(
            "transaction",
            "low",
            pattern.id,
            f"{pattern.id} writes {list_text(names, 4)} "
            f"{f'and checks {list_text(checked)} ' if checked else ''}in one transaction, which "
            f"doubles the price: {rate_text(plan.write.average, 'write')}.",
            "Must all of it happen or nothing? If a reader can bear to see only the first write "
            "for a moment, send the writes one after another, the one that readers look for last"
            f"{leave_out}.",
            f"{calls_text(rate.per_second)} × ({format_number(plan.estimate.typical_write)} − "
            f"{format_number(sum(one for _, one in alone))}) write units",
            read=read,
            write=write,
        )


def _alone(design: Design, pattern: WritePattern, effect: EntityAccess) -> tuple[float, float]:
    """Return the read and write units of one effect of a call, if each write is sent alone.

    The items of a transaction are divided among its effects.
    """
    items = max(pattern.expected.items / len(pattern.accesses), 1.0)
    expected = replace(pattern.expected, items=1)
    units = design.estimate(replace(pattern, accesses=(effect,), expected=expected))
    return items * units.typical_read, items * units.typical_write


def advise_unique_values(design: Design) -> Iterator[Advice]:
    """Yield a question about unique values if their markers are a large part of the bill."""
    found = {
        (access.entity, access.key_name)
        for one in design.plan.patterns
        for access in one.pattern.accesses
        if access.kind == "find"
    }
    for model in design.models:
        # A value by which items are found needs its marker.
        names = [name for name in model.uniques if (model.entity, name) not in found]
        kept = {name: one for name, one in model.uniques.items() if name not in names}
        read, write, stored = design.savings([replace(model, uniques=kept)])
        if not names or not design.is_worth(design.dollars(read, write, stored), question=True):
            continue
        values = list_text([f"{model.name}.{name}" for name in names])
        yield design.advice(
            "unique-value",
            "low",
            model.name,
            f"The markers of {values} are written in a transaction with each {model.name}, which "
            f"costs {rate_text(write, 'write')}.",
            f"Must {values} be unique? If not, remove {'it' if len(names) == 1 else 'them'}. A "
            "value that could be the primary key is unique without a marker.",
            _how_without(design, [one.access for one in model.uniques.values()]),
            read=read,
            write=write,
            stored=stored,
        )


def _how_without(design: Design, accesses: list[ResolvedKey]) -> str:
    """Return the units of markers; a write that then needs no transaction costs half."""
    parts = [one for one in design.parts if one.part.access in accesses and one.units]
    texts = [
        f"{one.pattern.id}: {calls_text(one.calls)} × {format_number(one.part.units)} "
        f"{one.part.kind} units of the {one.request.subject}"
        for one in parts
    ]
    return f"{list_text(texts, 4)}; writes that then need no transaction cost half"


def advise_counts(design: Design) -> Iterator[Advice]:
    """Yield a question about counts if their transactions are a large part of the bill."""
    for model in design.models:
        if not model.counts:
            continue
        counters = [one for one in design.parts if _is_counter(model, one)]
        read, write, _ = design.savings([replace(model, counts={})])
        # The number is still changed, but outside the transaction.
        write -= sum(one.units for one in counters) / 2
        if not counters or not design.is_worth(design.dollars(read, write), question=True):
            continue
        names = [f"{model.name}.{name}" for name in model.counts]
        yield design.advice(
            "count",
            "low",
            model.name,
            f"{list_text(names)} {verb(names, 'change')} "
            f"{list_text([repr(one.path) for one in model.counts.values()])} in a transaction "
            f"with each {model.name}, which costs {rate_text(write, 'write')} more than writes of "
            "their own.",
            "Must the number be exact at every moment? If not, remove "
            f"{'the Count' if len(names) == 1 else 'these Counts'}, and update the number after "
            f"the {model.name}, or from the change feed.",
            "; ".join(
                f"{one.pattern.id}: {calls_text(one.calls)} × half of "
                f"{format_number(one.part.units)} write units of the {one.request.subject}"
                for one in counters
            )
            + "; writes that then need no transaction cost half",
            read=read,
            write=write,
        )


def _is_counter(model: Model, one: RatedPart) -> bool:
    """Return whether a write changes only the number of a count, which the store adds."""
    request = one.request
    declared = {access.entity for access in one.pattern.accesses}
    fields = {(count.entity, count.path.field) for count in model.counts.values()}
    return (
        one.part.index is None
        and one.part.units > 0
        and request.action == "UpdateItem"
        and request.entity not in declared
        and model.entity in declared
        and {(request.entity, name) for name in request.edited_fields} <= fields
    )


RULES = (
    advise_large_items,
    advise_large_updates,
    advise_transactions,
    advise_unique_values,
    advise_counts,
)
