"""Advice about missing declarations, and about declarations that contradict each other."""

from __future__ import annotations

import math
from collections.abc import Iterator

from singletable.patterns import FeedPattern, WritePattern
from singletable.schema import Model
from singletable_design.planning.advice.advice import GROWTH_FACTOR, NEAR_LIMIT, Advice, list_text
from singletable_design.planning.advice.design_facts import Design
from singletable_design.planning.bill_lines import GB
from singletable_design.planning.formats import format_bytes, format_dollars, format_number
from singletable_design.planning.plan import SECONDS_PER_MONTH
from singletable_design.planning.workload import READ_LIMIT, WRITE_LIMIT


def advise_missing(design: Design) -> Iterator[Advice]:
    """Yield advice on patterns without a rate, and entities without a size or a count."""
    unrated = [
        one.pattern.id
        for one in design.plan.patterns
        if one.rate is None and not isinstance(one.pattern, FeedPattern)
    ]
    if unrated:
        yield design.advice(
            "missing-rate",
            "low",
            f"{len(unrated)} of {len(design.plan.patterns)} patterns",
            f"These patterns have no rate, so the plan is without them: {list_text(unrated)}.",
            "Declare how often they are called, even roughly: rate=per_minute(5).",
        )
    sized = {entity for one in design.plan.catalogs for entity in one.sizes}
    counted = {entity for one in design.plan.catalogs for entity in one.counts}
    used = {access.entity for one in design.plan.patterns for access in one.pattern.accesses}
    explicit = {
        access.entity
        for one in design.plan.patterns
        if one.pattern.expected.size is not None
        for access in one.pattern.accesses
    }
    unsized = [one.name for one in design.models if one.entity in used - sized - explicit]
    if unsized:
        yield design.advice(
            "missing-size",
            "low",
            f"{len(unsized)} of {len(design.models)} entities",
            "These entities have no declared size, so we assume 1,024 bytes: "
            f"{list_text(unsized)}.",
            f"Declare typical sizes in bytes: PatternCatalog(…, sizes={{{unsized[0]}: 400}}).",
        )
    uncounted = [one.name for one in design.models if one.entity not in counted]
    if uncounted:
        yield design.advice(
            "missing-count",
            "low",
            f"{len(uncounted)} of {len(design.models)} entities",
            "These entities have no declared count, so their storage is not in the plan: "
            f"{list_text(uncounted)}.",
            "Declare how many items you expect: "
            f"PatternCatalog(…, counts={{{uncounted[0]}: 10_000}}).",
        )


def advise_missing_values(design: Design) -> Iterator[Advice]:
    """Yield advice on key fields without declared values that could make a hot key."""
    workload = design.workload
    loads: dict[str, dict[str, float]] = {}
    for load in workload.patterns:
        for placed in load.units:
            units = placed.units * load.rate.peak_per_second
            for domain in placed.key.domains:
                if domain.name in workload.assumed:
                    kinds = loads.setdefault(domain.name, {"read": 0.0, "write": 0.0})
                    kinds[placed.kind] += units
    unique = {
        design.domains.label(model.entity, name)
        for model in design.models
        for constraint in model.uniques.values()
        for name in constraint.fields
    }
    # Even if all calls were about one value, the others would not be hot.
    hot = {
        name: max(kinds["read"] / READ_LIMIT, kinds["write"] / WRITE_LIMIT)
        for name, kinds in loads.items()
        if name not in unique
    }
    names = sorted((name for name in hot if hot[name] >= NEAR_LIMIT), key=lambda name: -hot[name])
    if not names:
        return
    kinds, fields = loads[names[0]], [_field_with(design, name) for name in names]
    fields_text = ", ".join(f"zipf({field}, 200)" for field in fields[:3])
    yield design.advice(
        "missing-values",
        "low",
        list_text(names, 4),
        f"How calls spread over the values of {list_text(fields)} is not declared, so the plan "
        "takes all values to be equally frequent and finds no hot key. Those with "
        f"{{{names[0]}}} receive {format_number(kinds['read'])} read and "
        f"{format_number(kinds['write'])} write units a second at peak.",
        f"Declare how many values there are, and how uneven: values=[{fields_text}]; uniform(…, n) "
        "if they are equally frequent.",
    )


def _field_with(design: Design, label: str) -> str:
    for model in design.models:
        for name in model.fields:
            if design.domains.label(model.entity, name) == label:
                return f"{model.name}.{name}"
    return label


def advise_growth(design: Design) -> Iterator[Advice]:
    """Yield advice on counts that the patterns contradict, and on items that only accumulate."""
    for model in design.models:
        created = _items_per_month(design, model, "create")
        deleted = _items_per_month(design, model, "delete")
        expires = model.role("expires") is not None
        is_deleted = deleted > 0 or _has_deletes(design, model)
        count, new = design.count_of(model.entity), created - deleted
        declared_growth = _declared_growth(design, model)
        if count is not None and not expires and new > max(GROWTH_FACTOR, declared_growth) * count:
            # The size of what accumulates is unknown as long as one of them is wrong.
            yield design.advice(
                "growing-count",
                "medium",
                model.name,
                f"The patterns create {format_number(new)} new {model.name} items a month, but "
                f"counts has {count:,.0f} in all"
                f"{f', growing by {declared_growth:.0%} a month' if declared_growth else ''}.",
                f"Correct one of them: counts={{{model.name}: ItemCount({_rounded(count + new)}, "
                "growth=…)}, or the rate of the pattern that creates them.",
                f"{format_number(created)} created − {format_number(deleted)} deleted, in a month "
                "of 730 hours",
            )
            continue
        size = round(design.bytes_per_item(model))
        yearly = 12 * created * size
        later = design.dollars(stored=yearly)
        if not expires and not is_deleted and design.is_worth(later, question=True):
            yield design.advice(
                "missing-ttl",
                "low",
                model.name,
                f"{model.name} items are created and never deleted: {format_bytes(yearly)} more "
                f"every year, {format_dollars(later)} a month after the first.",
                f"Is an old {model.name} needed? If not, let it expire: ends: Attr[datetime] = "
                f'expires(), and Table("{model.table.name}", ttl="ends").',
                f"12 × {format_number(created)} items × {size:,} bytes with entries in indexes = "
                f"{format_number(yearly / GB)} GB",
            )


def _items_per_month(design: Design, model: Model, kind: str) -> float:
    return SECONDS_PER_MONTH * math.fsum(
        one.rate.per_second
        * max(one.pattern.expected.items, 1)
        * sum(
            access.kind == kind and access.entity is model.entity for access in one.pattern.accesses
        )
        for one in design.plan.patterns
        if one.rate is not None and isinstance(one.pattern, WritePattern)
    )


def _has_deletes(design: Design, model: Model) -> bool:
    """Return whether a pattern deletes items of an entity, at any rate."""
    return any(
        access.entity is model.entity and access.kind in ("delete", "clear")
        for one in design.plan.patterns
        for access in one.pattern.accesses
    )


def _declared_growth(design: Design, model: Model) -> float:
    counts = [
        one.counts[model.entity] for one in design.plan.catalogs if model.entity in one.counts
    ]
    return max((one.growth for one in counts), default=0.0)


def _rounded(count: float) -> str:
    digits = max(0, len(str(round(count))) - 2)
    return f"{round(count, -digits):_.0f}"


RULES = (advise_missing, advise_missing_values, advise_growth)
