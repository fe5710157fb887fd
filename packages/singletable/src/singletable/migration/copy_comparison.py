"""Compare the items of a copy's target with the items derived from its source.

The target is scanned first, then the source. Of each item a digest is kept, not the item, and many
digests are kept in a temporary file. So the memory that this takes does not depend on the tables.

The application may write meanwhile. So a difference is only a suspicion: source and target are read
again, up to three times, before it is reported as a fault.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import blake2b
from random import Random
from typing import cast

from dynamodb_engine.values import Item
from singletable.errors import TransformFailed
from singletable.migration import item_digests
from singletable.migration.copy import unit_or_none
from singletable.migration.derivation import Derivation, Targets, Unit, item_key, key_text
from singletable.migration.derived_items import DerivedItems, DerivedUnit, State
from singletable.migration.environment import Environment
from singletable.migration.rules import UnchangedRule
from singletable.migration.scan import scan_pages
from singletable.migration.verification import (
    LOOKS,
    MAX_FAULTS,
    Fault,
    Verification,
    VerifySettings,
)
from singletable.schema import Table
from singletable.store.admin import MAX_SEGMENTS
from singletable.store.writes import ItemId, item_id

SAMPLED_PER_SEGMENT = 50
# Suspects are looked at again in batches, and items that should not be in the target as well.
BATCH = 500
EXTRAS = 50_000


@dataclass(frozen=True, slots=True)
class _Suspect:
    """A unit to look at again: a target of it, another unit with that target, or its failure."""

    unit: Unit
    target: ItemId | None = None
    key: Item | None = field(default=None, compare=False)
    other: Unit | None = None


class CopyComparison:
    """One verification of a copy; `report` gets what is found.

    With `repair`, what differs is derived again. Extra items are deleted only if
    `confirm_deletion`, called with their number, returns True. With `is_back` the old tables are
    compared after the cut-over: they may have items that were never copied, and versions and
    timestamps of their own.
    """

    def __init__(
        self,
        env: Environment,
        derivation: Derivation,
        report: Verification,
        settings: VerifySettings,
        *,
        is_back: bool = False,
    ) -> None:
        self.env = env
        self.derivation = derivation
        self.report = report
        self._settings = settings
        self._repair = settings.repair
        self._is_back = is_back
        self._table = derivation.target
        self._names = item_digests.ItemNames(self._table)
        self._items = item_digests.CanonicalItems(self._names, self._table, without_stamps=is_back)
        self._copies_all = any(isinstance(rule, UnchangedRule) for rule in derivation.rules)
        self._derived_items = DerivedItems(env, derivation)
        self._waiting: list[_Suspect] = []
        self._reported: set[tuple[Unit, ItemId | None]] = set()
        self._counts_suspects = True

    def compare(self) -> None:
        """Compare all items."""
        with self._pass() as digests:
            self._report_extras(digests)

    def compare_sample(self, size: int, seed: int) -> None:
        """Compare at least `size` items, or all if there are fewer; extra items are not found.

        The items are those of random segments of the source, so whole partitions.
        """
        self._counts_suspects = False
        counts = {
            table: 0 if (found := self.env.describe(table)) is None else found.item_count
            for table in self.derivation.sources
        }
        total = sum(counts.values()) or 1
        chosen = Random(seed)
        for table, count in counts.items():
            wanted = -(-size * count // total)
            segments = min(max(count // SAMPLED_PER_SEGMENT, 1), MAX_SEGMENTS)
            order = chosen.sample(range(segments), segments)
            derived = DerivedItems(self.env, self.derivation)
            while order and derived.read < wanted:
                batch = [order.pop() for _ in range(min(self.env.segments, len(order)))]
                pages = scan_pages(self.env, table, total_segments=segments, segments=batch)
                for page in derived.derive((table, page) for page in pages):
                    for unit, targets in self._derived(page):
                        for id_, item in targets.items():
                            self.report.expected[self._names.name(item)] += 1
                            self._suspect(_Suspect(unit, id_, self.derivation.key_of(item)))
            self._count_sources(derived)
        self._look_at_suspects()

    # Passes

    def _pass(self, only: Collection[bytes] | None = None) -> item_digests.DigestTable:
        """Scan target and source once, and compare all items, or those with some hashes."""
        digests = item_digests.DigestTable(self.derivation.sources)
        for page in scan_pages(self.env, self._table):
            for item in page:
                key = item_key(self._table, item)
                hashed = self._hash(key)
                if (only is not None and hashed not in only) or self._is_expired(item):
                    continue
                name = self._names.name(item)
                if only is None:
                    self.report.stored[name] += 1
                digests.add(hashed, self._items.digest(item), name, key)
        derived = DerivedItems(self.env, self.derivation)
        for units in derived.scan():
            for unit, targets in self._derived(units):
                for id_, item in targets.items():
                    hashed = self._hash(self.derivation.key_of(item))
                    if (only is None or hashed in only) and not self._is_expired(item):
                        self._compare_item(unit, id_, item, digests.claim(hashed, unit))
                        if only is None:
                            self.report.expected[self._names.name(item)] += 1
        if only is None:
            self._count_sources(derived)
        self._look_at_suspects()
        return digests

    def _derived(self, page: Iterable[DerivedUnit]) -> Iterator[tuple[Unit, Targets]]:
        """Yield the units of a page with their targets; units that fail are suspects."""
        for one in page:
            if isinstance(one.targets, TransformFailed):
                self._suspect(_Suspect(one.unit))
            else:
                yield one.unit, one.targets

    def _count_sources(self, derived: DerivedItems) -> None:
        for number, rule in enumerate(self.derivation.rules):
            self.report.sources[str(rule)] += derived.by_rule[number]

    def _compare_item(
        self,
        unit: Unit,
        id_: ItemId,
        item: Item,
        found: tuple[int | None, tuple[Table, Item] | None],
    ) -> None:
        """Suspect an item that is missing, different, or also derived from another old item."""
        digest, owner = found
        other = None if owner is None else self._unit_of(*owner)
        if other is not None or digest != self._items.digest(item):
            self._suspect(_Suspect(unit, id_, self.derivation.key_of(item), other))

    def _unit_of(self, table: Table, key: Item) -> Unit | None:
        """Return the unit of an old item as it is stored now."""
        item = next(iter(self._derived_items.get(table, [key]).values()), None)
        return unit_or_none(self.derivation, table, item)

    def _report_extras(self, digests: item_digests.DigestTable) -> None:
        """Report stored items without a source item, after a second look."""
        counts = digests.count_extras()
        if counts and self._is_back:
            total = sum(counts.values())
            self.report.notes.append(f"{total:,} old items are derived from no new item.")
            return
        for name in [*counts] if not self._copies_all else ():
            # The target may have been in use before: entities that no rule derives are not extra.
            if name not in self.report.expected and name not in self.env.state.derived:
                self.report.notes.append(
                    f"{name}: {counts.pop(name):,} stored, but no rule derives this kind of item. "
                    "Left alone."
                )
        for extras in digests.extras(counts, EXTRAS):
            self._report_batch(extras)

    def _report_batch(self, extras: Mapping[bytes, Item]) -> None:
        self.report.suspects += len(extras)
        # An old item may have been moved to a place that was scanned already: scan again.
        keys = self._still_extra(extras)
        # Items that are deleted in the source are deleted in the target a little later.
        for seconds in LOOKS[:1] if self._repair else LOOKS:
            if keys:
                self.env.sleep(seconds)
                found = self._derived_items.get(self._table, keys).values()
                keys = [self.derivation.key_of(item) for item in found]
        if self._repair and keys:
            keys = self._delete_extras(keys)
        for key in keys:
            self.report.add(Fault("extra", key, "is derived from no old item"))

    def _still_extra(self, extras: Collection[bytes]) -> list[Item]:
        """Scan target and source again, and return the keys of items that are still extra."""
        with self._pass(extras) as digests:
            batches = digests.extras(digests.count_extras(), EXTRAS)
            return [key for batch in batches for key in batch.values()]

    def _delete_extras(self, keys: list[Item]) -> list[Item]:
        """Delete items after a confirmation, and return the keys of those that were extra then."""
        if any(fault.kind == "failed" for fault in self.report.faults):
            self.report.notes.append(
                "Extra items are not deleted, because the new items of some old ones are unknown: "
                "their rule fails."
            )
            return keys
        if not self._settings.confirm_deletion(len(keys)):
            return keys
        # The question may have been open for long: delete only what is still extra.
        stale = self._still_extra({self._hash(key) for key in keys})
        self.env.run(self.derivation.write({}, {self._id(key): key for key in stale}))
        self.report.repaired += len(stale)
        return stale

    # Suspects

    def _suspect(self, suspect: _Suspect) -> None:
        if (suspect.unit, suspect.target) in self._reported:
            return
        self._waiting.append(suspect)
        if len(self._waiting) >= BATCH:
            self._look_at_suspects()

    def _look_at_suspects(self) -> None:
        """Look at the suspects again, and report or repair those that are faults."""
        waiting, self._waiting = self._waiting, []
        if self._counts_suspects:
            self.report.suspects += len(waiting)
        if len(self.report.faults) >= MAX_FAULTS and not self._repair:
            self.report.unchecked += len(waiting)
            return
        faults: dict[_Suspect, Fault | None] = dict.fromkeys(waiting)
        for seconds in LOOKS[:1] if self._repair else LOOKS:
            if faults:
                self.env.sleep(seconds)
                faults = self._look(list(faults))
        for suspect, fault in faults.items():
            if fault is None:
                self.report.unsettled += 1
                continue
            if self._repair and fault.kind in ("missing", "different"):
                written = self.env.run(self.derivation.carry_over({suspect.unit: []}))
                if suspect in self._look([suspect]):
                    written = 0
                elif not written:
                    continue  # the application has changed the source: this is no fault any more
                self.report.repaired += written > 0
            self._reported.add((suspect.unit, suspect.target))
            self.report.add(fault)

    def _look(self, suspects: Sequence[_Suspect]) -> dict[_Suspect, Fault | None]:
        """Return the faults of suspects; None if the source changed during the look."""
        units = list(dict.fromkeys(one for s in suspects for one in (s.unit, s.other) if one))
        keys = [suspect.key for suspect in suspects if suspect.key is not None]
        before = self._derived_items.states(units)
        stored = self._derived_items.get(self._table, keys)
        after = self._derived_items.states(units)
        faults: dict[_Suspect, Fault | None] = {}
        for suspect in suspects:
            involved = [one for one in (suspect.unit, suspect.other) if one is not None]
            fault = self._fault(suspect, after, stored)
            if fault is None or self._fault(suspect, before, stored) is None:
                continue
            settled = all(_is_same(before[unit], after[unit]) for unit in involved)
            faults[suspect] = fault if settled else None
        return faults

    def _fault(
        self,
        suspect: _Suspect,
        states: Mapping[Unit, State],
        stored: Mapping[ItemId, Item],
    ) -> Fault | None:
        """Return the fault of a suspect, or None."""
        targets = self._targets(suspect.unit, states)
        if isinstance(targets, TransformFailed):
            key, reason = targets.failures[0]
            return Fault("failed", cast("Item", key), reason)
        if suspect.target is None or suspect.key is None or suspect.target not in targets:
            return None
        if suspect.other is not None:
            others = self._targets(suspect.other, states)
            if isinstance(others, TransformFailed) or suspect.target not in others:
                return None
            both = f"{key_text(suspect.unit.key)} and {key_text(suspect.other.key)}"
            return Fault("collision", suspect.key, f"is derived from two old items: {both}")
        item, found = targets[suspect.target], stored.get(suspect.target)
        if self._is_expired(item):
            return None
        if found is None:
            text = f"is missing. It is derived from {key_text(suspect.unit.key)}"
            return Fault("missing", suspect.key, text)
        expected, actual = self._items.canonical(item), self._items.canonical(found)
        if expected == actual:
            return None
        names = ", ".join(item_digests.changed_attributes(expected, actual))
        text = f"differs in {names}. It is derived from {key_text(suspect.unit.key)}"
        return Fault("different", suspect.key, text)

    def _targets(self, unit: Unit, states: Mapping[Unit, State]) -> Targets | TransformFailed:
        return self._derived_items.targets(unit, states[unit])

    # Items

    def _id(self, key: Item) -> ItemId:
        return item_id(self.env.table_name(self._table), key)

    def _hash(self, key: Item) -> bytes:
        """Return the hash of a key."""
        hashed = blake2b(digest_size=16)
        for part in self._id(key)[1]:
            hashed.update(len(part).to_bytes(2, "big") + part)
        return hashed.digest()

    def _is_expired(self, item: Item) -> bool:
        """Return whether DynamoDB may have deleted an item, because its time to live is over."""
        attribute = self._table.ttl
        number = None if attribute is None else item.get(attribute, {}).get("N")
        return number is not None and Decimal(number) <= self.env.clock()


def _is_same(before: State, after: State) -> bool:
    if isinstance(before, TransformFailed) or isinstance(after, TransformFailed):
        return str(before) == str(after)
    return before == after
