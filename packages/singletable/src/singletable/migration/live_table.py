"""The base of steps that change items in place: `EntityStep`, guards, failures, scans.

Each item is written on the condition that it is what was read, so that nothing is lost that an
application writes at the same time. After a conflict the change is planned again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from threading import Lock
from typing import Any, cast

from typing_extensions import override

from dynamodb_engine import expressions
from dynamodb_engine.expressions import And, Exists
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item
from singletable.errors import TransformFailed
from singletable.migration.derivation import Key, failure_of, key_text
from singletable.migration.environment import Environment
from singletable.migration.rules import check_entity
from singletable.migration.scan import restart_scan, scan_rounds
from singletable.migration.step import Step
from singletable.schema import Model, Table, counters_of, model_of
from singletable.store.decoder import decode_item
from singletable.store.writes import same_value

MAX_SHOWN_FAILURES = 20


def is_of(entities: Iterable[type[Any]], item: Item) -> bool:
    """Return whether an item is one of these entities, by type tag and by key."""
    models = map(model_of, entities)
    return any(model.matches(item) and model.parse_key(item) is not None for model in models)


class EntityStep(Step):
    """A step that changes the items of one entity, or adds items for them."""

    __slots__ = ()

    def __post_init__(self) -> None:
        check_entity(type(self).__name__, self._arguments[0])

    @override
    def is_about(self, item: Item) -> bool:
        return is_of(self._arguments[:1], item)


def decode_values(model: Model, item: Item) -> dict[str, object]:
    """Return the values of an item by field, with defaults and upgrades applied.

    Its index keys are not compared, because a migration may be about to change them.
    """
    return cast("dict[str, object]", vars(decode_item(model, item, check_indexes=False)))


class ReadGuard:
    """Creates the condition that an item is still the one that was read, by version or wholly."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._exists = Exists((model.table.pk.name,))
        # Most items of an entity have the same attributes.
        self._paths: dict[tuple[str, ...], list[expressions.Path]] = {}

    def unchanged(self, item: Item) -> expressions.Condition:
        """Return the condition for an item that was read."""
        names = tuple(item)
        paths = self._paths.get(names)
        if paths is None:
            paths = self._paths[names] = self._compared_paths(names)
        return self.same_values(paths, item)

    def same_values(self, paths: Iterable[expressions.Path], item: Item) -> expressions.Condition:
        """Return the condition that an item exists and has the same values at some paths."""
        condition: expressions.Condition = self._exists
        for path in paths:
            condition = And(condition, same_value(path, item))
        return condition

    def _compared_paths(self, stored: tuple[str, ...]) -> list[expressions.Path]:
        """Return what to compare of an item with these attributes."""
        model = self._model
        if self.has_version(stored):
            # Numbers that count other items change without a new version.
            counters = [path.document_path() for path in counters_of(model.entity)]
            return [model.roles["version"].document_path(), *counters]
        keys = {one.name for one in model.table.key_attributes}
        # The keys of indexes are derived from the other attributes.
        keys.update(*(access.dedicated_attributes for access in model.indexes.values()))
        names = {*stored, *model.codec.names, *model.versions.attributes}
        return [(name,) for name in sorted(names - keys)]

    def has_version(self, stored: Collection[str]) -> bool:
        """Return whether every change of an item with these attributes increments its version."""
        version = self._model.role("version")
        has_version = version is not None and version.attribute in stored
        return has_version and not self._model.versions.is_declared


class Failures:
    """Items that a step cannot change, and why; pages in several threads add to it."""

    def __init__(self, step: str) -> None:
        self._step = step
        self.found: list[tuple[Key, str]] = []

    def add(self, key: Key, reason: str) -> None:
        """Remember an item that cannot be changed."""
        self.found.append((key, reason))

    def add_error(self, key: Key, error: Exception) -> None:
        """Remember an item for which a function raised an error."""
        self.found += failure_of(key, error).failures

    def raise_if_any(self) -> None:
        """Raise TransformFailed with the first failures."""
        if not self.found:
            return
        shown = self.found[:MAX_SHOWN_FAILURES]
        more = len(self.found) - len(shown)
        lines = [f"  {key_text(key)}: {reason}" for key, reason in shown]
        if more:
            lines.append(f"  and {more} more")
        raise TransformFailed(
            f"{self._step}: {len(self.found)} "
            f"{'item' if len(self.found) == 1 else 'items'} cannot be changed. Correct the data or "
            "the migration, and repeat the same command: it continues here.\n" + "\n".join(lines),
            self.found,
        )


def scan_in_place(
    env: Environment,
    step: str,
    table: Table,
    handle: Callable[[list[Item]], Steps[int]],
    failures: Failures,
    *,
    writes: bool = True,
) -> None:
    """Handle all items of a table; `handle` returns how many items it wrote.

    If there are failures, the scan ends before the checkpoint that would skip them. A scan that
    `writes` nothing collects in memory what it reads, so it starts at the beginning.
    """
    name, read, counts = f"{env.state.step} {step}", f"{step}, read", env.state.counts
    if not writes:
        restart_scan(env, name)
    if name not in env.state.scans:
        counts[step] = counts[read] = 0
    lock = Lock()

    def handle_page(items: list[Item]) -> Steps[None]:
        written = yield from handle(items)
        with lock:
            counts[read] += len(items)
            counts[step] += written

    def after_round() -> None:
        failures.raise_if_any()
        note = f"{counts[step]:,} written" if writes else "read"
        env.progress(step, counts[read], note=note, of=[table])

    scan_rounds(env, name, table, handle_page, after_round=after_round)
    # So that the step can be repeated after it was undone.
    restart_scan(env, name)
    counts.pop(read, None)
    if not writes:
        counts.pop(step, None)
