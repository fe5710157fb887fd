"""Advice about writes: large items, small updates of them, transactions."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.patterns import WritePattern
from singletable.patterns.estimate import WRITE_BLOCK
from singletable.patterns.sample_items import sample_item, sample_values
from singletable.schema import Model, model_of
from singletable.values import MAX_ITEM_SIZE, item_size
from singletable_design.planning.advice.advice import (
    LARGE_ITEM_SHARE,
    LARGE_UPDATE_BYTES,
    SMALL_UPDATE_SHARE,
    Advice,
    calls_text,
    list_text,
    rate_text,
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
        blocks = -(-size // WRITE_BLOCK)
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
        if not isinstance(plan.pattern, WritePattern) or plan.rate is None:
            continue
        parts = [
            RatedPart(plan, part)
            for part in plan.estimate.parts
            if part.request.in_transaction and part.index is None and part.units
        ]
        single = [one for one in parts if one.request.action != "ConditionCheckItem"]
        checked = sum(one.units for one in parts if one not in single)
        saved = sum(one.units for one in single) / 2 + checked
        if len(parts) < 2 or not design.is_worth(design.dollars(write=saved), question=True):
            continue
        subjects = list(dict.fromkeys(one.request.subject for one in parts))
        yield design.advice(
            "transaction",
            "low",
            plan.pattern.id,
            f"{plan.pattern.id} writes {list_text(subjects, 4)} in one transaction, which doubles "
            f"the price: {rate_text(sum(one.units for one in parts), 'write')}.",
            _alternative(parts),
            f"{calls_text(plan.rate.per_second)} × half of "
            f"{format_number(sum(one.part.units for one in parts))} write units"
            f"{', and no units for the condition check' if checked else ''}",
            write=saved,
        )


def _alternative(parts: list[RatedPart]) -> str:
    subjects = [one.request.subject for one in parts]
    markers = [one for one in subjects if one.startswith("marker of ")]
    if markers:
        return (
            f"Must {list_text([one.removeprefix('marker of ') for one in markers])} be unique, or "
            "could the value be the primary key, which is unique without a marker?"
        )
    return (
        "Must all of it happen or nothing? If a reader can bear to see only the first write for a "
        "moment, send the writes one after another, the one that readers look for last."
    )


RULES = (advise_large_items, advise_large_updates, advise_transactions)
