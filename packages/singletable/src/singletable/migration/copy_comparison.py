"""Compare the items of a copy's target with the items derived from its source.

The target is scanned first, then the source. Of each item a digest is kept, not the item, so the
memory that this takes does not depend on the size of items. If the target has more items than fit,
only sums of digests are kept, by entity and segment (a range of hashes of keys); the segments
with different sums are then compared item by item, some at a time.

The application may write meanwhile. So a difference is only a suspicion: source and target are read
again, up to three times, before it is reported as a fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import blake2b
from random import Random
from typing import cast

from dynamodb_engine.values import Item
from singletable.errors import TransformFailed
from singletable.migration import item_digests
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
from singletable.store.admin import MAX_SEGMENTS
from singletable.store.writes import ItemId, item_id

# How many digests are kept at a time; with their keys these take about 50 MB.
MAX_DIGESTS = 50_000
SAMPLED_PER_SEGMENT = 50
# Suspects are looked at again in batches.
BATCH = 500


@dataclass(slots=True)
class _Stored:
    """A stored item, or None if it is missing; and the unit from which it is derived."""

    digest: int | None
    key: Item
    name: str
    unit: Unit | None = None


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
        max_digests: int = MAX_DIGESTS,
    ) -> None:
        self.env = env
        self.derivation = derivation
        self.report = report
        self._settings = settings
        self._repair = settings.repair
        self._is_back = is_back
        self._max_digests = max_digests
        self._table = derivation.target
        self._names = item_digests.ItemNames(self._table)
        self._items = item_digests.CanonicalItems(self._names, self._table, without_stamps=is_back)
        self._copies_all = any(isinstance(rule, UnchangedRule) for rule in derivation.rules)
        self._derived_items = DerivedItems(env, derivation)
        self._stored_sums = item_digests.Checksums()
        self._derived_sums = item_digests.Checksums()
        self._waiting: list[_Suspect] = []
        self._reported: set[tuple[Unit, ItemId | None]] = set()
        self._counts_suspects = True

    def compare(self) -> None:
        """Compare all items."""
        remembered = self._pass(None)
        names = {*self._derived_sums.sums, *self.env.state.derived}
        if self._copies_all:
            names |= set(self._stored_sums.sums)
        differing = self._stored_sums.differing(self._derived_sums, names)
        self.report.segments = item_digests.SEGMENTS
        self.report.differing_segments = len(differing)
        if remembered is not None:
            self._report_extras(remembered)
            return
        for group in self._groups(differing):
            self._report_extras(self._pass(group) or {})

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

    def _pass(self, segments: frozenset[int] | None) -> dict[bytes, _Stored] | None:
        """Scan target and source once, and return stored items without a source item.

        Returns None if there were too many items to remember; then only sums were compared.
        """
        remembered: dict[bytes, _Stored] | None = {}
        for page in scan_pages(self.env, self._table):
            for item in page:
                key = item_key(self._table, item)
                hashed, segment = self._hash(key)
                is_chosen = segments is None or segment in segments
                if not is_chosen or self._is_expired(item):
                    continue
                name = self._names.name(item)
                digest = self._items.digest(item)
                if segments is None:
                    self._stored_sums.add(name, segment, digest)
                    self.report.stored[name] += 1
                if remembered is not None:
                    remembered[hashed] = _Stored(digest, key, name)
                    if segments is None and len(remembered) > self._max_digests:
                        remembered = None
        derived = DerivedItems(self.env, self.derivation)
        for units in derived.scan():
            for unit, targets in self._derived(units):
                for id_, item in targets.items():
                    self._compare_item(unit, id_, item, segments, remembered)
        if segments is None:
            self._count_sources(derived)
        self._look_at_suspects()
        return remembered

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
        segments: frozenset[int] | None,
        remembered: dict[bytes, _Stored] | None,
    ) -> None:
        key = self.derivation.key_of(item)
        hashed, segment = self._hash(key)
        if (segments is not None and segment not in segments) or self._is_expired(item):
            return
        digest = self._items.digest(item)
        name = self._names.name(item)
        if segments is None:
            self._derived_sums.add(name, segment, digest)
            self.report.expected[name] += 1
        if remembered is None:
            return
        stored = remembered.get(hashed)
        if stored is None:
            # Remembered as missing, so that a second unit with this target is noticed.
            remembered[hashed] = _Stored(None, key, name, unit)
            self._suspect(_Suspect(unit, id_, key))
        elif stored.unit is not None and stored.unit != unit:
            self._suspect(_Suspect(unit, id_, key, other=stored.unit))
        else:
            stored.unit = unit
            if stored.digest != digest:
                self._suspect(_Suspect(unit, id_, key))

    def _report_extras(self, remembered: Mapping[bytes, _Stored]) -> None:
        """Report stored items without a source item, after a second look."""
        extras = self._extras(remembered)
        if extras and self._is_back:
            self.report.notes.append(f"{len(extras):,} old items are derived from no new item.")
        if not extras or self._is_back:
            return
        self.report.suspects += len(extras)
        # An old item may have been moved to a place that was scanned already: scan again.
        segments = frozenset(self._hash(one.key)[1] for one in extras.values())
        confirmed = self._extras(self._pass(segments) or {})
        keys = [one.key for hashed, one in extras.items() if hashed in confirmed]
        # Items that are deleted in the source are deleted in the target a little later.
        for seconds in LOOKS[:1] if self._repair else LOOKS:
            if keys:
                self.env.sleep(seconds)
                found = self._derived_items.get(self._table, keys).values()
                keys = [self.derivation.key_of(item) for item in found]
        if self._repair and keys:
            keys = self._delete_extras(keys, segments)
        for key in keys:
            self.report.add(Fault("extra", key, "is derived from no old item"))

    def _delete_extras(self, keys: list[Item], segments: frozenset[int]) -> list[Item]:
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
        still = self._extras(self._pass(segments) or {})
        stale = [key for key in keys if self._hash(key)[0] in still]
        self.env.run(self.derivation.write({}, {self._id(key): key for key in stale}))
        self.report.repaired += len(stale)
        return stale

    def _extras(self, remembered: Mapping[bytes, _Stored]) -> dict[bytes, _Stored]:
        extras = {hashed: one for hashed, one in remembered.items() if one.unit is None}
        if self._copies_all:
            return extras
        # The target may have been in use before: entities that no rule derives are not extra.
        derived = {*self.report.expected, *self.env.state.derived}
        others = Counter(one.name for one in extras.values() if one.name not in derived)
        for name, count in others.items():
            note = f"{name}: {count:,} stored, but no rule derives this kind of item. Left alone."
            if note not in self.report.notes:
                self.report.notes.append(note)
        return {hashed: one for hashed, one in extras.items() if one.name not in others}

    def _groups(self, segments: Iterable[int]) -> list[frozenset[int]]:
        """Divide segments into groups with so few items that their digests can be kept."""
        groups: list[set[int]] = [set()]
        size = 0
        for segment in segments:
            items = self._stored_sums.count(segment) + self._derived_sums.count(segment)
            if groups[-1] and size + items > self._max_digests:
                groups.append(set())
                size = 0
            groups[-1].add(segment)
            size += items
        return [frozenset(group) for group in groups if group]

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

    def _hash(self, key: Item) -> tuple[bytes, int]:
        """Return the hash of a key, and its segment."""
        hashed = blake2b(digest_size=16)
        for part in self._id(key)[1]:
            hashed.update(len(part).to_bytes(2, "big") + part)
        digest = hashed.digest()
        return digest, int.from_bytes(digest[:2], "big")

    def _is_expired(self, item: Item) -> bool:
        """Return whether DynamoDB may have deleted an item, because its time to live is over."""
        attribute = self._table.ttl
        number = None if attribute is None else item.get(attribute, {}).get("N")
        return number is not None and Decimal(number) <= self.env.clock()


def _is_same(before: State, after: State) -> bool:
    if isinstance(before, TransformFailed) or isinstance(after, TransformFailed):
        return str(before) == str(after)
    return before == after
