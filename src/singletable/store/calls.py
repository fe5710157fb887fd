"""What is asked of a store, as a value: so that a call can be recognized, counted and priced.

It says which items a call is about and how they are found, never their values: two calls of one
access pattern are the same question.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

from msgspec.structs import replace

from singletable.errors import SingleTableError
from singletable.operations import ConsumedCapacity, Operation
from singletable.operations.registry import ITEM_READS
from singletable.retry import Pause, Reason, Steps, Together
from singletable.schema import Collection, Edit, ItemKey, Selection, UniqueValue, model_of

Kind: TypeAlias = Literal[
    "get", "find", "query", "collect", "create", "put", "update", "delete", "check", "scan", "feed"
]


class PatternLike(Protocol):
    """An access pattern, of which a store knows the name alone."""

    @property
    def id(self) -> str:
        """The name by which it is known among all catalogs."""
        ...


@dataclass(frozen=True, slots=True)
class EntityAccess:
    """One thing that a call does to items of one entity.

    `access` names the key that a query goes by, or the unique value of a look-up; `given` are the
    fields whose values it is called with, and `ranged` the one that is bounded. `edited` are the
    fields that an update changes.
    """

    kind: Kind
    entity: type
    key_name: str = ""
    fields: tuple[str, ...] = ()
    range_field: str | None = None
    edited_fields: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class CallShape:
    """A call of a store's method, without the values it was called with.

    `patterns` are the access patterns that its arguments were made by.
    """

    method: str
    accesses: tuple[EntityAccess, ...]
    patterns: frozenset[str] = frozenset()
    consistent: bool = False


def about_items(verb: str, *items: object, kind: Kind) -> CallShape:
    """A call that stores items."""
    touches = dict.fromkeys(EntityAccess(kind, type(item)) for item in items)
    return CallShape(verb, tuple(touches))


def about_addresses(
    verb: str, *addresses: ItemKey[Any], kind: Kind = "get", consistent: bool = False
) -> CallShape:
    """A call that goes to items by their keys."""
    touches = dict.fromkeys(EntityAccess(kind, address.entity) for address in addresses)
    return CallShape(verb, tuple(touches), _patterns(addresses), consistent)


def about_update(address: ItemKey[Any], edits: Iterable[Edit[Any]]) -> CallShape:
    """A call that changes fields of an item."""
    return CallShape("update", (update_touch(address, edits),), _patterns([address]))


def about_unique(taken: UniqueValue[Any]) -> CallShape:
    """A call that finds the owner of a unique value."""
    touch = EntityAccess(
        "find", taken.entity, taken.unique, model_of(taken.entity).uniques[taken.unique].fields
    )
    return CallShape("find", (touch,), _patterns([taken]), consistent=True)


def about_selection(verb: str, selection: Selection[Any], *, consistent: bool = False) -> CallShape:
    """A call that queries."""
    return CallShape(verb, (query_touch(selection),), _patterns([selection]), consistent)


def about_collection(
    kind: type[Collection], selection: Selection[Any], *, consistent: bool
) -> CallShape:
    """A call that reads items of several entities by one query."""
    return CallShape(
        "collect", collect_touches(kind, selection), _patterns([selection]), consistent
    )


def about_all(verb: str, *entities: type, kind: Kind) -> CallShape:
    """A call that reads whatever there is."""
    return CallShape(verb, tuple(EntityAccess(kind, entity) for entity in entities))


def about_table(verb: str) -> CallShape:
    """A call of an operator, which is about a table and no access pattern."""
    return CallShape(verb, ())


def query_touch(selection: Selection[Any]) -> EntityAccess:
    """What a query does."""
    access = selection.access
    asked = (*access.pk_fields, *access.sk_fields)
    given = tuple(name for name in asked if name in selection.values)
    ranged = None
    if selection.range is not None:
        ranged = next(name for name in access.sk_fields if name not in selection.values)
    return EntityAccess("query", selection.entity, access.name, given, ranged)


def collect_touches(kind: type[Collection], selection: Selection[Any]) -> tuple[EntityAccess, ...]:
    """What reading a collection does: the partition is read whole."""
    access = selection.access
    return tuple(
        EntityAccess("collect", entity, access.name, access.pk_fields) for entity in kind.entities()
    )


def update_touch(address: ItemKey[Any], edits: Iterable[Edit[Any]]) -> EntityAccess:
    """What an update does."""
    edited = frozenset(edit.field for edit in edits)
    return EntityAccess("update", address.entity, edited_fields=edited)


def _patterns(
    made: Iterable[ItemKey[Any] | Selection[Any] | UniqueValue[Any]],
) -> frozenset[str]:
    return frozenset(one.pattern for one in made if one.pattern is not None)


# FROM observe.py: What a call of a store did and cost, told to whoever observes it.
#
# A store without observers pays nothing for this. With one, every request asks what it consumes.

R = TypeVar("R")

_LOG = logging.getLogger("singletable.store")


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request that was sent, and what it consumed, one entry a table; or what it met."""

    operation: Operation[Any]
    consumed: tuple[ConsumedCapacity, ...] = ()
    error: SingleTableError | None = None

    @property
    def units(self) -> float:
        """The units consumed, of all tables and indexes."""
        return sum((one.capacity_units for one in self.consumed), 0.0)

    @property
    def is_read(self) -> bool:
        """Whether the units are read units."""
        return isinstance(self.operation, ITEM_READS)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a store, when it is over.

    A query is read as it is needed: what follows its first page is a call of its own, `continued`.
    `waits` are the reasons for which it waited before it sent something again. `error` is what it
    raised; GeneratorExit if it was cancelled.
    """

    shape: CallShape
    seconds: float
    requests: tuple[SentRequest, ...]
    pauses: tuple[Reason, ...]
    continued: bool
    error: BaseException | None

    @property
    def read_units(self) -> float:
        """Read units consumed by all requests."""
        return sum((one.units for one in self.requests if one.is_read), 0.0)

    @property
    def write_units(self) -> float:
        """Write units consumed by all requests."""
        return sum((one.units for one in self.requests if not one.is_read), 0.0)

    @property
    def retries(self) -> int:
        """How often something was sent again because it was refused or not processed."""
        return sum(reason in ("refused", "unprocessed") for reason in self.pauses)

    @property
    def conflicts(self) -> int:
        """How often something was done anew because it met another's write."""
        return self.pauses.count("conflict")


