"""Compare two reports: what a change of the design does to each pattern, table and the bill."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias, TypeVar

import msgspec

from singletable_design.planning.formats import format_bytes
from singletable_design.planning.plan_report import PatternFigures, PlanReport, ResourceFigures

Change: TypeAlias = Literal["same", "changed", "added", "removed"]

# Smaller differences, of amounts or units, come from rounding.
_TOLERANCE = 1e-9


class Difference(msgspec.Struct, frozen=True):
    """A figure before and after; an added pattern has no `before`, a removed one no `after`.

    `change` is "changed" if anything differs, and `notes` list the differences.
    """

    name: str
    title: str
    change: Change
    before: float | None
    after: float | None
    notes: tuple[str, ...] = ()

    @property
    def difference(self) -> float:
        """The dollars per month that the change costs; negative if it saves."""
        difference = (self.after or 0.0) - (self.before or 0.0)
        return difference if abs(difference) > _TOLERANCE else 0.0

    @property
    def percent(self) -> float | None:
        """The difference in percent of the figure before, or None if that is zero."""
        return 100 * self.difference / self.before if self.before else None


class Comparison(msgspec.Struct, frozen=True, tag_field="type", tag="singletable comparison"):
    """Two reports side by side; `notes` say what else differs, such as the region."""

    before: PlanReport
    after: PlanReport
    total: Difference
    cheapest: Difference
    patterns: tuple[Difference, ...]
    resources: tuple[Difference, ...]
    modes: tuple[Difference, ...]
    notes: tuple[str, ...]
    format: Literal[1] = 1

    @property
    def name(self) -> str:
        """The names of the designs, or one name for two versions of a design."""
        return " → ".join(dict.fromkeys((self.before.name, self.after.name)))

    def with_other_costs(self) -> list[Difference]:
        """Return the patterns, and a row for other costs, such as storage."""
        before, after = self.before.other_costs, self.after.other_costs
        if max(before, after) <= _TOLERANCE:
            return list(self.patterns)
        change: Change = "same" if abs(after - before) <= _TOLERANCE else "changed"
        return [*self.patterns, Difference("", "storage and the rest", change, before, after)]


def compare_reports(before: PlanReport, after: PlanReport) -> Comparison:
    """Return the differences; patterns are matched by their codes, tables by their names.

    Two designs with one table each are about the same table, even if its name differs.
    """
    return Comparison(
        before=before,
        after=after,
        total=_difference("total", after.mode_name, before.cost, after.cost),
        cheapest=_difference(
            "cheapest",
            " → ".join(dict.fromkeys((before.cheapest.name, after.cheapest.name))),
            before.cheapest.cost,
            after.cheapest.cost,
        ),
        patterns=tuple(_patterns(before.patterns, after.patterns)),
        resources=tuple(_resources(before.resources, after.resources)),
        modes=tuple(
            _difference(mode.name, "", earlier.cost, mode.cost)
            for mode in after.modes
            for earlier in before.modes
            if earlier.name == mode.name
        ),
        notes=tuple(_notes(before, after)),
    )


def _difference(
    name: str, title: str, before: float | None, after: float | None, notes: Sequence[str] = ()
) -> Difference:
    if before is None or after is None:
        change: Change = "added" if before is None else "removed"
    else:
        change = "changed" if notes or not _equal(before, after) else "same"
    return Difference(name, title, change, before, after, tuple(notes))


def _cost(figures: PatternFigures | ResourceFigures | None) -> float | None:
    return None if figures is None else figures.cost


def _equal(before: float, after: float) -> bool:
    return abs(before - after) <= _TOLERANCE * max(abs(before), abs(after), 1.0)


_T = TypeVar("_T")


def _matched(
    before: dict[str, _T], after: dict[str, _T]
) -> Iterable[tuple[str, _T | None, _T | None]]:
    """Yield the entries of both designs, in the order of the new one, removed entries last."""
    for name in (*after, *(name for name in before if name not in after)):
        yield name, before.get(name), after.get(name)


def _patterns(
    before: Sequence[PatternFigures], after: Sequence[PatternFigures]
) -> Iterable[Difference]:
    by_id = len({one.code for one in before}) < len(before)
    by_id = by_id or len({one.code for one in after}) < len(after)
    for name, old, new in _matched(_by_name(before, by_id=by_id), _by_name(after, by_id=by_id)):
        title = (new or old).title  # type: ignore[union-attr]
        notes: list[str] = []
        if old is not None and new is not None:
            notes += _changed("calls/s", old.calls or 0.0, new.calls or 0.0)
            notes += _changed("read units per call", old.read_per_call, new.read_per_call)
            notes += _changed("write units per call", old.write_per_call, new.write_per_call)
        yield _difference(name, title, _cost(old), _cost(new), notes)


def _by_name(patterns: Sequence[PatternFigures], *, by_id: bool) -> dict[str, PatternFigures]:
    return {one.id if by_id else one.code: one for one in patterns}


def _resources(
    before: Sequence[ResourceFigures], after: Sequence[ResourceFigures]
) -> Iterable[Difference]:
    renamed = _renamed(before, after)
    old_names = {renamed.get(one.table, one.table): one.table for one in before}
    earlier = {_resource_name(one, renamed): one for one in before}
    for name, old, new in _matched(earlier, {one.name: one for one in after}):
        notes: list[str] = []
        if old is not None and new is not None:
            if old.table != new.table:
                notes.append(f"was {old_names[new.table]}")
            notes += _changed("read units/s", old.read.average, new.read.average)
            notes += _changed("write units/s", old.write.average, new.write.average)
            notes += _changed("items", old.items, new.items)
            if not _equal(old.bytes, new.bytes):
                notes.append(f"stored {format_bytes(old.bytes)} → {format_bytes(new.bytes)}")
        yield _difference(name, "", _cost(old), _cost(new), notes)


def _renamed(before: Sequence[ResourceFigures], after: Sequence[ResourceFigures]) -> dict[str, str]:
    old, new = ({one.table for one in resources} for resources in (before, after))
    return dict(zip(old, new, strict=True)) if len(old) == len(new) == 1 else {}


def _resource_name(resource: ResourceFigures, renamed: dict[str, str]) -> str:
    table = renamed.get(resource.table, resource.table)
    return table if resource.index is None else f"{table}/{resource.index}"


def _changed(what: str, before: float, after: float) -> list[str]:
    return [] if _equal(before, after) else [f"{what} {before:,.6g} → {after:,.6g}"]


def _notes(before: PlanReport, after: PlanReport) -> Iterable[str]:
    """Yield the reasons for different costs that are not in the designs."""
    pairs: tuple[tuple[str, object, object], ...] = (
        ("region", before.region, after.region),
        ("billing mode", before.mode_name, after.mode_name),
        ("date of the prices", before.price_date, after.price_date),
        ("hours of a month", before.hours_per_month, after.hours_per_month),
        ("months of growth", before.months, after.months),
        ("scale", before.factor, after.factor),
    )
    for what, old, new in pairs:
        if old != new:
            yield f"The {what} differs, too: {old} before, {new} after."
