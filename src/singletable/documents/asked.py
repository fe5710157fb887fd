"""The access patterns of a catalog: what each asks of DynamoDB, and what that costs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from singletable.documents.markdown import code, lines, plain, table
from singletable.documents.wording import type_words
from singletable.patterns import (
    Estimate,
    FeedPattern,
    Pattern,
    PatternCatalog,
    PlannedRequest,
    ReadPattern,
    ScanPattern,
    WritePattern,
    estimate,
    planned_requests,
)
from singletable.patterns.estimate import DEFAULT_ITEM_SIZE
from singletable.schema import has_overlapping_range, model_of

# Where the condition on the next key attribute begins.
_CLAUSE = re.compile(r" and (?=\S+ (?:=|<|>|≤|≥|begins with|between) )")


def pattern_table(catalog: PatternCatalog, names: Mapping[str, str]) -> str:
    """What each pattern asks of DynamoDB; `names` are those that its module has for them."""
    titles = ["", "pattern", "operation", "index", "key condition", "how"]
    rows = [row for one in catalog for row in _requests(one, names.get(one.id))]
    return table(titles, rows)


def cost_table(catalog: PatternCatalog) -> str:
    """What a call of each pattern consumes, and what its rate makes of that."""
    titles = ["", "items", "bytes each", "reads a call", "writes a call", "rate"]
    titles += ["reads a second", "writes a second"]
    priced = [one for one in catalog if not isinstance(one, FeedPattern)]
    rows = [_cost(one, estimate(one, catalog.sizes), catalog) for one in priced]
    sums = [_a_second(one, estimate(one, catalog.sizes)) for one in priced]
    read, write = sum(one for one, _ in sums), sum(one for _, one in sums)
    if read or write:
        all_ = (f"**{_units(units, '')}**" if units else "" for units in (read, write))
        rows.append(["**all**", "", "", "", "", "", *all_])
    return table(titles, rows, right=range(1, len(titles)))


def _requests(pattern: Pattern, name: str | None) -> Iterator[list[str]]:
    """A row for each request; what is asked several times in the same words is told once."""
    said = [plain(pattern.description)]
    if name is not None:
        said.append(code(_called(pattern, name)))
    first = [f"**{plain(pattern.code)}**", lines(said)]
    for request, count in Counter(planned_requests(pattern)).items():
        times = f"{count} × " if count > 1 else ""
        about = plain(_about(pattern, request))
        operation = f"{times}{request.action} {about}{_besides(request)}".rstrip()
        index = "" if request.index is None else code(request.index.name)
        yield [*first, operation, index, _condition(pattern, request), _how(pattern, request)]
        first = ["", ""]


def _besides(request: PlannedRequest) -> str:
    """What depends on the values; and a question that is put to each shard."""
    shards = request.access.shards if request.action == "Query" else None
    spread = "" if shards is None else f", in each of {shards.count} shards"
    return f"{spread}{', perhaps' if request.conditional else ''}"


def _about(pattern: Pattern, request: PlannedRequest) -> str:
    """What a request is about: a collection is read whole, a stream tells of everything."""
    if isinstance(pattern, ReadPattern) and pattern.collection is not None:
        return pattern.collection.__name__
    return "" if isinstance(pattern, FeedPattern) else request.subject


def _condition(pattern: Pattern, request: PlannedRequest) -> str:
    if isinstance(pattern, ScanPattern):
        return f"everything: {plain(pattern.reason)}"
    if request.action == "GetRecords":
        return plain(request.condition)
    return lines(code(part) for part in _CLAUSE.split(request.condition))


def _how(pattern: Pattern, request: PlannedRequest) -> str:
    """How fresh what is read is; what is written together."""
    if request.action == "GetRecords":
        return ""
    if not request.is_read:
        return "together" if request.in_transaction else ""
    fresh = "consistent" if pattern.expected.consistent or request.consistent else "eventual"
    return f"{fresh}, past others" if _goes_past(pattern, request) else fresh


def _goes_past(pattern: Pattern, request: PlannedRequest) -> bool:
    """Whether a query may meet items of other entities, which are not what it is about."""
    if not isinstance(pattern, ReadPattern) or request.action != "Query":
        return False
    return pattern.collection is None and has_overlapping_range(
        request.access, model_of(request.entity)
    )


def _called(pattern: Pattern, name: str) -> str:
    if not isinstance(pattern, ReadPattern):
        return name
    given = ", ".join(f"{one.name}: {type_words(one.type)}" for one in pattern.parameters)
    gives = "" if pattern.collection is None else f" → {pattern.collection.__name__}"
    return f"{name}({given}){gives}"


def _cost(pattern: Pattern, cost: Estimate, catalog: PatternCatalog) -> list[str]:
    rate = pattern.expected.rate
    about = "~" if cost.assumed else ""
    most = "≤ " if isinstance(pattern, WritePattern) else ""
    read, write = _a_second(pattern, cost)
    return [
        f"**{plain(pattern.code)}**",
        f"{pattern.expected.items:,}",
        _size(pattern, catalog),
        _units(cost.read, about),
        _units(cost.write, f"{most}{about}"),
        "" if rate is None else str(rate).replace(" ", "&nbsp;"),
        "" if rate is None else _units(read, about),
        "" if rate is None else _units(write, f"{most}{about}"),
    ]


def _size(pattern: Pattern, catalog: PatternCatalog) -> str:
    if pattern.expected.size is not None:
        return f"{pattern.expected.size:,}"
    entities = dict.fromkeys(touch.entity for touch in pattern.accesses)
    sizes = [catalog.sizes.get(entity, DEFAULT_ITEM_SIZE) for entity in entities]
    about = "" if all(entity in catalog.sizes for entity in entities) else "~"
    low, high = min(sizes), max(sizes)
    return f"{about}{low:,}" if low == high else f"{about}{low:,}–{high:,}"


def _a_second(pattern: Pattern, cost: Estimate) -> tuple[float, float]:
    rate = pattern.expected.rate
    often = 0.0 if rate is None else rate.per_second
    return cost.read * often, cost.write * often


def _units(units: float, mark: str) -> str:
    """Units as one reads them: two digits that matter, all of them before the point."""
    if not units:
        return ""
    digits = f"{units:,.0f}" if units >= 100 else f"{units:,.3g}"
    return f"{mark}{digits}"