Observer: TypeAlias = Callable[[Call], None]

# Those who observe every store of the process: tests do, for as long as one runs.
_EVERYWHERE: list[Observer] = []


@contextmanager
def observe_all_stores(observer: Observer) -> Generator[None]:
    """Tell an observer of the calls of all stores, within the block."""
    _EVERYWHERE.append(observer)
    try:
        yield
    finally:
        _EVERYWHERE.remove(observer)


def observers_of(own: tuple[Observer, ...]) -> tuple[Observer, ...]:
    """A store's own observers, and those of all stores."""
    return (*own, *_EVERYWHERE) if _EVERYWHERE else own


@dataclass(slots=True)
class _Notes:
    sent: list[SentRequest] = field(default_factory=list[SentRequest])
    waits: list[Reason] = field(default_factory=list[Reason])


def observed(
    steps: Steps[R], question: CallShape, observers: Sequence[Observer], *, continued: bool
) -> Steps[R]:
    """The same work; observers are told what it did, also if it fails."""
    notes = _Notes()
    error: BaseException | None = None
    began = perf_counter()
    try:
        return (yield from _noted(steps, notes))
    except BaseException as raised:
        error = raised
        raise
    finally:
        seconds = perf_counter() - began
        call = Call(question, seconds, tuple(notes.sent), tuple(notes.waits), continued, error)
        # Whoever has read all pages asks once more, and nothing is sent.
        if notes.sent or error is not None or not continued:
            for observer in observers:
                _tell(observer, call)


def _noted(steps: Steps[R], notes: _Notes) -> Steps[R]:
    try:
        step = next(steps)
        while True:
            if isinstance(step, Pause):
                if step.reason is not None:
                    notes.waits.append(step.reason)
                yield step
                step = next(steps)
                continue
            if isinstance(step, Together):
                # Each piece notes what it sends.
                step = Together(tuple(_noted(piece, notes) for piece in step.pieces))
                try:
                    answers = yield step
                except SingleTableError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(answers)
                continue
            operation = _with_capacity(step)
            try:
                answer = yield operation
            except SingleTableError as error:
                notes.sent.append(SentRequest(operation, error=error))
                step = steps.throw(error)
            else:
                notes.sent.append(SentRequest(operation, _consumed(answer)))
                step = steps.send(answer)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


def _with_capacity(operation: Operation[Any]) -> Operation[Any]:
    """The request, asking what it consumes; requests about tables consume nothing."""
    if hasattr(operation, "return_consumed_capacity"):
        return replace(operation, return_consumed_capacity="INDEXES")
    return operation


def _consumed(answer: object) -> tuple[ConsumedCapacity, ...]:
    match getattr(answer, "consumed_capacity", None):
        case None:
            return ()
        case ConsumedCapacity() as one:
            return (one,)
        case several:
            return tuple(several)


def _tell(observer: Observer, call: Call) -> None:
    try:
        observer(call)
    except Exception:
        # What was done is done, whatever its observer thinks of it.
        _LOG.exception("An observer of the store failed; the call itself is not affected.")
