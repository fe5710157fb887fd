"""Calls of a store as values, for observers: their shape, the requests they sent and the cost.

A shape says what a call does to which entities, without values, so that all calls of one access
pattern have the same shape. A store without observers pays nothing for this; with one, every
request asks DynamoDB to return the consumed capacity.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Literal, ParamSpec, Protocol, TypeAlias, TypeGuard, TypeVar, cast

from msgspec.structs import replace

from dynamodb_engine import operations as ops
from dynamodb_engine.operations.registry import ITEM_READS
from dynamodb_engine.steps import Pause, Reason, Steps, Together
from dynamodb_engine.values.text import escape_controls
from singletable.errors import InvalidValue, SingleTableError
from singletable.schema import Collection, Edit, ItemKey, Selection, UniqueValue, model_of
from singletable.store.request_text import consumed_text, request_lines

P = ParamSpec("P")
R = TypeVar("R")
Q_co = TypeVar("Q_co", bound="ItemKey[Any] | Selection[Any] | UniqueValue[Any]", covariant=True)

AccessKind: TypeAlias = Literal[
    "get",
    "find",
    "query",
    "collect",
    "create",
    "load",
    "put",
    "update",
    "upsert",
    "modify",
    "delete",
    "clear",
    "check",
    "scan",
    "feed",
]

_LOG = logging.getLogger("singletable.store")


class PatternLike(Protocol):
    """An access pattern; a store needs only its id."""

    @property
    def id(self) -> str:
        """The name that is unique among all catalogs."""
        ...


class DeclaredReadLoad(Protocol):
    """How a pattern reads."""

    @property
    def consistent(self) -> bool:
        """Whether reads are strongly consistent."""
        ...

    @property
    def hydrate(self) -> bool | None:
        """Whether items are read by the keys in an index; None if that is needed."""
        ...


class ReadPatternLike(PatternLike, Protocol[P, Q_co]):
    """An access pattern that reads: a store can run it."""

    @property
    def expected(self) -> DeclaredReadLoad:
        """How it reads."""
        ...

    @property
    def collection(self) -> type[Collection] | None:
        """The collection that it reads, or None."""
        ...

    def bind(self, *args: P.args, **kwargs: P.kwargs) -> Q_co:
        """Return the key or selection for these values."""
        ...


def check_runnable(pattern: ReadPatternLike[Any, Any]) -> None:
    """Raise unless a store can run a pattern: it reads items, and not into a collection."""
    if not hasattr(pattern, "bind"):
        raise InvalidValue(f"run: expected a pattern that reads items, but got {pattern!r}.")
    if pattern.collection is not None:
        name = pattern.collection.__name__
        raise InvalidValue(
            f"run: pattern {pattern.id} reads the collection {name}. Use collect({name}, …) with "
            "what the pattern returns."
        )


@dataclass(frozen=True, slots=True)
class EntityAccess:
    """What a call does to items of one entity.

    `key_name` is the key that a query uses, or the unique value of a find; `fields` are those with
    values in the key condition, and `range_field` the one with a bound. `edited_fields` are the
    fields that an update changes.
    """

    kind: AccessKind
    entity: type
    key_name: str = ""
    fields: tuple[str, ...] = ()
    range_field: str | None = None
    edited_fields: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class CallShape:
    """A call of a store's method, without the values that it was called with.

    `patterns` are the access patterns that built its keys and selections. A call that `hydrates`
    gets the items of a query from the table, by their keys.
    """

    method: str
    accesses: tuple[EntityAccess, ...]
    patterns: frozenset[str] = frozenset()
    consistent: bool = False
    hydrates: bool = False


# What the methods do that are not named for it.
_KINDS: dict[str, AccessKind] = {
    "replace": "put",
    "get_many": "get",
    "put_many": "put",
    "delete_many": "delete",
    "bulk_load": "load",
    "transact_get": "get",
    "hydrate": "query",
    "page": "query",
    "count": "query",
    "select": "query",
    "delete_partition": "clear",
    "delete_scope": "clear",
    "scan_scope": "scan",
    "changes": "feed",
    "stream": "feed",
}


def call_shape(
    method: str,
    *targets: object,
    edits: Iterable[Edit[Any]] = (),
    collection: type[Collection] | None = None,
    consistent: bool = False,
    hydrates: bool = False,
) -> CallShape:
    """Return the shape of a call.

    `targets` are what the method gets: keys, selections, unique values, items or entities.
    """
    kind = _KINDS.get(method) or cast(AccessKind, method)
    edited = frozenset(edit.field for edit in edits)
    accesses: dict[EntityAccess, None] = {}
    patterns: set[str | None] = set()
    for target in targets:
        if _is_built(target):
            patterns.add(target.pattern)
        accesses |= dict.fromkeys(_accesses(kind, target, edited, collection))
    named = frozenset(pattern for pattern in patterns if pattern is not None)
    return CallShape(method, tuple(accesses), named, consistent, hydrates)


def _is_built(
    target: object,
) -> TypeGuard[ItemKey[Any] | Selection[Any] | UniqueValue[Any]]:
    """Return whether an access pattern may have built this, so that it has the pattern's name."""
    return isinstance(target, ItemKey | Selection | UniqueValue)


