"""Copy tables between addresses: all items or some, as they are or changed on the way.

A copy reads what is stored and puts it into the target, over items with the same keys. Nothing is
deleted there, so a copy can be repeated. Its progress is stored in the target until it is done: an
interrupted copy continues. Changes that an application makes during the copy may be missed; to
move an application to another table, write a migration.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from threading import Lock
from typing import Any, TypeAlias, cast

import msgspec

from dynamodb_engine.operations import (
    Driver,
    PageOutput,
    PutRequest,
    Scan,
    TableDescription,
    WriteRequest,
)
from dynamodb_engine.retry import send
from dynamodb_engine.steps import Steps, run
from dynamodb_engine.values import Item
from singletable.errors import (
    InvalidValue,
    MigrationError,
    ResourceNotFound,
    SingleTableError,
    TransformFailed,
)
from singletable.migration.anonymization import Anonymizer
from singletable.migration.copy import MAX_REMEMBERED
from singletable.migration.derivation import key_text
from singletable.migration.environment import (
    PATIENT,
    Environment,
    StepProgress,
    default_owner,
    migration_context,
    no_progress,
)
from singletable.migration.rate_limit import RateLimit
from singletable.migration.scan import scan_rounds
from singletable.migration.state import State, StateStore, is_state_item
from singletable.migration.two_addresses import TwoAddressDriver
from singletable.schema import Table, read_table, table_from_description
from singletable.schema.codec.dynamic import DynamicConverter
from singletable.schema.unique import OWNER
from singletable.store.admin import create_table
from singletable.store.batch import get_items, write_requests
from singletable.store.writes import ItemId, item_id

# Gets an item as plain values: str, int or Decimal, bool, None, bytes, list, dict, set.
ItemFunction: TypeAlias = Callable[[dict[str, Any]], dict[str, Any] | None]

MAX_SEGMENTS = 64
_SCAN = "items"
_PREVIEW_PAGES = 20


def _number(text: str) -> int | Decimal:
    number = Decimal(text)
    return int(number) if number == number.to_integral_value() else number


_PLAIN = DynamicConverter(_number)


@dataclass(frozen=True, slots=True)
class CopySettings:
    """Which items are copied, how they are changed, and how fast.

    `sample` is the fraction of the partitions that are copied, each of them whole. `anonymizer`
    changes an item before `transform` gets it; items for which that returns None are left out.
    `rate` is the capacity units per second, reads and writes together.
    """

    sample: float | None = None
    anonymizer: Anonymizer | None = None
    transform: ItemFunction | None = None
    rate: float | None = None
    segments: int = 4

    def __post_init__(self) -> None:
        if self.sample is not None and not 0 < self.sample <= 1:
            raise InvalidValue(
                f"sample: expected a fraction above 0 and up to 1, such as 0.01, but got "
                f"{self.sample}."
            )
        if not 1 <= self.segments <= MAX_SEGMENTS:
            raise InvalidValue(
                f"segments: expected 1 to {MAX_SEGMENTS} segments, but got {self.segments}."
            )

    @property
    def changes_items(self) -> bool:
        """Whether items are changed on the way."""
        return self.anonymizer is not None or self.transform is not None

    @property
    def fingerprint(self) -> str:
        """A text that is different for settings that would copy something else."""
        transform = self.transform
        parts = (
            self.sample,
            None if self.anonymizer is None else self.anonymizer.fingerprint,
            None if transform is None else f"{transform.__module__}:{transform.__qualname__}",
        )
        return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class CopyResult:
    """How many items were copied and left out, and how often each attribute was replaced."""

    copied: int
    left_out: int
    replaced: Mapping[str, int]


@dataclass
class TableCopy:
    """The copy of one table to `new_name` at the target.

    Creating it changes nothing, and raises an error if the table at the target has another key.
    """

    source: Driver
    target: Driver
    name: str
    new_name: str = ""
    settings: CopySettings = field(default_factory=CopySettings)
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], object] = time.sleep
    on_progress: Callable[[StepProgress], object] = no_progress
    description: TableDescription = field(init=False, repr=False)
    is_new: bool = field(init=False)

    def __post_init__(self) -> None:
        self.new_name = self.new_name or self.name
        if self.source is self.target and self.name == self.new_name:
            raise _onto_itself(self.name)
        self.description, self._old = read_table(self.source, self.name)
        self._new = table_from_description(self.description, self._old.ttl)
        try:
            _, existing = read_table(self.target, self.new_name)
        except ResourceNotFound:
            self.is_new = True
        else:
            self.is_new = False
            self._check_key(existing)
        self._check_removed()
        self._context = migration_context(
            {self._old: "source", self._new: "target"},
            {self._old: self.name, self._new: self.new_name},
            self.clock,
        )
        self._places = TwoAddressDriver(self.source, self.target)
        self._lock = Lock()
        # What is counted after the last checkpoint.
        self._counts: Counter[str] = Counter()
        # Hashes of the keys that were written, to find two items that become one.
        self._written: set[int] = set()

    def _check_key(self, existing: Table) -> None:
        if existing.key_attributes != self._old.key_attributes:
            raise InvalidValue(
                f"Table {self.new_name!r} at the target has the key {_key_schema(existing)}, but "
                f"{self.name!r} has {_key_schema(self._old)}. Copy to another name "
                f"(--table {self.name}=NEW), or write a migration that changes the keys."
            )

    def _check_removed(self) -> None:
        anonymizer = self.settings.anonymizer
        for one in self._old.key_attributes:
            if anonymizer is not None and anonymizer.kinds.get(one.name) == "remove":
                raise InvalidValue(
                    f"{one.name!r} is a key attribute of {self.name!r} and cannot be removed."
                )

    # Run

    def run(self, *, restart: bool = False) -> CopyResult:
        """Copy the table, or continue a copy with the same settings that was interrupted."""
        if self.is_new:
            run(self._places, create_table(self._context, self._new, if_missing=True), self.sleep)
        states = StateStore(
            self._new,
            self._context.table_name(self._new),
            f"copy of {self.name}",
            owner=default_owner(),
            clock=self.clock,
            retry_policy=PATIENT,
        )
        initial = State("copying", self.clock(), digest=self.settings.fingerprint)
        state = run(self._places, states.acquire(initial), self.sleep)
        old_name = self._context.table_name(self._old)
        if run(self._places, states.is_in(self._old, old_name), self.sleep):
            run(self._places, states.delete_item(states.key), self.sleep)
            raise _onto_itself(self.name)
        if restart:
            state = initial
        env = self._environment(states, state)
        try:
            self._check_settings(state)
            scan_rounds(
                env,
                _SCAN,
                self._old,
                self._copy_page,
                after_round=lambda: self._end_round(env),
            )
        except BaseException:
            # Release the lease, so that the copy can be continued at once.
            with suppress(SingleTableError):
                run(self._places, states.release(state), self.sleep)
            raise
        run(self._places, states.delete_item(states.key), self.sleep)
        return _result(state.counts)

    def preview(self, count: int) -> list[Item]:
        """Return the first items that a copy would write, and write nothing."""
        return run(self._places, self._preview(count), self.sleep)

    def _environment(self, states: StateStore, state: State) -> Environment:
        settings = self.settings
        return Environment(
            self._places,
            self._context,
            states,
            state,
            RateLimit(settings.rate, self.clock),
            segments=settings.segments,
            # A round should not take much longer than a second.
            page_size=None if settings.rate is None else max(25, int(settings.rate)),
            clock=self.clock,
            sleep=self.sleep,
            on_progress=self.on_progress,
        )

    def _check_settings(self, state: State) -> None:
        if state.digest != self.settings.fingerprint:
            raise MigrationError(
                f"A copy of {self.name!r} with other settings was interrupted, and "
                f"{self.new_name!r} has some of its items. To continue it, use the same settings "
                "and the same secret. To start again with the new ones, use --restart; items that "
                "were copied stay, unless they are replaced."
            )

    def _end_round(self, env: Environment) -> None:
        with self._lock:
            for name, number in self._counts.items():
                env.state.counts[name] = env.state.counts.get(name, 0) + number
            self._counts.clear()
        copied = env.state.counts.get("copied", 0)
        settings = self.settings
        is_whole = settings.sample is None and settings.transform is None
        total = self.description.item_count if is_whole else None
        env.progress(f"Copying {self.name}", copied, total)

    def _copy_page(self, items: list[Item]) -> Steps[None]:
        counts: Counter[str] = Counter()
        new_items = yield from self._new_items(items, counts)
        table = self._context.table_name(self._new)
        yield from write_requests(
            self._context, [(table, WriteRequest(PutRequest(item))) for item in new_items]
        )
        counts["copied"] += len(new_items)
        with self._lock:
            self._counts.update(counts)
            if self.settings.changes_items and len(self._written) < MAX_REMEMBERED:
                self._written.update(hash(item_id(table, self._key(one, one))) for one in new_items)

    def _preview(self, count: int) -> Steps[list[Item]]:
        found: list[Item] = []
        after: Item | None = None
        for _ in range(_PREVIEW_PAGES):
            scan = Scan(self._context.table_name(self._old), exclusive_start_key=after)
            page: PageOutput = yield from send(PATIENT, scan)
            items = [item for item in page.items if not is_state_item(item)]
            new_items = yield from self._new_items(items, Counter())
            found += new_items
            after = page.last_evaluated_key
            if after is None or len(found) >= count:
                break
        return found[:count]

    # One page

    def _new_items(self, items: list[Item], counts: Counter[str]) -> Steps[list[Item]]:
        """Return what is written for the items of a page."""
        settings = self.settings
        if settings.sample is not None:
            items = [item for item in items if self._is_sampled(item, settings.sample)]
        if not settings.changes_items:
            return items
        selected = items
        if settings.anonymizer is not None:
            selected = yield from self._anonymize(settings.anonymizer, items, counts)
        new_items: dict[ItemId, Item] = {}
        table = self._context.table_name(self._new)
        for item in selected:
            new = item if settings.transform is None else self._transformed(item)
            if new is None:
                counts["left out"] += 1
                continue
            key = self._key(item, new)
            id_ = item_id(table, key)
            if id_ in new_items or hash(id_) in self._written:
                raise _failed(self._key(item, item), f"another item became {key_text(key)}, too.")
            new_items[id_] = new
        return list(new_items.values())

    def _is_sampled(self, item: Item, fraction: float) -> bool:
        pk = self._old.pk.name
        # The marker of a unique value is copied if its owner is.
        value = item.get(f"{OWNER}{pk}", item[pk])
        digest = hashlib.sha256(msgspec.json.encode(value)).digest()
        return int.from_bytes(digest[:8], "big") < fraction * 2**64

    def _anonymize(
        self, anonymizer: Anonymizer, items: Sequence[Item], counts: Counter[str]
    ) -> Steps[list[Item]]:
        owners = {id(item): key for item in items if (key := self._owner(item)) is not None}
        table = self._context.table_name(self._old)
        keys = {item_id(table, key): key for key in owners.values()}
        stored = yield from get_items(self._context, {table: self._old}, keys, consistent=True)
        found: Counter[str] = Counter()
        changed: list[Item] = []
        for item in items:
            replacements = anonymizer.replacements(item)
            if (owner := owners.get(id(item))) is not None:
                # A marker has the unique value of its owner in its key, and no attribute for it.
                original = stored.get(item_id(table, owner), {})
                replacements = anonymizer.replacements(original) | replacements
            changed.append(anonymizer.apply(item, replacements, found))
        counts.update({f"replaced {name}": number for name, number in found.items()})
        return changed

    def _owner(self, item: Item) -> Item | None:
        """Return the key of the item that a marker of a unique value belongs to."""
        keys = self._old.key_attributes
        owner = {one.name: item.get(f"{OWNER}{one.name}", {}) for one in keys}
        return owner if all(one.type in owner[one.name] for one in keys) else None

    def _transformed(self, item: Item) -> Item | None:
        assert self.settings.transform is not None
        values = cast("dict[str, Any]", _PLAIN.decode({"M": item}))
        try:
            changed = self.settings.transform(values)
            if changed is None:
                return None
            if not isinstance(changed, dict):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise InvalidValue(f"expected a dict or None, but got {changed!r}.")
            return _PLAIN.encode(changed)["M"]
        except Exception as error:
            name = "" if isinstance(error, SingleTableError) else f"{type(error).__name__}: "
            raise _failed(self._key(item, item), f"{name}{error}") from error

    def _key(self, item: Item, new: Item) -> Item:
        key = {one.name: new.get(one.name, {}) for one in self._new.key_attributes}
        for one in self._new.key_attributes:
            if one.type not in key[one.name]:
                raise _failed(
                    {each.name: item[each.name] for each in self._old.key_attributes},
                    f"the new item has no key attribute {one.name!r} of type {one.type}.",
                )
        return key


def _onto_itself(name: str) -> InvalidValue:
    return InvalidValue(
        f"Table {name!r} would be copied onto itself. Choose another name or address."
    )


def _key_schema(table: Table) -> str:
    return ", ".join(f"{one.name} ({one.type})" for one in table.key_attributes)


def _failed(key: Item, reason: str) -> TransformFailed:
    return TransformFailed(f"{key_text(key)}: {reason}", [(key, reason)])


def _result(counts: Mapping[str, int]) -> CopyResult:
    return CopyResult(
        counts.get("copied", 0),
        counts.get("left out", 0),
        {
            name.removeprefix("replaced "): number
            for name, number in counts.items()
            if name.startswith("replaced ")
        },
    )