def _accesses(
    kind: AccessKind, target: object, edited: frozenset[str], collection: type[Collection] | None
) -> tuple[EntityAccess, ...]:
    if isinstance(target, type):
        return (EntityAccess(kind, target),)
    if not _is_built(target):
        return (EntityAccess(kind, type(target)),)
    if isinstance(target, Selection):
        if collection is not None:
            return collection_accesses(collection, target)
        return (query_access(target),)
    if isinstance(target, UniqueValue):
        fields = model_of(target.entity).uniques[target.unique].fields
        return (EntityAccess(kind, target.entity, target.unique, fields),)
    return (EntityAccess(kind, target.entity, edited_fields=edited),)


def query_access(selection: Selection[Any]) -> EntityAccess:
    """Return the access of a query: its key, and the fields with values in the key condition."""
    key = selection.access
    fields = tuple(name for name in (*key.pk_fields, *key.sk_fields) if name in selection.values)
    range_field = None
    if selection.range is not None:
        range_field = next(name for name in key.sk_fields if name not in selection.values)
    return EntityAccess("query", selection.entity, key.name, fields, range_field)


def collection_accesses(
    collection: type[Collection], selection: Selection[Any]
) -> tuple[EntityAccess, ...]:
    """Return the accesses of reading a collection from a partition, or from a range of it."""
    query = query_access(selection)
    return tuple(
        EntityAccess("collect", entity, query.key_name, query.fields, query.range_field)
        for entity in collection.entities()
    )


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request that was sent, with the capacity it consumed by table, or the error it got.

    A read examined `scanned_count` items, and returned `count` of them: a filter leaves some out.
    """

    operation: ops.Operation[Any]
    consumed: tuple[ops.ConsumedCapacity, ...] = ()
    error: SingleTableError | None = None
    scanned_count: int = 0
    count: int = 0

    @property
    def units(self) -> float:
        """Capacity units of all tables and indexes."""
        return sum((one.capacity_units for one in self.consumed), 0.0)

    @property
    def is_read(self) -> bool:
        """Whether the units are read units."""
        return isinstance(self.operation, ITEM_READS)

    def describe(self) -> list[str]:
        """Return the request as printable lines: the operation, its key, a line per clause."""
        return [escape_controls(line) for line in request_lines(self.operation)]

    def describe_units(self) -> str:
        """Return the consumed units as text, by table and index if there is more than one."""
        return consumed_text(self.operation, self.consumed)


@dataclass(frozen=True, slots=True)
class Call:
    """A finished call of a store.

    A query reads pages as they are needed: each page after the first is a call of its own, with
    `continued` set. `pauses` are the reasons for which it waited before it sent something again.
    `error` is the exception that it raised; CancelledError if it was canceled.
    """

    shape: CallShape
    seconds: float
    requests: tuple[SentRequest, ...]
    pauses: tuple[Reason, ...]
    continued: bool
    error: BaseException | None

    @property
    def read_units(self) -> float:
        """Read units of all requests."""
        return sum((one.units for one in self.requests if one.is_read), 0.0)

    @property
    def write_units(self) -> float:
        """Write units of all requests."""
        return sum((one.units for one in self.requests if not one.is_read), 0.0)

    @property
    def retries(self) -> int:
        """The number of requests sent again because they were refused or left unprocessed."""
        return sum(reason in ("unavailable", "unprocessed") for reason in self.pauses)

    @property
    def conflicts(self) -> int:
        """The number of attempts that failed because of a concurrent write."""
        return self.pauses.count("conflict")


Observer: TypeAlias = Callable[[Call], None]

# Observers of every store in the process; the pytest plugin uses them.
_GLOBAL_OBSERVERS: list[Observer] = []


@contextmanager
def observe_all_stores(observer: Observer) -> Generator[None]:
    """Report the calls of all stores to `observer` within the block."""
    _GLOBAL_OBSERVERS.append(observer)
    try:
        yield
    finally:
        _GLOBAL_OBSERVERS.remove(observer)


def observe(
    observers: tuple[Observer, ...],
    steps: Steps[R],
    shape: Callable[[], CallShape],
    *,
    continued: bool = False,
) -> Steps[R]:
    """Return steps that report to the observers when they end; the same steps if there are none."""
    if _GLOBAL_OBSERVERS:
        observers = (*observers, *_GLOBAL_OBSERVERS)
    if not observers:
        return steps
    return _observed(steps, shape(), observers, continued=continued)


@dataclass(slots=True)
class _Recording:
    requests: list[SentRequest] = field(default_factory=list[SentRequest])
    pauses: list[Reason] = field(default_factory=list[Reason])


def _observed(
    steps: Steps[R], shape: CallShape, observers: Sequence[Observer], *, continued: bool
) -> Steps[R]:
    recording = _Recording()
    error: BaseException | None = None
    start = perf_counter()
    try:
        return (yield from _record(steps, recording))
    except BaseException as raised:
        error = raised
        raise
    finally:
        seconds = perf_counter() - start
        requests, pauses = tuple(recording.requests), tuple(recording.pauses)
        # The call after the last page of a query sends nothing.
        if requests or error is not None or not continued:
            call = Call(shape, seconds, requests, pauses, continued, error)
            for observer in observers:
                _notify(observer, call)


def _record(steps: Steps[R], recording: _Recording) -> Steps[R]:
    try:
        step = next(steps)
        while True:
            if isinstance(step, Pause | Together):
                if isinstance(step, Together):
                    # Each part records what it sends.
                    step = Together(tuple(_record(piece, recording) for piece in step.pieces))
                elif step.reason is not None:
                    recording.pauses.append(step.reason)
                try:
                    outputs = yield step
                except BaseException as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(outputs)
                continue
            operation = _with_capacity(step)
            try:
                output = yield operation
            except BaseException as error:
                if isinstance(error, SingleTableError):
                    recording.requests.append(SentRequest(operation, error=error))
                step = steps.throw(error)
            else:
                scanned, count = _counts(output)
                recording.requests.append(
                    SentRequest(operation, _consumed(output), None, scanned, count)
                )
                step = steps.send(output)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


def _with_capacity(operation: ops.Operation[Any]) -> ops.Operation[Any]:
    """Return the request with ReturnConsumedCapacity, if it has that parameter."""
    if hasattr(operation, "return_consumed_capacity"):
        return replace(operation, return_consumed_capacity="INDEXES")
    return operation


def _consumed(output: object) -> tuple[ops.ConsumedCapacity, ...]:
    match getattr(output, "consumed_capacity", None):
        case None:
            return ()
        case ops.ConsumedCapacity() as one:
            return (one,)
        case several:
            return tuple(several)


def _counts(output: object) -> tuple[int, int]:
    """Return how many items a read examined, and how many it returned."""
    match output:
        case ops.PageOutput():
            return output.scanned_count, output.count
        case ops.BatchGetItemOutput():
            found = sum(map(len, output.raw_responses.values()))
        case ops.GetItemOutput():
            found = int(output.raw_item is not None)
        case ops.TransactGetItemsOutput():
            found = sum(response.raw_item is not None for response in output.responses)
        case _:
            found = 0
    return found, found


def _notify(observer: Observer, call: Call) -> None:
    try:
        observer(call)
    except Exception:
        # The call has already happened: a failing observer must not change its result.
        _LOG.exception("An observer of the store failed; the call itself is not affected.")
